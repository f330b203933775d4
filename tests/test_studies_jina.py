"""Jina's posts: who gets the full stop, how far context reaches, and one post cut many ways."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.spans import Collection, Document
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import in_sequence, whole
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline.conditions import MINILM, parse_encoder
from chunkstudy.studies import one_post
from chunkstudy.studies.jina import bidirectionality as study
from chunkstudy.studies.jina import three_sentences
from chunkstudy.studies.one_post import printed
from chunkstudy.studies.one_post.alignment import align

CHUNKS = ("Hamburg lies on the Elbe.", " It has 1.9 million people.")
HAMBURG = "".join(CHUNKS)


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(models.spec(parse_encoder(MINILM).model))


def test_the_notebook_gives_a_full_stop_to_the_next_sentence(encoder: TransformerEncoder) -> None:
    ((_, offsets),) = encoder.content([HAMBURG])
    tokens = [HAMBURG[a:b] for a, b in offsets.tolist()]
    (a, b), (c, d) = three_sentences.in_notebook(HAMBURG, offsets).tolist()
    assert tokens[a:b] == ["Hamburg", "lies", "on", "the", "El", "be"]
    assert tokens[c:d] == [".", "It", "has", "1", ".", "9", "million", "people"]


def test_each_arm_is_the_mean_of_the_states_it_says(encoder: TransformerEncoder) -> None:
    table = three_sentences.similarities("Hamburg", CHUNKS, encoder).set_index("chunk")
    query = encoder.encode(["Hamburg"], "query")[0]
    ((ids, offsets),) = encoder.content([HAMBURG])
    first, last = encoder.ends
    states = encoder.states([whole((first, *ids, last))])[0].numpy()
    inside = [b > len(CHUNKS[0]) for _, b in offsets.tolist()]
    late = states[1:-1][inside].mean(axis=0)
    row = table.loc["It has 1.9 m"]
    assert row["late"] == pytest.approx(late @ query / np.linalg.norm(late), abs=1e-5)
    notebook = in_sequence(three_sentences.in_notebook(HAMBURG, offsets), document_ends=False)
    shifted = states[slice(*notebook[1])].mean(axis=0)
    expected = shifted @ query / np.linalg.norm(shifted)
    assert row["late as published"] == pytest.approx(expected, abs=1e-5)
    plain = encoder.encode([CHUNKS[1]])[0]
    assert row["plain"] == pytest.approx(plain @ query, abs=1e-6)
    assert row["late"] > row["plain"]  # the name stands only in the sentence before


OWN, OTHER = [0] * study.CONTENT, [1] * study.CONTENT
MARK = 1
"""What the models below look for in a text."""


def reads(later: int, earlier: int) -> study.Read:
    """A model whose state of a token is 1, and how many marks stand so many tokens behind and
    before it: with marks in the other text alone, its movement can be told by hand."""

    def states(batch: Sequence[Sequence[int]]) -> list[study.Matrix]:
        found = []
        for ids in batch:
            before = np.concatenate([[0], np.cumsum(np.array(ids) == MARK)])
            at = np.arange(len(ids))
            behind = before[np.minimum(at + 1 + later, len(ids))] - before[at + 1]
            ahead = before[at] - before[np.maximum(at - earlier, 0)]
            found.append(np.stack([np.ones(len(ids)), behind, ahead], axis=1).astype(np.float64))
        return found

    return states


def measured(read: study.Read, text: Sequence[int] = OWN, other: Sequence[int] = OTHER) -> Any:
    rows = pd.DataFrame(study.movements(read, text, other))
    return rows.set_index(["replaced", "direction"]).sort_index()


def seen(reach: int) -> float:
    """Marks that a chunk's tokens see on average, where those begin right behind it."""
    return sum(range(1, reach + 1)) / study.CHUNK


@pytest.mark.parametrize("reach", [1, 20, 60])
@pytest.mark.parametrize("way", [study.LATER, study.EARLIER])
def test_a_model_that_sees_so_many_tokens_moves_by_what_is_told_by_hand(
    reach: int, way: str
) -> None:
    later = reach if way == study.LATER else 0
    found = measured(reads(later, reach - later))
    for (what, direction), row in found.iterrows():
        moved = seen(reach) if direction == way else 0.0
        if what == study.APART:
            moved = 0.0  # the text itself holds no mark
        assert row["relative distance"] == pytest.approx(moved, abs=1e-12), what
        turned = 1 - 1 / np.sqrt(1 + moved**2)
        assert row["cosine distance"] == pytest.approx(turned, abs=1e-12)


