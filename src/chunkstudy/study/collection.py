"""A collection in numbers, which the study keeps, so that a page tells them without its texts; and
a question with the text that was found for it, what is judged to answer it marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

import pandas as pd
from IPython.display import HTML

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Collection, Span
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

    def counts(self) -> pd.DataFrame:
        """A row a part: documents, characters, tokens, questions, excerpts."""
        kept = pd.DataFrame() if self.fresh else facts.read(self.places, f"{self.name}_counts")
        counts = facts.counts(load_collection(self.name)) if kept.empty else kept
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
            return load_collection(self.name).groups
        return dict(zip(kept["query_id"], kept["part"], strict=True))

    def _repr_html_(self) -> str:
        counts = self.counts()
        return Table.of(counts[[name for name in SHOWN if name in counts]]).html()


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
        spans = [(j.start, j.end) for j in judged if j.document == document.id]
        text = marked(document.text, _shortened((row["start"], row["end"]), spans), spans)
        cosine = f"{row['score']:.3f}, " if "score" in row else ""
        name = escape(titles.shown("part", document.id))
        shown.append(f"<li>{cosine}<i>{name}</i>: {text}</li>")
    cut = escape(titles.shown("chunker", chunker))
    head = f"<p><b>{escape(asked.text)}</b></p><p>{cut}; cosine, document, text:</p>"
    return HTML(f"{head}<ol>{''.join(shown)}</ol>")


def marked(text: str, span: Span, judged: Sequence[Span]) -> str:
    """The text of a span as HTML, marked where it is judged; dots where more stands around it."""
    start, end = span
    inside = {at for first, last in judged for at in range(max(start, first), min(end, last))}
    html = ELLIPSIS if start else ""
    for is_judged, places in groupby(range(start, end), inside.__contains__):
        part = escape("".join(text[at] for at in places))
        html += MARK.format(part) if is_judged else part
    return html + ELLIPSIS * (end < len(text))


def _shortened(chunk: Span, judged: Sequence[Span]) -> Span:
    """A chunk around what is judged in it, or its beginning."""
    start, end = chunk
    inside = [span for span in judged if span[0] < end and start < span[1]]
    if not inside:
        return start, min(end, start + AROUND)
    first, last = min(low for low, _ in inside), max(high for _, high in inside)
    return max(start, first - AROUND), min(end, last + AROUND)
