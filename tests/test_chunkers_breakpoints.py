"""Segments by structure, topic or summary: replies as they were asked for, found in the text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.base.spans import Drawn, Span
from chunkstudy.chunkers.breakpoints import Kind, beginnings, chunk, written
from tests.made_needs import asking

KINDS: tuple[Kind, ...] = ("structure", "topic", "summary")
TEXT = "Ada wrote it in 1843.\n\nShe was ill then and stayed at home.\n\nNobody read it for years."
FOUND = [(0, 21), (23, 59), (61, 86)]


def drawn(reply: Callable[[str], str], text: str = TEXT, kind: Kind = "structure") -> Drawn[Span]:
    ask = asking(lambda one: reply(one.messages[-1].text))
    return chunk(text, ask, "authored/made", kind)


def said(*begin: str, kind: Kind = "structure") -> str:
    return written([(one, "a topic", "A summary.") for one in begin], kind)


@pytest.mark.parametrize("kind", KINDS)
def test_segments_begin_where_the_reply_says_whatever_the_white_space(kind: Kind) -> None:
    reply = said("Ada wrote it", "She was\nill then", "Nobody  read it", kind=kind)
    found = drawn(lambda _: reply, kind=kind)
    assert (list(found), found.fallbacks) == (FOUND, 0)


USELESS = (
    "",
    "I would rather not.",
    '{"segments": ["Ada wrote it"]}',
    '{"segments": [{"begins": ""}]}',
    '{"segments": [{"begins": "Ada wrote it"}], "segments": []}',
    '```json\n{"segments": [{"begins": "Ada wrote it"}]}\n```',
    "[" * 100_000,
)


@pytest.mark.parametrize("reply", USELESS)
def test_a_reply_that_is_not_what_was_asked_for_leaves_the_window_whole_and_is_counted(
    reply: str,
) -> None:
    assert beginnings(reply) is None
    found = drawn(lambda _: reply)
    assert (list(found), found.fallbacks) == ([(0, len(TEXT))], 1)


@pytest.mark.parametrize(
    "begin",
    [
        ("Ada wrote it", "He was never ill"),
        ("Ada wrote it", "Nobody read it", "She was ill"),
        ("Ada wrote it", "Ada wrote it"),
        ("Ada wrote it", "She"),
        ("Ada wrote it", "rote it in 1843."),
        ("Ada wrote it", "she was ill"),
    ],
    ids=["not in the text", "out of order", "twice", "too short", "within a word", "another case"],
)
def test_a_beginning_that_is_not_found_makes_the_reply_useless(begin: tuple[str, ...]) -> None:
    found = drawn(lambda _: said(*begin))
    assert (list(found), found.fallbacks) == ([(0, len(TEXT))], 1)


def test_the_last_segment_of_a_window_begins_the_next_one() -> None:
    paragraphs = [f"Paragraph {i} begins. " + "word " * 300 for i in range(12)]
    text = "\n".join(paragraphs)
    windows: list[str] = []

    def reply(shown: str) -> str:
        windows.append(shown)
        begun = [line for line in shown.splitlines() if line.strip()]
        return said(*(" ".join(line.split()[:8]) for line in begun))

    found = drawn(reply, text)
    assert [text[start:end] for start, end in found] == [one.strip() for one in paragraphs]
    assert len(windows) > 2
    for before, after in pairwise(windows):
        assert before.splitlines()[-1].strip() == after.splitlines()[0].strip()


@settings(max_examples=200)
@given(st.text("ab .\n", max_size=80), st.lists(st.text("ab ", max_size=9), max_size=4))
def test_whatever_the_reply_chunks_hold_the_text_in_order(text: str, begin: list[str]) -> None:
    found = drawn(lambda _: said(*begin) if all(map(str.strip, begin)) and begin else "", text)
    assert "".join("".join(text[s:e].split()) for s, e in found) == "".join(text.split())
    assert all(a[1] <= b[0] for a, b in pairwise(found))
    assert all(text[s:e] == text[s:e].strip() != "" for s, e in found)
