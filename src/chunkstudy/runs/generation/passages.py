"""What of a document is shown: a slice of it, drawn anew for each attempt."""

from __future__ import annotations

from dataclasses import dataclass

from chunkstudy.base.spans import Document
from chunkstudy.runs.generation import draws


@dataclass(frozen=True, slots=True)
class Passage:
    """``document.text[start:start + len(text)]``, which is ``text``."""

    document: Document
    start: int
    text: str


def draw(document: Document, characters: int, key: str) -> Passage:
    """A slice of so many characters anywhere in the document, all of it where it is shorter
    (synthetic_evaluation.py, _extract_question_and_references)."""
    room = len(document.text) - characters
    start = draws.number(f"{key}/slice", room + 1) if room > 0 else 0
    return Passage(document, start, document.text[start : start + characters])
