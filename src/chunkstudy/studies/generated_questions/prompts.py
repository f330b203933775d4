"""What a model is told: rules, an oath, one example, a passage of a document, and what was asked
before.

The rules, the oath and the form of the reply are the report's (Appendix, Synthetic Dataset Prompt);
the other words and the example are this project's. What is drawn a key decides, the same on every
machine and under every Python (synthetic_evaluation.py, _extract_question_and_references,
_tag_text and _extract_question_and_approx_references).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from chunkstudy.base.spans import Document, Span
from chunkstudy.llm.interface import Message

Variant = Literal["exact", "approximate"]
"""Whether excerpts are quoted, or named by the numbers of the pieces that hold them."""
EARLIER = 50
"""Earlier questions shown at most, as the report says."""
MOST_EXCERPTS = 5
PIECE = 100
"""Characters of a piece."""
Item = TypeVar("Item")

OATH = (
    "I will not use the word 'and' in the question unless it is part of a proper noun. I will also "
    "make sure the question is concise."
)
"""Models kept to the rule only once they had to say this first (report, Appendix)."""
QUOTED = (
    "a list of the passages of the text that together answer it. Copy each of them letter by "
    "letter, in whole sentences where you can."
)
NUMBERED = (
    "a list of the passages of the text that together answer it, each an object with 'content': "
    "the passage, 'start_chunk': the number of the chunk that it begins in, 'end_chunk': the "
    "number of the chunk that it ends in. The text is shown in numbered chunks."
)
NO_AND = "Do not use the word 'and' in the question unless it is part of a proper noun."
RULES = f"""You write questions that test a search engine. You are shown a text; write one \
question that it answers.

Reply with one JSON object and nothing else. It has three fields:
'oath': the oath below, word for word.
'question': the question. It asks for facts that the text states, and nothing but the passages \
you give is needed to answer it. It is about one topic and so specific that no other text would \
answer it.
'references': {{references}}

Give at most {MOST_EXCERPTS} passages. Do not ask what was asked before. {NO_AND}

The oath: {OATH}"""
LAST = (
    "Write another question than these, with its passages, as one JSON object with the oath. "
    f"{NO_AND}"
)
EXAMPLE = (
    "The ferry Linnet was launched at Orby in 1931. She carried 240 passengers in summer, but only "
    "90 in winter, when the upper deck was closed. In 1958 a new diesel engine raised her speed to "
    "eleven knots. She was sold in 1974 for the price of her brass."
)
EXAMPLE_ASKED = ("In which year was the ferry Linnet launched?",)
EXAMPLE_QUESTION = "How many passengers could the ferry Linnet carry?"
EXAMPLE_PASSAGE = (
    "She carried 240 passengers in summer, but only 90 in winter, when the upper deck was closed."
)


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """What decides the requests, beside the documents.

    Attributes:
        model: whom to ask, provider and name.
        questions: how many to try for.
        characters: of a document shown at once.
        attempts: replies asked for at most until a question is given up. The official code asks
            until one can be used.
        output_limit: tokens a reply may have.
        temperature: the official code names none, and 1 is what its server then takes.

    Raises:
        ValueError: if there is no such variant, or a number is too small.
    """

    model: str
    questions: int
    variant: Variant = "exact"
    seed: int = 0
    characters: int = 4_000
    attempts: int = 10
    output_limit: int = 600
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if self.variant not in get_args(Variant):
            raise ValueError(
                f"unknown variant {self.variant!r}; use {' or '.join(get_args(Variant))}"
            )
        for name in ("questions", "characters", "attempts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; use 1 or more")


@dataclass(frozen=True, slots=True)
class Passage:
    """``document.text[start:start + len(text)]``, which is ``text``."""

    document: Document
    start: int
    text: str


def draw(document: Document, characters: int, key: str) -> Passage:
    """A slice of so many characters anywhere in the document, all of it where it is shorter."""
    room = len(document.text) - characters
    start = number(f"{key}/slice", room + 1) if room > 0 else 0
    return Passage(document, start, document.text[start : start + characters])


def pieces(text: str) -> list[Span]:
    """Pieces of at most 100 characters that end after a blank where they hold one; they follow each
    other without a gap. In the approximate variant excerpts are named by their numbers."""
    spans: list[Span] = []
    start = 0
    while start < len(text):
        end = min(start + PIECE, len(text))
        if end < len(text) and (blank := text.rfind(" ", start, end)) >= 0:
            end = blank + 1
        spans.append((start, end))
        start = end
    return spans


def number(key: str, below: int) -> int:
    """One of 0 to ``below`` - 1, all as likely."""
    return int.from_bytes(_digest(key)) % below


def sample(key: str, items: Sequence[Item], size: int) -> list[Item]:
    """``size`` of the items, or all if they are fewer, in an order drawn as well."""
    order = sorted(range(len(items)), key=lambda i: _digest(f"{key}/{i}"))
    return [items[i] for i in order[:size]]


def messages(text: str, earlier: Sequence[str], variant: Variant) -> tuple[Message, ...]:
    """What is asked about a passage of a document."""
    rules = RULES.format(references=QUOTED if variant == "exact" else NUMBERED)
    return (
        Message("system", rules),
        Message("user", _about(EXAMPLE, EXAMPLE_ASKED, variant)),
        Message("assistant", _example(variant)),
        Message("user", _about(text, earlier, variant)),
    )


def _about(text: str, earlier: Sequence[str], variant: Variant) -> str:
    shown = text
    if variant == "approximate":
        shown = "".join(
            f"<start_chunk_{i}>{text[start:end]}<end_chunk_{i}>"
            for i, (start, end) in enumerate(pieces(text))
        )
    asked = "\n".join(earlier) or "none"
    return f"Text:\n{shown}\n\nQuestions asked before:\n{asked}\n\n{LAST}"


def _example(variant: Variant) -> str:
    passage: object = EXAMPLE_PASSAGE
    if variant == "approximate":
        start = EXAMPLE.index(EXAMPLE_PASSAGE)
        held = [
            i
            for i, (first, last) in enumerate(pieces(EXAMPLE))
            if first < start + len(EXAMPLE_PASSAGE) and start < last
        ]
        passage = {"content": passage, "start_chunk": held[0], "end_chunk": held[-1]}
    reply = {"oath": OATH, "question": EXAMPLE_QUESTION, "references": [passage]}
    return json.dumps(reply, ensure_ascii=False)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", errors="surrogatepass")).digest()
