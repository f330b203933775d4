"""LumberChunker: a language model reads on until the content changes (Duarte et al., 2024).

Consecutive paragraphs are shown under their numbers; the model names the first one whose content
differs, which ends the chunk, and is then shown what begins there. A text of few paragraphs is
shown by sentences, as the taxonomy's code does with BEIR's.

The taxonomy's code runs here too, with what is wrong in it (docs/protocols.md#ielab-chunkers).
Where its loop asks the same for ever, the window's end ends the chunk and the case is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from chunkstudy.chunkers.passages import ielab_sentences, paragraphs
from chunkstudy.chunkers.structure import sentences
from chunkstudy.core.spans import Drawn, RewrittenSpan, Span
from chunkstudy.core.tokens import TextTokens
from chunkstudy.llm.interface import PROMPTS, Ask, Message, Request, conversation, runs_here

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
IELAB_ANSWER = re.compile(r"Answer: ID (\d{1,18})")
"""Anywhere in the reply, digits of any script (lumber_chunker.py:308); no document has units for
more of them."""

ASKED = PROMPTS["lumberchunker"]
EXAMPLE_START = 41

Choose = Callable[[int, Sequence[str]], int | None]
"""The number of the first unit shown and the units; the number of the one where the content
changes, None where no answer could be made out."""


def chunk(
    text: str,
    *,
    ask: Ask,
    model: str,
    tokenizer: TextTokens,
    form: str = "own",
    sentences: bool = False,
) -> Drawn[RewrittenSpan]:
    """The blocks of a text, their units joined by line breaks as official code joins them.

    ielab's code counts tokens with [CLS] and [SEP] and asks at temperature 0 with seed 42
    (docs/protocols.md#ielab-chunkers); it shows ``sentences`` everywhere but on books.
    """
    if not text and form == "ielab":
        return Drawn([(0, 0, "")], 0)
    unit, spans = ("paragraph", paragraphs(text)) if form == "ielab" else units(text)
    shown = [(start, end, text[start:end]) for start, end in spans]
    if form == "ielab" and sentences:
        unit, shown = "sentence", ielab_sentences(text, 1)
    texts = [words for *_, words in shown]

    def choose(first: int, window: Sequence[str]) -> int | None:
        question = request(model, unit, first, window)
        if form == "ielab":
            return ielab_answer(ask(replace(question, temperature=0.0, seed=42)).text)
        return answer(ask(question).whole)

    if form == "ielab":
        numbered = [f"ID {i}: {words}" for i, words in enumerate(texts)]
        sizes = [len(ids) + 2 for ids, _ in tokenizer.content(numbered)]
        drawn = ielab(texts, sizes, choose)
    else:
        drawn = blocks(texts, choose)
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


def ielab(texts: Sequence[str], sizes: Sequence[int], choose: Choose) -> Drawn[Span]:
    """Chunks by their units as ielab's code draws them: any number of the document counts, shown or
    not (315).

    Args:
        texts: the units.
        sizes: tokens of each with its number, [CLS] and [SEP].
        choose: asks.
    """

    def cut(first: int, after: int) -> int | None:
        number = choose(first, texts[first:after])
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


def _joined(shown: Sequence[RewrittenSpan], first: int, after: int) -> RewrittenSpan:
    text = "\n".join(text for *_, text in shown[first:after])
    return shown[first][0], shown[after - 1][1], text


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


def ielab_answer(reply: str) -> int | None:
    """The first number that a reply gives for an answer, whatever else it says."""
    match = IELAB_ANSWER.search(reply)
    return int(match[1]) if match else None


def _answer(number: int) -> str:
    return f"Answer: ID {number}"
