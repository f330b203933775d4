"""Chroma's LLM chunker: a language model names the splits in a window of numbered pieces.

Chroma's report, "LLMChunker"; llm_semantic_chunker.py. The pieces are the recursive ones of 50
tokens that its other semantic chunkers have. The form of tags and answer is the official one, the
words of the request are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from chunkstudy.chunkers.structure import joined, pieces
from chunkstudy.core.spans import Drawn, RewrittenSpan
from chunkstudy.core.tokens import TokenCounter
from chunkstudy.llm.interface import PROMPTS, Ask, Request, conversation, runs_here

LIMIT = 800
"""A window is the fewest pieces that hold more tokens than this (131)."""
LEAST = 5
"""Pieces below which what is left becomes the last chunk (121)."""
REPLY = 200
TEMPERATURE = 0.2
"""Both llm_semantic_chunker.py:136."""
ATTEMPTS = 3
"""How often a window is asked for before the rule splits after it; officially without end."""
ANSWER = re.compile(r"split_after: ?([0-9]{1,9}(?: ?, ?[0-9]{1,9})*)\.?")
MARK = "split_after:"
DIGITS = re.compile(r"\d{1,18}(?!\d)")

ASKED = PROMPTS["llm"]
EXAMPLE_START = 7

Choose = Callable[[int, int], list[int]]
"""The first piece shown and the first not shown, both from 0: where splits are, as numbers of the
pieces before them; empty where no attempt brought any that count."""


def chunk(
    text: str, *, ask: Ask, model: str, count: TokenCounter, quirks: bool
) -> Drawn[RewrittenSpan]:
    """The chunks between the splits that a language model names; the rule's splits are fallbacks.

    With ``quirks`` taken is what the official code takes: the first line that has the mark, all
    numbers on it whatever else it says, the same twice, and pieces that were not shown.
    """
    spans = pieces(text, count)
    texts = [text[start:end] for start, end in spans]
    ends, by_rule = splits(count.count_many(texts), choosing(ask, model, texts, quirks))
    starts = sorted({0, *(end for end in ends if 0 < end < len(spans))})
    return Drawn(joined(text, spans, starts), by_rule)


def splits(sizes: Sequence[int], choose: Choose) -> tuple[list[int], int]:
    """Where chunks end, as numbers of the pieces before, and how often the rule split.

    A window's last split is where the next one begins. Without any, that is the window's end.

    Args:
        sizes: tokens of each piece.
        choose: asks.
    """
    ends: list[int] = []
    by_rule = begin = 0
    while len(sizes) - begin >= LEAST:
        after = window(sizes, begin)
        chosen = choose(begin, after)
        if not chosen or chosen[-1] <= begin:
            by_rule += 1
            chosen = [after]
        ends += chosen
        begin = chosen[-1]
    return ends, by_rule


def window(sizes: Sequence[int], begin: int) -> int:
    """The piece after the last one shown."""
    total = 0
    for after in range(begin, len(sizes)):
        total += sizes[after]
        if total > LIMIT:
            return after + 1
    return len(sizes)


def choosing(ask: Ask, model: str, texts: Sequence[str], quirks: bool) -> Choose:
    """Asks a model about windows of these pieces."""

    def counts(named: Sequence[int], begin: int, after: int) -> bool:
        if quirks:
            return list(named) == sorted(named) and named[0] >= begin
        return list(named) == sorted(set(named)) and begin < named[0] and named[-1] <= after

    def choose(begin: int, after: int) -> list[int]:
        named: list[int] | None = []
        for attempt in range(ATTEMPTS):
            question = request(model, texts, begin, after, attempt, named)
            reply = ask(question)
            named = official_numbers(reply.text) if quirks else numbers(reply.whole)
            if named and counts(named, begin, after):
                return named
            if question.answers:
                break  # it would say the same again
        return []

    return choose


def request(
    model: str,
    texts: Sequence[str],
    begin: int,
    after: int,
    attempt: int = 0,
    invalid: Sequence[int] | None = None,
) -> Request:
    """What the model is asked about a window; again, if it must be, with what did not count.

    One that runs here is small: it is shown examples, and held to one split.
    """
    shown = tagged(begin, texts[begin:after])
    if runs_here(model):
        examples = [
            (tagged(EXAMPLE_START, example["pieces"]), f"{MARK} {EXAMPLE_START + example['split']}")
            for example in ASKED["examples"]
        ]
        answers = tuple(f"{MARK} {number}" for number in range(begin + 1, after))
        messages = conversation(ASKED["instruction"], examples, shown)
        return Request(model, messages, REPLY, answers=answers)
    again = ""
    if attempt:
        before = ", ".join(map(str, invalid or ())) or "nothing that could be read"
        again = f"\n\nYour answer before this one, {before}, does not count. Give another one."
    text = f"{shown}\n\nName at least one split, in ascending order, none below {begin + 1}.{again}"
    messages = conversation(ASKED["instruction"], (), text)
    return Request(model, messages, REPLY, TEMPERATURE, attempt=attempt)


def tagged(begin: int, texts: Sequence[str]) -> str:
    """Pieces between their tags, numbered from 1 in the document."""
    return "".join(
        f"<|start_chunk_{number}|>{text}<|end_chunk_{number}|>"
        for number, text in enumerate(texts, start=begin + 1)
    )


def numbers(reply: str) -> list[int] | None:
    """The numbers of a reply, None unless it is one line in the form that was asked for."""
    match = ANSWER.fullmatch(reply.strip())
    return [int(number) for number in match[1].split(",")] if match else None


def official_numbers(reply: str) -> list[int] | None:
    """All numbers, of any script, on the first line with the mark (138-143)."""
    for line in reply.split("\n"):
        if MARK in line:
            return [int(number) for number in DIGITS.findall(line)]
    return None
