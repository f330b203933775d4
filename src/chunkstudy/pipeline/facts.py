"""What tables need to know of a collection without having it: its parts, counts and sizes.

``chunkstudy run`` writes them to ``results/facts`` beside the records.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.collections import covid_qa, registry
from chunkstudy.core import tokens
from chunkstudy.core.files import write_text
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Collection
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans

IN_PARTS = (
    "chroma",
    covid_qa.ALL,
    covid_qa.WITHIN,
    "evidence-inference-within",
    "fairytaleqa-within",
    "qmsum-within",
)
"""Whose queries belong to parts that tables tell apart: corpora, papers, stories, meetings."""
SPANS = ("query", "document", "start", "end")
"""A judged span: indices of query and document, and its characters."""


def read(places: Project, name: str) -> pd.DataFrame:
    """Facts by name, for instance ``chroma`` (query to part), ``chroma_counts`` or
    ``scifact_facts``; an empty frame where no run has written them. Ids are text."""
    path = places.results / "facts" / f"{name}.csv"
    return pd.read_csv(path, dtype={"query_id": str}) if path.exists() else pd.DataFrame()


def every(places: Project) -> pd.DataFrame:
    """What decides how each collection's documents are read, a row a collection."""
    paths = sorted((places.results / "facts").glob("*_facts.csv"))
    tables = [read(places, path.stem) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def write(collection: Collection, places: Project) -> None:
    """Write all that is known of a collection of the study: query id to part and the counts of each
    part; Chroma's judged spans, of whose records the first chunks are kept (``rescore``); what
    decides how documents are read."""
    name, tables = collection.name, {}
    if name in IN_PARTS:
        parts = collection.groups.items()
        tables[name] = pd.DataFrame(parts, columns=["query_id", "part"])
        tables[f"{name}_counts"] = counts(collection)
    if name == "chroma":
        spans = JudgedSpans.of(collection)
        columns = {column: getattr(spans, column) for column in SPANS}
        tables[f"{name}_judgments"] = pd.DataFrame(columns)
    if registry.find(name).task != "token_overlap":
        tables[f"{name}_facts"] = facts(collection)
    for called, table in tables.items():
        text = table.to_csv(index=False, lineterminator="\n")
        write_text(places.results / "facts" / f"{called}.csv", text)


def judged(places: Project, name: str) -> JudgedSpans | None:
    """A collection's judged spans without its texts; None where no run has written them."""
    spans, parts = read(places, f"{name}_judgments"), read(places, name)
    if spans.empty or parts.empty:
        return None
    columns = (spans[name].to_numpy(np.int64) for name in SPANS)
    return JudgedSpans(len(parts), *columns)


def facts(collection: Collection) -> pd.DataFrame:
    """One row: counts, WordPiece tokens, and how many documents are empty, long or in parts."""
    texts = [document.text for document in collection.documents]
    lengths = pd.Series(tokens.counter("wordpiece").count_many(texts))
    ids = {document.id for document in collection.documents}
    return pd.DataFrame(
        [
            {
                "collection": collection.name,
                "documents": len(texts),
                "distinct documents": len(set(texts)),
                "empty documents": sum(not text.strip() for text in texts),
                "documents of several paragraphs": sum(len(paragraphs(t)) > 1 for t in texts),
                "wordpiece_tokens": int(lengths.sum()),
                "longest": int(lengths.max()),
                "longer than 126 tokens": int((lengths > 126).sum()),
                "longer than 254 tokens": int((lengths > 254).sum()),
                "longer than 510 tokens": int((lengths > 510).sum()),
                "queries": len(collection.queries),
                "queries that are documents": sum(q.id in ids for q in collection.queries),
                "judgments": len(collection.judgments),
                "judged but absent": len(collection.absent),
            }
        ]
    )


def counts(collection: Collection) -> pd.DataFrame:
    """A row per document: characters, tokens (cl100k and WordPiece), queries, excerpts."""
    rows = []
    cl100k, wordpiece = tokens.counter("cl100k"), tokens.counter("wordpiece")
    for document in collection.documents:
        judged = [j for j in collection.judgments if j.document == document.id]
        repeated = sum(document.text.count(document.text[j.start : j.end]) > 1 for j in judged)
        rows.append(
            {
                "part": document.id,
                "characters": len(document.text),
                "tokens": cl100k.count(document.text),
                "wordpiece_tokens": wordpiece.count(document.text),
                "queries": len({j.query for j in judged}),
                "excerpts": len(judged),
                "mean_excerpt_characters": round(
                    sum(j.end - j.start for j in judged) / max(1, len(judged)), 1
                ),
                "excerpts_that_stand_more_than_once": repeated,
                "queries_with_the_word_and": sum(
                    " and " in q.text.lower()
                    for q in collection.queries
                    if collection.groups.get(q.id) == document.id
                ),
            }
        )
    return pd.DataFrame(rows)
