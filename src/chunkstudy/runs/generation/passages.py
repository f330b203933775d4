"""What of a document is shown: a slice of it, drawn anew for each attempt, whole or in numbered
pieces. What is drawn a key decides, the same on every machine and under every Python.

Source: synthetic_evaluation.py, _extract_question_and_references, _tag_text and
_extract_question_and_approx_references.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from chunkstudy.base.spans import Document, Span

PIECE = 100
"""Characters of a piece."""
Item = TypeVar("Item")


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
    found: list[Span] = []
    start = 0
    while start < len(text):
        end = min(start + PIECE, len(text))
        if end < len(text) and (blank := text.rfind(" ", start, end)) >= 0:
            end = blank + 1
        found.append((start, end))
        start = end
    return found


def tagged(text: str) -> str:
    """The text with the number of each piece before and after it."""
    return "".join(
        f"<start_chunk_{i}>{text[start:end]}<end_chunk_{i}>"
        for i, (start, end) in enumerate(pieces(text))
    )


def number(key: str, below: int) -> int:
    """One of 0 to ``below`` - 1, all as likely."""
    return int.from_bytes(_digest(key)) % below


def sample(key: str, items: Sequence[Item], size: int) -> list[Item]:
    """``size`` of the items, or all if they are fewer, in an order drawn as well."""
    order = sorted(range(len(items)), key=lambda i: _digest(f"{key}/{i}"))
    return [items[i] for i in order[:size]]


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", errors="surrogatepass")).digest()
