"""LumberChunker: a language model reads on until the content changes (Duarte et al., 2024).

Consecutive paragraphs are shown under their numbers; the model names the first one whose content
differs, which ends the chunk, and is then shown what begins there. A text of few paragraphs is
shown by sentences, as the taxonomy's code does with BEIR's. How both official codes differ from
this, faults included, stands in ``lumberchunker_published``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from chunkstudy.base.spans import Drawn, Span
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import generator
from chunkstudy.chunkers.structure import sentences
from chunkstudy.llm.interface import Message, Request, conversation, runs_here

LIMIT = 550
"""Tokens of a window, all of its units together below it (LumberChunker-Segmentation.py:178)."""
LEAST = 5
"""Units below which what is left becomes the last chunk."""
TOKENS_A_WORD = 1.2
"""As the official code counts tokens (LumberChunker-Segmentation.py:70-72)."""
NUMBER_WORDS = 2
"""``ID`` and the number before each unit are words as well."""
REPLY = 1024
"""Tokens of a reply: an answer takes ten, what a model thinks before it counts too."""
ANSWER = re.compile(r"Answer: ID ([0-9]{1,18})\.?")

INSTRUCTION = """\
You will receive as input an english document with {unit}s identified by 'ID XXXX: <text>'.

Task: Find the first {unit} (not the first one) where the content clearly changes compared to the \
previous {unit}s.

Output: Return the ID of the {unit} with the content shift as in the exemplified format: \
'Answer: ID XXXX'.

Additional Considerations: Avoid very long groups of {unit}s. Aim for a good balance between \
identifying content shifts and keeping groups manageable."""
"""The authors' prompt, whose wording is the method (Duarte et al., 2024, appendix; for sentences as
ielab's lumber_chunker.py:28-36 has it)."""
EXAMPLES = (
    (
        (
            "The ferry left at six, before the fog had lifted from the river.",
            "Anna stood at the rail and counted the buoys as they slid past.",
            "By seven the far bank showed, grey and flat, and the engine slowed.",
            "Her brother had written only once since he opened his bakery in Lund.",
            "The letter spoke of flour, of debts, and of a girl called Ines.",
        ),
        3,
    ),
    (
        (
            "“You will want a coat,” said Mr. Hale.",
            "“I have one,” said the boy.",
            "“That is a blanket with sleeves.”",
            "Glass is made of sand, soda and lime, melted at about 1,500 degrees.",
            "The melt is poured on molten tin, where it spreads into a level sheet.",
            "It cools for hours so that no strain stays in it.",
        ),
        3,
    ),
    (
        (
            "The council met on Monday to vote on the new bridge.",
            "Two summers later the orchard bore its first pears.",
            "They were small and hard, and nobody but the wasps would touch them.",
            "My grandmother stewed them with cloves all the same.",
        ),
        1,
    ),
    (
        (
            "The survey covered 212 farms in four valleys.",
            "Each was visited in spring and again after the harvest.",
            "Yields fell where the soil was thin.",
            "Where it was deep they rose by a tenth.",
            "The differences held when the rain of both years was allowed for.",
            "Captain Orr had never believed in maps.",
            "He steered by the colour of the water.",
        ),
        5,
    ),
)
"""For a model too small to follow an instruction alone: units, and which of them differs. They are
made up; the answers stand at different places."""
EXAMPLE_START = 41

Choose = Callable[[int, Sequence[str]], int | None]
"""The number of the first unit shown and the units; the number of the one where the content
changes, None where no answer could be made out."""


def units(text: str) -> tuple[str, list[Span]]:
    """What a text is shown by, ``paragraph`` or ``sentence``, and where these stand."""
    found = paragraphs(text)
    return ("paragraph", found) if len(found) >= LEAST else ("sentence", sentences(text))


def blocks(texts: Sequence[str], choose: Choose) -> Drawn[Span]:
    """The chunks of a text given by its units, as spans of them.

    A window is what stays below the limit, one unit at least. An answer counts if it names a unit
    of the window but not its first; otherwise the chunk ends with the window, a fallback. A unit
    that is a window of its own is a chunk, and nobody is asked. The next window begins with the
    next chunk.
    """
    words = [NUMBER_WORDS + len(text.split()) for text in texts]
    found: list[Span] = []
    fallbacks = first = 0
    while len(texts) - first >= LEAST:
        after = first + 1
        while after < len(texts) and round(TOKENS_A_WORD * sum(words[first : after + 1])) < LIMIT:
            after += 1
        chosen = after
        if after > first + 1:
            answer = choose(first, texts[first:after])
            if answer is not None and first < answer < after:
                chosen = answer
            else:
                fallbacks += 1
        found.append((first, chosen))
        first = chosen
    if first < len(texts):
        found.append((first, len(texts)))
    return Drawn(found, fallbacks)


def last(text: str) -> list[Span]:
    """What LumberChunker is worth without a language model: cut at the last candidate of every
    window, which a model that prefers late ones comes near to."""
    return _cut(text, lambda first, shown: first + len(shown) - 1)


def at_random(text: str, *, draw: int) -> list[Span]:
    """The same, cut at a candidate of each window, every one as likely; the same draw gives a text
    the same ones."""
    random = generator(draw, text)
    return _cut(text, lambda first, shown: first + int(random.integers(1, len(shown))))


def _cut(text: str, choose: Choose) -> list[Span]:
    _, spans = units(text)
    found = blocks([text[start:end] for start, end in spans], choose)
    return [(spans[first][0], spans[after - 1][1]) for first, after in found]


def request(model: str, unit: str, first: int, shown: Sequence[str]) -> Request:
    """What the model is asked about a window.

    One that runs here is small: it is shown examples, and held to the answers there are.
    """
    task = INSTRUCTION.format(unit=unit)
    if not runs_here(model):
        text = f"{task}\n{document(first, shown)}"
        return Request(model, (Message("user", text),), REPLY)
    examples = [
        (document(EXAMPLE_START, texts), _answer(EXAMPLE_START + change))
        for texts, change in EXAMPLES
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
    found = [match for line in lines if (match := ANSWER.fullmatch(line))]
    if len(found) != 1 or not ANSWER.fullmatch(lines[-1]):
        return None
    return int(found[0][1])


def _answer(number: int) -> str:
    return f"Answer: ID {number}"
