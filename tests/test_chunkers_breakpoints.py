"""Segments by structure, topic or summary, and propositions: JSON as it was asked for, or whole
windows and sentences, counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pytest

from chunkstudy.chunkers.breakpoints import ASKED, KINDS, Kind, beginnings, chunk
from chunkstudy.chunkers.propositions import statements
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Drawn, Span
from chunkstudy.llm.interface import Request
from chunkstudy.pipeline.chunking import build_chunker
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


ADA = "Ada wrote it in 1843. She was ill.\n\n  Nobody read it.\n"
PARAGRAPHS = [(0, 34), (38, 53)]
UNSTATED = (
    "",
    "I would rather not.",
    '{"propositions": []}',
    '{"propositions": "Ada wrote it."}',
    '{"propositions": ["Ada wrote it."], "note": "done"}',
    '{"propositions": ["Ada wrote it."], "propositions": ["another"]}',
    '{"propositions": ["Ada wrote it."',
    '```json\n{"propositions": ["Ada wrote it."]}\n```',
    "[" * 100_000,
)


def stated(reply: Callable[[Request], str]) -> Drawn[tuple[int, int, str]]:
    found = build_chunker("proposition", CORRECTED, ask=asking(reply))(ADA)
    assert isinstance(found, Drawn)
    return found


def test_a_proposition_is_scored_by_its_own_text_and_stands_where_its_paragraph_does() -> None:
    reply = json.dumps({"propositions": ["Ada wrote.", " Ada was ill. "]})
    found = stated(lambda one: reply if "Ada" in one.messages[-1].text else "")
    assert list(found) == [
        (*PARAGRAPHS[0], "Ada wrote."),
        (*PARAGRAPHS[0], "Ada was ill."),
        (*PARAGRAPHS[1], "Nobody read it."),
    ]
    assert found.fallbacks == 1


@pytest.mark.parametrize("reply", UNSTATED)
def test_a_reply_that_is_not_what_was_asked_for_gives_the_sentences_and_is_counted(
    reply: str,
) -> None:
    assert statements(reply) is None
    found = stated(lambda _: reply)
    assert [text for *_, text in found] == [
        "Ada wrote it in 1843.",
        "She was ill.",
        "Nobody read it.",
    ]
    assert found.fallbacks == 2
