"""A collection in numbers, which the study keeps, so that a page tells them without its texts; and
a question with the text that was found for it, what is judged to answer it marked."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from markupsafe import Markup

from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Collection
from chunkstudy.display import titles
from chunkstudy.display.excerpts import marked, shortened
from chunkstudy.pipeline import facts

ONCE = {"documents", "characters", "tokens", "queries", "excerpts",
        "excerpts_that_stand_more_than_once"}  # fmt: skip
"""Counts that add up over parts."""
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def counts(places: Project, name: str, fresh: bool = False) -> pd.DataFrame:
    """A row a part of a collection: documents, characters, tokens, questions, excerpts; as the
    study keeps them unless they are counted afresh."""
    kept = pd.DataFrame() if fresh else facts.read(places, f"{name}_counts")
    counted = facts.counts(load_collection(name)) if kept.empty else kept
    counted = counted.assign(part=counted["part"].str.partition("/")[0], documents=1)
    sums = counted.groupby("part", sort=False)
    return sums[[column for column in counted if column in ONCE]].sum().reset_index()


def parts(places: Project, name: str, fresh: bool = False) -> Mapping[str, str]:
    """By question, the part of a collection that it is asked of; none where that is all of it."""
    task = registry.find(name).task
    if task == "in_corpus" or (task == "in_document" and name not in facts.IN_PARTS):
        return {}
    kept = pd.DataFrame() if fresh else facts.read(places, name)
    if kept.empty:
        return load_collection(name).groups
    return dict(zip(kept["query_id"], kept["part"], strict=True))


def hits(
    collection: Collection, number: int, ranking: pd.DataFrame, k: int, chunker: str
) -> Markup:
    """The first chunks of a question, as HTML.

    Args:
        ranking: ``query, document, start, end`` and, where it is kept, ``score``.
    """
    asked = collection.queries[number]
    judged = collection.judgments_by_query()[asked.id]
    items = Markup("")
    for row in ranking[ranking["query"] == number].head(k).to_dict("records"):
        document = collection.documents[row["document"]]
        spans = [(j.start, j.end) for j in judged if j.document == document.id]
        start, end = shortened((row["start"], row["end"]), spans)
        items += Markup("<li>{}<i>{}</i>: {}{}{}</li>").format(
            f"{row['score']:.3f}, " if "score" in row else "",
            titles.shown("part", document.id),
            ELLIPSIS if start else "",
            marked(document.text, (start, end), spans),
            ELLIPSIS if end < len(document.text) else "",
        )
    html = Markup("<p><b>{}</b></p><p>{}; cosine, document, text:</p><ol>{}</ol>")
    return html.format(asked.text, titles.shown("chunker", chunker), items)
