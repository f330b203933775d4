"""Propositions: a language model takes each paragraph apart into statements that stand alone.

Dense X Retrieval (Chen et al., 2024) trained a model for this; ielab asks a general one with the
same three rules and an example (proposition_chunker.py). Rules and example are in our words here.
A proposition keeps the span of its paragraph, which ielab credits with it.
"""

from __future__ import annotations

import json
from typing import Any

from chunkstudy.chunkers.passages import ielab_sentences, paragraphs, sentence_propositions
from chunkstudy.core.spans import Drawn, RewrittenSpan
from chunkstudy.llm.interface import PROMPTS, Ask, Request, conversation, runs_here

REPLY = 8192
"""Tokens of a reply, thoughts included; Emma's propositions are a little longer than its text."""
LOCAL_REPLY = 2048
"""The same where a model of 8,192 tokens in all runs here."""
KEY = "propositions"
ASKED = PROMPTS["proposition"]


def chunk(text: str, *, ask: Ask, model: str, form: str = "own") -> Drawn[RewrittenSpan]:
    """Each paragraph's propositions; its sentences, counted, where a reply cannot be used.

    ``ielab`` falls back on its own sentences, which lose text, and makes an empty chunk of an empty
    document.
    """
    if not text and form == "ielab":
        return Drawn([(0, 0, "")], 0)
    chunks: list[RewrittenSpan] = []
    fallbacks = 0
    for start, end in paragraphs(text):
        passage = text[start:end]
        stated = statements(ask(request(model, passage)).whole)
        if stated is None:
            fallbacks += 1
            split = (
                ielab_sentences(passage, 1) if form == "ielab" else sentence_propositions(passage)
            )
            stated = [sentence for *_, sentence in split]
        chunks += [(start, end, proposition) for proposition in stated]
    return Drawn(chunks, fallbacks)


def request(model: str, passage: str) -> Request:
    """What is asked about a paragraph."""
    example = ASKED["passage"], json.dumps({KEY: ASKED[KEY]}, ensure_ascii=False)
    messages = conversation(ASKED["instruction"], [example], passage)
    limit = LOCAL_REPLY if runs_here(model) else REPLY
    return Request(model, messages, limit, json=True)


def statements(reply: str) -> list[str] | None:
    """The propositions of a reply; None unless it is the one JSON object that was asked for, with
    at least one text and no empty one."""
    content = object_of(reply) or {}
    stated = content.get(KEY) if set(content) == {KEY} else None
    if not isinstance(stated, list) or not stated or not all(map(says, stated)):
        return None
    return [statement.strip() for statement in stated]


def object_of(reply: str) -> dict[str, Any] | None:
    """The one JSON object that a reply is, with each key once; None of any other reply."""
    try:
        content = json.loads(reply, object_pairs_hook=_single)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def says(value: Any) -> bool:
    """Whether it is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)