def collection(name: str, documents: int, words: int = 4000) -> Collection:
    texts = [" ".join(f"{name}{i}w{n}" for n in range(words)) for i in range(documents)]
    found = tuple(Document(f"{i:02}", text) for i, text in enumerate(texts))
    return Collection(name, found, (), ())


def test_texts_are_drawn_by_turns_apart_from_each_other_and_replaced_by_other_documents() -> None:
    few, many = collection("few", 3), collection("many", 120)
    pairs = study.draw([few, many])
    places = [place for place, _ in pairs]
    assert [place.collection for place in places[:4]] == ["few", "many", "few", "many"]
    assert pairs == study.draw([few, many])
    assert len({place.document for place in places if place.collection == "many"}) == 120
    texts = {(c.name, d.id): d.text for c in (few, many) for d in c.documents}
    for place, other in pairs:
        assert place.collection == other.collection and place.document != other.document
        text = texts[place.collection, place.document]
        assert place.start == 0 or text[place.start - 1] == " "
    starts: dict[tuple[str, str], list[int]] = {}
    for place in places:
        starts.setdefault((place.collection, place.document), []).append(place.start)
    for found in starts.values():
        assert all(b - a > study.CHARACTERS - 100 for a, b in pairwise(sorted(found)))


PAGE = """# a-post

## BY_MODEL

#### 2 chunk(s)

Title One two. ofthree

Six seven.

## JINA-SEGMENTER-API

#### 4 chunk(s)

Title


One two. of three



	four	five


Six seven.

---
"""
POST = "Title\nOne two. of three\n\n\tfour\tfive\nSix seven."


def test_a_page_gives_its_segments_and_the_post_behind_them() -> None:
    model, rules = printed.read(PAGE)
    assert (model.name, model.stated, model.segments) == (
        "BY_MODEL", 2, ("Title One two. ofthree", "Six seven."),
    )  # fmt: skip
    assert rules.segments == ("Title", "One two. of three", "\tfour\tfive", "Six seven.")
    assert printed.source([model, rules]) == POST


def test_what_a_segmentation_leaves_out_glues_and_where_its_segments_stand() -> None:
    texts, left_out, chunks = one_post.written(printed.read(PAGE), POST).values()
    row = texts.set_index("segmentation").loc["BY_MODEL"]
    assert (row["words kept"], row["words glued together"], row["words added"]) == (7, 2, 0)
    assert (row["characters lost"], row["characters added"]) == (8, 0)
    assert left_out.to_numpy().tolist() == [["BY_MODEL", 5, 7]]
    spans = chunks[chunks["segmentation"] == "BY_MODEL"]
    assert spans[["first word", "after word"]].to_numpy().tolist() == [[0, 5], [7, 9]]
    assert [POST[s:e] for s, e in zip(spans["start"], spans["end"], strict=True)] == [
        "Title\nOne two. of three", "Six seven.",
    ]  # fmt: skip


WORDS = st.lists(st.sampled_from(["a", "bb", "ccc", "bbccc", "d"]), max_size=8)


@settings(max_examples=200)
@given(WORDS, WORDS)
def test_every_word_is_kept_or_left_out(first: list[str], second: list[str]) -> None:
    kept = align(first, second)
    assert 0 <= kept.characters <= min(len("".join(first)), len("".join(second)))
    counted = [place for place, _ in kept.words]
    counted += [place for begin, end in kept.gaps for place in range(begin, end)]
    assert sorted(counted) == list(range(len(first)))
    assert sum(len(first[place]) for place, _ in kept.words) <= kept.characters


def test_without_the_page_the_study_says_where_to_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(printed.FOLDER, raising=False)
    with pytest.raises(ResourceError, match="set CHUNKSTUDY_PRINTED to a folder that has them"):
        printed.find()


def test_another_page_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "001_other.txt").write_text(PAGE)
    monkeypatch.setenv(printed.FOLDER, str(tmp_path))
    with pytest.raises(ResourceError, match="not the page that this study reads"):
        printed.find()
