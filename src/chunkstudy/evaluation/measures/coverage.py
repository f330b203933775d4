"""What chunks show before anybody has asked a question, as shares from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunkstudy.core.spans import Chunks, Document, Span, stripped, union


def outside(documents: Sequence[Document], chunks: Chunks) -> float:
    """The share of the documents' characters, white space aside, that lie in no chunk."""
    total = inside = 0
    for position, document in enumerate(documents):
        total += len("".join(document.text.split()))
        members = chunks.document == position
        spans = zip(chunks.start[members].tolist(), chunks.end[members].tolist(), strict=True)
        for start, end in union(spans):
            inside += len("".join(document.text[start:end].split()))
    return 1 - inside / total if total else 0.0


def broken(
    documents: Sequence[Document], chunks: Chunks, units: Callable[[str], Sequence[Span]]
) -> float:
    """The share of units, such as sentences, that no chunk holds whole, of those that a chunk
    touches, white space at their ends aside; NaN where there is none.

    Args:
        units: spans of a text.
    """
    total = whole = 0
    for position, document in enumerate(documents):
        members = chunks.document == position
        starts, ends = chunks.start[members], chunks.end[members]
        for start, end in units(document.text):
            first, last = stripped(document.text, start, end)
            total += bool(((starts < end) & (ends > start)).any())
            whole += bool(((starts <= first) & (ends >= last)).any())
    return 1 - whole / total if total else float("nan")
