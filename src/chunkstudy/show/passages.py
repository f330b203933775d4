"""A question, and the text that was found for it, with what is judged to answer it marked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
from IPython.display import HTML

from chunkstudy.base.spans import Collection, Document, Judgment, Span
from chunkstudy.runs import display_names

AROUND = 160
"""Characters shown on either side of what is judged, and of a chunk that holds nothing judged."""
MARK = '<mark style="background: #ffe08a; color: black">{}</mark>'
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def question(collection: Collection, number: int) -> HTML:
    """A question by its place in the collection, and each of its excerpts in its surroundings."""
    asked = collection.queries[number]
    texts = {document.id: document for document in collection.documents}
    judged = collection.judgments_by_query()[asked.id]
    shown = []
    for one in judged:
        document = texts[one.document]
        span = (max(0, one.start - AROUND), min(len(document.text), one.end + AROUND))
        shown.append(f"<li><i>{_name(document)}</i>: {marked(document, span, judged)}</li>")
    return HTML(f"<p><b>{escape(asked.text)}</b></p><ul>{''.join(shown)}</ul>")


def hits(collection: Collection, number: int, ranking: pd.DataFrame, k: int, chunker: str) -> HTML:
    """The first chunks of a question.

    Args:
        ranking: ``query, document, start, end`` and, where it is kept, ``score``.
    """
    asked = collection.queries[number]
    judged = collection.judgments_by_query()[asked.id]
    shown = []
    for row in ranking[ranking["query"] == number].head(k).to_dict("records"):
        document = collection.documents[row["document"]]
        text = _shortened(document, (row["start"], row["end"]), judged)
        cosine = f"{row['score']:.3f}, " if "score" in row else ""
        shown.append(f"<li>{cosine}<i>{_name(document)}</i>: {text}</li>")
    cut = escape(display_names.shown("chunker", chunker))
    head = f"<p><b>{escape(asked.text)}</b></p><p>{cut}; cosine, document, text:</p>"
    return HTML(f"{head}<ol>{''.join(shown)}</ol>")


def marked(document: Document, span: Span, judged: Sequence[Judgment]) -> str:
    """The text of a span as HTML, marked where it is judged; dots where more stands around it."""
    start, end = span
    parts, at = [ELLIPSIS if start else ""], start
    for first, last in sorted(_inside(document, span, judged)):
        parts += [escape(document.text[at : max(at, first)])]
        if last > max(at, first):
            parts += [MARK.format(escape(document.text[max(at, first) : last]))]
        at = max(at, last)
    return "".join([*parts, escape(document.text[at:end]), ELLIPSIS * (end < len(document.text))])


def _shortened(document: Document, chunk: Span, judged: Sequence[Judgment]) -> str:
    """A chunk around what is judged in it, or its beginning."""
    start, end = chunk
    inside = _inside(document, chunk, judged)
    if not inside:
        return marked(document, (start, min(end, start + AROUND)), judged)
    first = max(start, min(one for one, _ in inside) - AROUND)
    last = min(end, max(one for _, one in inside) + AROUND)
    return marked(document, (first, last), judged)


def _inside(document: Document, span: Span, judged: Sequence[Judgment]) -> list[Span]:
    """What is judged of a span."""
    start, end = span
    return [
        (max(start, one.start), min(end, one.end))
        for one in judged
        if one.document == document.id and one.start < end and start < one.end
    ]


def _name(document: Document) -> str:
    return escape(display_names.shown("part", document.id))
