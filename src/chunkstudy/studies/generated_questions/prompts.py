"""What a model is told: rules, an oath, one example, a passage of a document, and what was asked
before.

The rules, the oath and the form of the reply are the report's (Appendix, Synthetic Dataset Prompt);
the other words and the example are this project's. What is drawn a key decides, the same on every
machine and under every Python (synthetic_evaluation.py, _extract_question_and_references).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from chunkstudy.base.spans import Document, Span
from chunkstudy.llm.interface import Message, conversation

EARLIER = 50
"""Earlier questions shown at most, as the report says."""
MOST_EXCERPTS = 5
Item = TypeVar("Item")

OATH = (
    "I will not use the word 'and' in the question unless it is part of a proper noun. I will also "
    "make sure the question is concise."
)
"""Models kept to the rule only once they had to say this first (report, Appendix)."""
NO_AND = "Do not use the word 'and' in the question unless it is part of a proper noun."
RULES = f"""You write questions that test a search engine. You are shown a text; write one \
question that it answers.

Reply with one JSON object and nothing else. It has three fields:
'oath': the oath below, word for word.
'question': the question. It asks for facts that the text states, and nothing but the passages \
you give is needed to answer it. It is about one topic and so specific that no other text would \
answer it.
'references': a list of the passages of the text that together answer it. Copy each of them letter \
by letter, in whole sentences where you can.

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
    """

    model: str
    questions: int
    seed: int = 0
    characters: int = 4_000
    attempts: int = 10
    output_limit: int = 600
    temperature: float = 1.0


def draw(document: Document, characters: int, key: str) -> Span:
    """So many characters anywhere in the document, all of them where it is shorter."""
    room = len(document.text) - characters
    start = number(f"{key}/slice", room + 1) if room > 0 else 0
    return start, min(start + characters, len(document.text))


def number(key: str, below: int) -> int:
    """One of 0 to ``below`` - 1, all as likely."""
    return int.from_bytes(_digest(key)) % below


def sample(key: str, items: Sequence[Item], size: int) -> list[Item]:
    """``size`` of the items, or all if they are fewer, in an order drawn as well."""
    order = sorted(range(len(items)), key=lambda i: _digest(f"{key}/{i}"))
    return [items[i] for i in order[:size]]


def messages(text: str, earlier: Sequence[str]) -> tuple[Message, ...]:
    """What is asked about a passage of a document."""
    reply = {"oath": OATH, "question": EXAMPLE_QUESTION, "references": [EXAMPLE_PASSAGE]}
    example = _about(EXAMPLE, EXAMPLE_ASKED), json.dumps(reply, ensure_ascii=False)
    return conversation(RULES, [example], _about(text, earlier))


def _about(text: str, earlier: Sequence[str]) -> str:
    asked = "\n".join(earlier) or "none"
    return f"Text:\n{text}\n\nQuestions asked before:\n{asked}\n\n{LAST}"


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", errors="surrogatepass")).digest()
