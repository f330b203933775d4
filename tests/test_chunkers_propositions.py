"""Propositions: JSON as it was asked for, or the sentences of the paragraph, counted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Drawn
from chunkstudy.chunkers.propositions import statements
from chunkstudy.llm.interface import Request
from chunkstudy.runs.chunking import build_chunker
from tests.made_needs import asking

TEXT = "Ada wrote it in 1843. She was ill.\n\n  Nobody read it.\n"
SPANS = [(0, 34), (38, 53)]
USELESS = (
    "",
    "I would rather not.",
    '{"propositions": []}',
    '{"propositions": [" "]}',
    '{"propositions": ["Ada wrote it.", 7]}',
    '{"propositions": "Ada wrote it."}',
    '{"propositions": ["Ada wrote it."], "note": "done"}',
    '{"propositions": ["Ada wrote it."], "propositions": ["another"]}',
    '{"propositions": ["Ada wrote it."',
    '```json\n{"propositions": ["Ada wrote it."]}\n```',
    'Here they are: {"propositions": ["Ada wrote it."]}',
    "[" * 100_000,
)


def drawn(
    reply: Callable[[Request], str], text: str = TEXT, protocol: str = "corrected"
) -> Drawn[tuple[int, int, str]]:
    found = build_chunker("proposition", PROTOCOLS[protocol], ask=asking(reply))(text)
    assert isinstance(found, Drawn)
    return found


def test_a_proposition_is_scored_by_its_own_text_and_stands_where_its_paragraph_does() -> None:
    stated = json.dumps({"propositions": ["Ada wrote.", " Ada was ill. "]})
    found = drawn(lambda one: stated if "Ada" in one.messages[-1].text else "")
    assert list(found) == [
        (*SPANS[0], "Ada wrote."),
        (*SPANS[0], "Ada was ill."),
        (*SPANS[1], "Nobody read it."),
    ]
    assert found.fallbacks == 1


@pytest.mark.parametrize("reply", USELESS)
def test_a_reply_that_is_not_what_was_asked_for_gives_the_sentences_and_is_counted(
    reply: str,
) -> None:
    assert statements(reply) is None
    found = drawn(lambda _: reply)
    assert [text for *_, text in found] == [
        "Ada wrote it in 1843.",
        "She was ill.",
        "Nobody read it.",
    ]
    assert found.fallbacks == 2
