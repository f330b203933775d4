"""Segments by structure, topic or summary: replies as they were asked for, found in the text."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pytest

from chunkstudy.base.spans import Drawn, Span
from chunkstudy.chunkers.breakpoints import ASKED, KINDS, Kind, beginnings, chunk
from tests.made_needs import asking

TEXT = "Ada wrote it in 1843.\n\nShe was ill then and stayed at home.\n\nNobody read it for years."
FOUND = [(0, 21), (23, 59), (61, 86)]


def drawn(reply: Callable[[str], str], text: str = TEXT, kind: Kind = "structure") -> Drawn[Span]:
    ask = asking(lambda one: reply(one.messages[-1].text))
    return chunk(text, ask, "authored/made", kind)


def said(*begin: str) -> str:
    return json.dumps({"segments": [{"begins": one, "topic": "a topic"} for one in begin]})


@pytest.mark.parametrize("kind", KINDS)
def test_segments_begin_where_the_reply_says_whatever_the_white_space(kind: Kind) -> None:
    reply = said("Ada wrote it", "She was\nill then", "Nobody  read it")
    found = drawn(lambda _: reply, kind=kind)
    assert (list(found), found.fallbacks) == (FOUND, 0)
    example = drawn(lambda _: ASKED[kind]["reply"], ASKED["example"], kind)
    assert (len(example), example.fallbacks) == (2, 0)


BEGINNINGS = {
    "not in the text": ("Ada wrote it", "He was never ill"),
    "out of order": ("Ada wrote it", "Nobody read it", "She was ill"),
    "twice": ("Ada wrote it", "Ada wrote it"),
    "too short": ("Ada wrote it", "She"),
    "within a word": ("Ada wrote it", "rote it in 1843."),
    "another case": ("Ada wrote it", "she was ill"),
}
USELESS = (
    "",
    "I would rather not.",
    '{"segments": ["Ada wrote it"]}',
    '{"segments": [{"begins": ""}]}',
    '{"segments": [{"begins": "Ada wrote it"}], "segments": []}',
    '```json\n{"segments": [{"begins": "Ada wrote it"}]}\n```',
    "[" * 100_000,
)


@pytest.mark.parametrize("reply", [*USELESS, *(said(*begin) for begin in BEGINNINGS.values())])
def test_a_reply_that_is_not_what_was_asked_for_leaves_the_window_whole_and_is_counted(
    reply: str,
) -> None:
    assert (beginnings(reply) is None) == (reply in USELESS)
    found = drawn(lambda _: reply)
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
