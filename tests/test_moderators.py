"""Where answers and the words of questions stand, against looking for them one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.encoders.contextualized import Frame, most_context
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.studies.moderators.places import from_boundary, holding, middle_token, read_at
from chunkstudy.studies.moderators.texts import TOKENS, Texts

LETTERS = "letters"


class Letters:
    """A tokenizer to which every character but white space is a token."""

    prefix_ids = ()

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], Any]]:
        found = []
        for text in texts:
            spans = [(m.start(), m.end()) for m in re.finditer(r"\S", text)]
            found.append(([0] * len(spans), np.asarray(spans, dtype=np.int64).reshape(-1, 2)))
        return found


def texts(text: str, question: str, *spans: tuple[int, int]) -> Texts:
    """One document, and one question that is judged on the spans."""
    collection = Collection(
        "small",
        (Document("d", text),),
        (Query("q", question, "d"),),
        tuple(Judgment("q", "d", *span) for span in spans),
    )
    return Texts(collection, {LETTERS: cast(TokenEncoder, Letters())})


def chunks(*limits: int) -> Chunks:
    """Chunks of the one document, side by side."""
    starts, ends = np.asarray(limits[:-1]), np.asarray(limits[1:])
    return Chunks(np.zeros(len(starts), dtype=np.int64), starts, ends)


@given(
    length=st.integers(1, 60), window=st.integers(6, 20), overlap=st.integers(0, 3),
    prefix=st.integers(0, 2),
)  # fmt: skip
def test_the_place_in_the_window_is_where_a_search_through_the_layout_finds_the_token(
    length: int, window: int, overlap: int, prefix: int
) -> None:
    overlap = min(overlap, window - 3 - prefix)
    layout = most_context(range(length), Frame(window, (-1, -2), [-3] * prefix), overlap)
    found = read_at(range(length), length, window, overlap, prefix)
    for token in range(length):
        seen = [
            (ids.index(token), ids)
            for ids, (first, last) in zip(layout.windows, layout.kept, strict=True)
            if token in ids[first:last]
        ]
        assert len(seen) == 1
        place, ids = seen[0]
        assert found.place[token] == place
        own = [i for i, one in enumerate(ids) if one >= 0]
        assert found.from_end[token] == min(place - own[0], own[-1] - place)


WORDS = ["virus", "viruses", "cell", "cells", "host", "the", "of", "what", "x", "Host"]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@given(paragraphs=st.lists(SENTENCE, min_size=1, max_size=5), asked=SENTENCE, data=st.data())
def test_every_content_word_of_a_question_is_counted_once_where_it_stands(
    paragraphs: list[str], asked: str, data: st.DataObject
) -> None:
    text = "\n".join(paragraphs)
    limits = np.cumsum([0, *(len(one) + 1 for one in paragraphs)]).tolist()
    limits[-1] = len(text)
    held = data.draw(st.integers(0, len(paragraphs) - 1))
    made = texts(text, asked, (limits[held], limits[held] + len(paragraphs[held])))
    (row,), (answer,) = made.chunks(chunks(*limits)), made.answers()
    stems = {"virus", "cell", "host"}
    spoken = {stem for stem in stems if stem in asked.lower()}
    near = [paragraphs[n].lower() for n in (held - 1, held + 1) if 0 <= n < len(paragraphs)]
    inside = {stem for stem in spoken if stem in paragraphs[held].lower()}
    beside = {stem for stem in spoken - inside if any(stem in one for one in near)}
    nowhere = {stem for stem in spoken if stem not in text.lower()}
    assert (answer["words"], answer["nowhere"]) == (len(spoken), len(nowhere))
    assert (row["inside"], row["neighbours"]) == (len(inside), len(beside))


def test_an_answer_that_lies_in_no_chunk_has_no_row() -> None:
    made = texts("a virus and a cell", "Which cell?", (14, 18))
    assert list(made.chunks(chunks(0, 8))) == []
    assert len(list(made.answers())) == 1


def test_an_answer_of_white_space_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="question q of small is nothing but white space"):
        list(texts("a virus \n\n and a cell", "Which?", (7, 10)).answers())


def test_of_several_answers_the_longest_counts_and_of_its_chunks_the_one_that_shares_most() -> None:
    made = texts("0123456789" * 3, "Which?", (0, 3), (8, 20), (22, 26))
    (row,) = made.chunks(chunks(0, 10, 30))
    assert (row["cut"], row["boundary"], row[TOKENS + LETTERS]) == (1, 0, 20)
    starts, ends = np.asarray([0, 10]), np.asarray([10, 20])
    assert holding(starts, ends, 8, 12) == 0
    assert holding(starts, ends, 20, 30) is None


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40))
def test_the_boundary_is_as_far_as_the_nearer_end_and_cuts_what_reaches_over_it(
    chunk_start: int, start: int, length: int
) -> None:
    chunk_end, end = chunk_start + 30, start + length
    distance, cut = from_boundary(chunk_start, chunk_end, start, end)
    assert cut == (not set(range(start, end)) <= set(range(chunk_start, chunk_end)))
    assert distance == (0 if cut else min(start - chunk_start, chunk_end - end))


def test_the_middle_token_of_an_answer_stands_in_it() -> None:
    ((_, offsets),) = Letters().content(["ab  cd efg"])
    assert [middle_token(offsets, *span) for span in ((0, 10), (4, 6), (3, 5), (7, 8))] == [
        3, 2, 2, 4,
    ]  # fmt: skip
