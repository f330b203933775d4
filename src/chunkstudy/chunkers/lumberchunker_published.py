"""LumberChunker under every protocol: as its authors' code runs it, and as ielab's does, with what
is wrong in either, or without.

docs/protocols.md#lumberchunker-segmentation and #ielab-chunkers. Where the official loop asks the
same for ever, the window's end ends the chunk and the case is counted; where it would crash at the
end of a book, the rest of the book is the last chunk, counted too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from chunkstudy.base.encoding import TextTokens
from chunkstudy.base.spans import Drawn, RewrittenSpan, Span
from chunkstudy.chunkers.lumberchunker import (
    LEAST,
    LIMIT,
    NUMBER_WORDS,
    TOKENS_A_WORD,
    answer,
    blocks,
    request,
    units,
)
from chunkstudy.chunkers.passages import ielab_sentences, paragraphs
from chunkstudy.llm.interface import Ask, Reply

Hear = Callable[[int, Sequence[str]], Reply]
"""The reply to a window: the number of its first unit, and its units."""

AUTHORS_ANSWER = re.compile(r"Answer: ID (?:\w*?(\d+)|\w+)")
IELAB_ANSWER = re.compile(r"Answer: ID (\d+)")
"""Anywhere in the reply, digits of any script; the authors' first answer counts even where it holds
none (LumberChunker-Segmentation.py:200-207; lumber_chunker.py:308)."""
SENSIBLE = 18
"""Digits of a number that is read; no document has more units."""


def chunk(
    text: str,
    *,
    ask: Ask,
    model: str,
    tokenizer: TextTokens,
    quirks: bool,
    form: str = "own",
    sentences: bool = False,
) -> Drawn[RewrittenSpan]:
    """The blocks of a text, their units joined by line breaks, as both official codes join them.

    ielab's code counts tokens with [CLS] and [SEP] and asks at temperature 0 with seed 42
    (docs/protocols.md#ielab-chunkers); it shows ``sentences`` everywhere but on books.
    """
    if not text and form == "ielab":
        return Drawn([(0, 0, "")], 0)
    if form == "ielab":
        split = ielab_sentences(text, 1) if sentences else _source(text, paragraphs(text))
        texts = [unit for *_, unit in split]
        numbered = [f"ID {i}: {unit}" for i, unit in enumerate(texts)]
        sizes = [len(ids) + 2 for ids, _ in tokenizer.content(numbered)]
        hear = _hearing(ask, model, "sentence" if sentences else "paragraph", 0.0, 42)
        found = ielab(texts, sizes, hear)
    elif quirks:
        split = _source(text, paragraphs(text))
        hear = _hearing(ask, model, "paragraph", 0.1, None)
        found = authors([unit for *_, unit in split], hear)
    else:
        unit, spans = units(text)
        split = _source(text, spans)

        def choose(first: int, shown: Sequence[str]) -> int | None:
            return answer(ask(request(model, unit, first, shown)).whole)

        found = blocks([one for *_, one in split], choose)
    return Drawn([_block(split, *span) for span in found], found.fallbacks)


def _source(text: str, spans: Sequence[Span]) -> list[RewrittenSpan]:
    return [(start, end, text[start:end]) for start, end in spans]


def _block(units: Sequence[RewrittenSpan], first: int, after: int) -> RewrittenSpan:
    start = units[first][0]
    end = units[after - 1][1] if first < after else start
    return start, end, "\n".join(text for *_, text in units[first:after])


def _hearing(ask: Ask, model: str, unit: str, temperature: float, seed: int | None) -> Hear:
    def hear(first: int, shown: Sequence[str]) -> Reply:
        asked = request(model, unit, first, shown)
        return ask(replace(asked, temperature=temperature, seed=seed))

    return hear


def authors(texts: Sequence[str], hear: Hear) -> Drawn[Span]:
    """Chunks by their units, some empty or overlapping; a fallback where a rule stood in for the
    model.

    - The paragraph that overflows a window is left out, and so is the last one of a window that
      ends with the book, whose very last is never shown (175-187).
    - The next window begins one paragraph after the boundary (217).
    - A reply without an answer is not asked again, as the code says, but passed over with the
      paragraphs it was shown (194, 209); a blocked one with one more (201).
    - A number is taken whatever was shown: an earlier one gives an empty chunk, and then one that
      overlaps those before (215, 234).
    """
    count = len(texts)
    words = [NUMBER_WORDS + len(text.split()) for text in texts]
    cuts, fallbacks = [0], 0
    begin, begun = 0, set[int]()
    while begin < count - LEAST:
        taken = total = 0
        while round(TOKENS_A_WORD * total) < LIMIT and begin + taken < count - 1:
            total += words[begin + taken]
            taken += 1
        shown = max(1, taken - 1)
        if begin in begun:
            fallbacks += 1
            begin = max(begun) + shown
            continue
        begun.add(begin)
        reply = hear(begin, texts[begin : begin + shown])
        number = _number(AUTHORS_ANSWER, reply)
        if number is not None and number < count:
            cuts.append(number)
            begin = number + 1
            continue
        fallbacks += 1
        if number is not None:
            break
        blocked = reply.finish in ("blocked", "refused")
        begin += max(1, taken - 1 + blocked)
    return Drawn(pairwise([*cuts, count] if count else []), fallbacks)


def ielab(texts: Sequence[str], sizes: Sequence[int], hear: Hear) -> Drawn[Span]:
    """Chunks by their units; a fallback where a rule stood in for the model.

    Args:
        texts: the units.
        sizes: tokens of each with its number, [CLS] and [SEP].
        hear: asks.

    - A unit that fills a window alone is a chunk, and nobody is asked.
    - Any number of the document is taken, shown or not (315); a chunk of nothing is dropped.
    - Otherwise the chunk ends with the window.
    """
    count = len(texts)
    cuts, fallbacks = [0], 0
    begun = set[int]()
    while cuts[-1] + LEAST <= count:
        begin = cuts[-1]
        shown = total = 0
        while begin + shown < count and total + sizes[begin + shown] <= LIMIT:
            total += sizes[begin + shown]
            shown += 1
        shown = max(1, shown)
        if begin in begun:
            fallbacks += 1
            cuts.append(min(count, max(begun) + shown))
            continue
        begun.add(begin)
        if shown == 1:
            cuts.append(begin + 1)
            continue
        number = _number(IELAB_ANSWER, hear(begin, texts[begin : begin + shown]))
        if number is not None and 0 < number <= count:
            cuts.append(number)
        else:
            fallbacks += 1
            cuts.append(begin + shown)
    return Drawn([span for span in pairwise([*cuts, count]) if span[0] < span[1]], fallbacks)


def _number(answer: re.Pattern[str], reply: Reply) -> int | None:
    found = answer.search(reply.text)
    digits = found[1] if found else None
    return int(digits) if digits and len(digits) <= SENSIBLE else None
