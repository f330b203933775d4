"""A collection in numbers, which the study keeps, so that a page tells them without its texts; and
a question with the text that was found for it, what is judged to answer it marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import pandas as pd
from IPython.display import HTML

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Collection, Document, Judgment, Span
from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs import facts
from chunkstudy.study import titles
from chunkstudy.study.tables import Table

SHOWN = ("part", "documents", "characters", "tokens", "queries", "excerpts")
ONCE = {"documents", "characters", "tokens", "queries", "excerpts",
        "excerpts_that_stand_more_than_once"}  # fmt: skip
"""Counts that add up over parts."""
AROUND = 160
"""Characters shown on either side of what is judged, and of a chunk that holds nothing judged."""
MARK = '<mark style="background: #ffe08a; color: black">{}</mark>'
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True)
class ShownCollection:
    """A collection of a study."""

    places: Places = field(repr=False)
    name: str
    fresh: bool = False

    def __post_init__(self) -> None:
        registry.find(self.name)

    def load(self) -> Collection:
        """Its documents, questions and judgments."""
        return load_collection(self.name)

    def counts(self) -> pd.DataFrame:
        """A row a part: documents, characters, tokens, questions, excerpts."""
        kept = pd.DataFrame() if self.fresh else facts.read(self.places, f"{self.name}_counts")
        counts = facts.counts(self.load()) if kept.empty else kept
        part = counts["part"].str.partition("/")[0]
        sums = counts.assign(part=part, documents=1).groupby("part", sort=False)
        return (
            sums[[name for name in counts.assign(documents=1) if name in ONCE]].sum().reset_index()
        )

    def parts(self) -> Mapping[str, str]:
        """By question, the part that it is asked of; none where that is the whole collection."""
        task = registry.find(self.name).task
        if task == "in_corpus" or (task == "in_document" and self.name not in facts.IN_PARTS):
            return {}
        kept = pd.DataFrame() if self.fresh else facts.read(self.places, self.name)
        if kept.empty:
            return self.load().groups
        return dict(zip(kept["query_id"], kept["part"], strict=True))

    def question(self, number: int = 0) -> HTML:
        """A question and its excerpts, marked in their surroundings."""
        return question(self.load(), number)

    def _repr_html_(self) -> str:
        counts = self.counts()
        return Table.of(counts[[name for name in SHOWN if name in counts]]).html()


def question(collection: Collection, number: int) -> HTML:
    """A question by its place in the collection, and each of its excerpts in its surroundings."""
    asked = collection.queries[number]
    texts = {document.id: document for document in collection.documents}
    judged = collection.judgments_by_query()[asked.id]
    shown = []
    for judgment in judged:
        document = texts[judgment.document]
        span = (max(0, judgment.start - AROUND), min(len(document.text), judgment.end + AROUND))
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
    cut = escape(titles.shown("chunker", chunker))
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
    first = max(start, min(low for low, _ in inside) - AROUND)
    last = min(end, max(high for _, high in inside) + AROUND)
    return marked(document, (first, last), judged)


def _inside(document: Document, span: Span, judged: Sequence[Judgment]) -> list[Span]:
    """What is judged of a span."""
    start, end = span
    return [
        (max(start, judgment.start), min(end, judgment.end))
        for judgment in judged
        if judgment.document == document.id and judgment.start < end and start < judgment.end
    ]


def _name(document: Document) -> str:
    return escape(titles.shown("part", document.id))
