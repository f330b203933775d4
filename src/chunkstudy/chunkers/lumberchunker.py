"""LumberChunker: a language model reads on until the content changes (Duarte et al., 2024).

Consecutive paragraphs are shown under their numbers; the model names the first one whose content
differs, which ends the chunk, and is then shown what begins there. A text of few paragraphs is
shown by sentences, as the taxonomy's code does with BEIR's.

Both official codes run here too, with what is wrong in either (docs/protocols.md,
#lumberchunker-segmentation and #ielab-chunkers). Where an official loop asks the same for ever, the
window's end ends the chunk and the case is counted; where the authors' would crash at the end of a
book, the rest of the book is the last chunk, counted too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from chunkstudy.base.spans import Drawn, RewrittenSpan, Span
from chunkstudy.base.tokens import TextTokens
from chunkstudy.chunkers.passages import ielab_sentences, paragraphs
from chunkstudy.chunkers.structure import sentences
from chunkstudy.llm.interface import PROMPTS, Ask, Message, Reply, Request, conversation, runs_here

LIMIT = 550
"""Tokens of a window, all of its units together below it (LumberChunker-Segmentation.py:178)."""
LEAST = 5
"""Units below which what is left becomes the last chunk."""
WORDS = 457
"""What stays below the limit in words, each of which the official code takes for 1.2 tokens, the
sum rounded (LumberChunker-Segmentation.py:70-72)."""
NUMBER_WORDS = 2
"""``ID`` and the number before each unit are words as well."""
REPLY = 1024
"""Tokens of a reply: an answer takes ten, what a model thinks before it counts too."""
ANSWER = re.compile(r"Answer: ID ([0-9]{1,18})\.?")
AUTHORS_ANSWER = re.compile(r"Answer: ID (?:\w*?(\d+)|\w+)")
IELAB_ANSWER = re.compile(r"Answer: ID (\d+)")
"""Anywhere in the reply, digits of any script; the authors' first answer counts even where it holds
none (LumberChunker-Segmentation.py:200-207; lumber_chunker.py:308)."""
SENSIBLE = 18
"""Digits of a number that is read; no document has more units."""

ASKED = PROMPTS["lumberchunker"]
EXAMPLE_START = 41

Choose = Callable[[int, Sequence[str]], int | None]
"""The number of the first unit shown and the units; the number of the one where the content
changes, None where no answer could be made out."""
Hear = Callable[[int, Sequence[str]], Reply]
"""The reply to a window: the number of its first unit, and its units."""


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
    unit, spans = ("paragraph", paragraphs(text)) if quirks or form == "ielab" else units(text)
    shown = [(start, end, text[start:end]) for start, end in spans]
    if form == "ielab" and sentences:
        unit, shown = "sentence", ielab_sentences(text, 1)
    texts = [words for *_, words in shown]

    def hear(first: int, window: Sequence[str]) -> Reply:
        question = request(model, unit, first, window)
        if form == "ielab":
            question = replace(question, temperature=0.0, seed=42)
        elif quirks:
            question = replace(question, temperature=0.1)
        return ask(question)

    if form == "ielab":
        numbered = [f"ID {i}: {words}" for i, words in enumerate(texts)]
        sizes = [len(ids) + 2 for ids, _ in tokenizer.content(numbered)]
        drawn = ielab(texts, sizes, hear)
    elif quirks:
        drawn = authors(texts, hear)
    else:
        drawn = blocks(texts, lambda first, window: answer(hear(first, window).whole))
    return Drawn([_joined(shown, *span) for span in drawn], drawn.fallbacks)


def units(text: str) -> tuple[str, list[Span]]:
    """What a text is shown by, ``paragraph`` or ``sentence``, and where these stand."""
    lines = paragraphs(text)
    return ("paragraph", lines) if len(lines) >= LEAST else ("sentence", sentences(text))


def blocks(texts: Sequence[str], choose: Choose) -> Drawn[Span]:
    """The chunks of a text given by its units, as spans of them.

    A window is what stays below the limit, one unit at least. An answer counts if it names a unit
    of the window but not its first.
    """
    words = [NUMBER_WORDS + len(text.split()) for text in texts]

    def cut(first: int, after: int) -> int | None:
        number = choose(first, texts[first:after])
        return number if number is not None and first < number < after else None

    return _windows(words, WORDS, cut)


def ielab(texts: Sequence[str], sizes: Sequence[int], hear: Hear) -> Drawn[Span]:
    """Chunks by their units as ielab's code draws them: any number of the document counts, shown or
    not (315).

    Args:
        texts: the units.
        sizes: tokens of each with its number, [CLS] and [SEP].
        hear: asks.
    """

    def cut(first: int, after: int) -> int | None:
        number = _number(IELAB_ANSWER, hear(first, texts[first:after]))
        return number if number is not None and 0 < number <= len(texts) else None

    return _windows(sizes, LIMIT, cut)


def _windows(sizes: Sequence[int], most: int, cut: Callable[[int, int], int | None]) -> Drawn[Span]:
    """The chunks of units of these sizes; a fallback where the window's end stands in for an
    answer.

    A unit that is a window of its own is a chunk, and nobody is asked. The next window begins with
    the next chunk. A chunk of nothing, which an earlier number gives, is dropped; a window that was
    shown before would be asked about for ever, so that another end is taken.

    Args:
        sizes: of each unit.
        most: the sum of them that a window holds.
        cut: the unit at which a model cuts a window, None where its answer does not count.
    """
    count, cuts, fallbacks = len(sizes), [0], 0
    begun = set[int]()
    while cuts[-1] + LEAST <= count:
        first = cuts[-1]
        after = first + 1
        while after < count and sum(sizes[first : after + 1]) <= most:
            after += 1
        if first in begun:
            fallbacks += 1
            cuts.append(min(count, max(begun) + after - first))
            continue
        begun.add(first)
        number = cut(first, after) if after > first + 1 else after
        fallbacks += number is None
        cuts.append(after if number is None else number)
    return Drawn([span for span in pairwise([*cuts, count]) if span[0] < span[1]], fallbacks)


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
        while total <= WORDS and begin + taken < count - 1:
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


def _joined(shown: Sequence[RewrittenSpan], first: int, after: int) -> RewrittenSpan:
    start = shown[first][0]
    end = shown[after - 1][1] if first < after else start
    return start, end, "\n".join(text for *_, text in shown[first:after])


def _number(pattern: re.Pattern[str], reply: Reply) -> int | None:
    match = pattern.search(reply.text)
    digits = match[1] if match else None
    return int(digits) if digits and len(digits) <= SENSIBLE else None


def request(model: str, unit: str, first: int, shown: Sequence[str]) -> Request:
    """What the model is asked about a window.

    One that runs here is small: it is shown examples, and held to the answers there are.
    """
    task = ASKED["instruction"].format(unit=unit)
    if not runs_here(model):
        text = f"{task}\n{document(first, shown)}"
        return Request(model, (Message("user", text),), REPLY)
    examples = [
        (document(EXAMPLE_START, example["units"]), _answer(EXAMPLE_START + example["change"]))
        for example in ASKED["examples"]
    ]
    messages = conversation(task, examples, document(first, shown))
    answers = tuple(_answer(first + i) for i in range(1, len(shown)))
    return Request(model, messages, REPLY, answers=answers)


def document(first: int, shown: Sequence[str]) -> str:
    """Units under their numbers, as the official prompt has them."""
    return "Document:\n" + "\n".join(f"ID {first + i}: {text}" for i, text in enumerate(shown))


def answer(reply: str) -> int | None:
    """The number that a reply names, None unless one line, its last, is an answer and nothing else.

    A reply that argues first may do so; one that gives several answers gives none.
    """
    lines = [line.strip() for line in reply.strip().splitlines()]
    answers = [match for line in lines if (match := ANSWER.fullmatch(line))]
    if len(answers) != 1 or not ANSWER.fullmatch(lines[-1]):
        return None
    return int(answers[0][1])


def _answer(number: int) -> str:
    return f"Answer: ID {number}"
