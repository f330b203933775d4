"""The approximate variant: the text in numbered pieces, and excerpts named by their numbers.

Source: synthetic_evaluation.py, _tag_text and _extract_question_and_approx_references.
"""

from __future__ import annotations

from chunkstudy.base.spans import Span

CHARACTERS = 100


def cut(text: str) -> list[Span]:
    """Pieces of at most 100 characters that end after a blank where they hold one; they follow each
    other without a gap."""
    found: list[Span] = []
    start = 0
    while start < len(text):
        end = min(start + CHARACTERS, len(text))
        if end < len(text) and (blank := text.rfind(" ", start, end)) >= 0:
            end = blank + 1
        found.append((start, end))
        start = end
    return found


def tagged(text: str) -> str:
    """The text with the number of each piece before and after it."""
    return "".join(
        f"<start_chunk_{i}>{text[start:end]}<end_chunk_{i}>"
        for i, (start, end) in enumerate(cut(text))
    )
