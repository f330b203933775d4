"""What are Chroma's generated questions and excerpts like, counted in the released file?"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.base.spans import Collection
from chunkstudy.collections import chroma
from chunkstudy.runs.grids import WIDE
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context

NAME = "questions"
COLLECTIONS = ("chroma",)


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``counts``, one row over all questions, and ``similarity``, a row per question.

    Raises:
        ValueError: if asked of another collection, which has no such file.
    """
    if tuple(collections) != COLLECTIONS:
        raise ValueError("only Chroma's collection comes with generated questions; take chroma")
    collection = context.collection("chroma")
    released = context.file(chroma.FILES["questions_df.csv"]).read_bytes().decode("utf-8")
    return {
        "counts": counts(collection, released),
        "similarity": similarity(collection, context.store(WIDE)),
    }


def counts(collection: Collection, released: str) -> pd.DataFrame:
    """One row: counts over all questions and excerpts.

    ``and outside of names``: an ``and`` that stands between two words, one of them in lower case.

    Args:
        collection: Chroma's.
        released: the text of its file of questions.
    """
    texts = [query.text for query in collection.queries]
    excerpts = Counter(judgment.query for judgment in collection.judgments)
    source = {document.id: document.text for document in collection.documents}
    shared = sum(
        a.query == b.query and a.document == b.document and a.start < b.end and b.start < a.end
        for i, a in enumerate(collection.judgments)
        for b in collection.judgments[i + 1 :]
    )
    return pd.DataFrame(
        [
            {
                "questions": len(texts),
                "excerpts": len(collection.judgments),
                "excerpts that stand at their offsets": sum(
                    source[row["corpus_id"]][e["start_index"] : e["end_index"]] == e["content"]
                    for row in csv.DictReader(io.StringIO(released, newline=""))
                    for e in json.loads(row["references"])
                ),
                "pairs of excerpts that overlap": shared,
                "most excerpts of a question": max(excerpts.values()),
                "questions of one excerpt": sum(n == 1 for n in excerpts.values()),
                "questions with and": sum(" and " in text.lower() for text in texts),
                "questions with and outside of names": sum(map(chroma.joins_with_and, texts)),
                "mean tokens of a question": float(
                    np.mean(tokens.counter("cl100k").count_many(texts))
                ),
            }
        ]
    )


def similarity(collection: Collection, store: VectorStore) -> pd.DataFrame:
    """Cosine similarity of each question to the least similar of its excerpts, by the store's
    model."""
    source = {document.id: document.text for document in collection.documents}
    asked = store.encode([query.text for query in collection.queries], "query")
    texts = [source[j.document][j.start : j.end] for j in collection.judgments]
    found = store.encode(texts, "document")
    row = {query.id: i for i, query in enumerate(collection.queries)}
    least: dict[str, float] = {}
    for judgment, vector in zip(collection.judgments, found, strict=True):
        value = float(asked[row[judgment.query]] @ vector)
        least[judgment.query] = min(value, least.get(judgment.query, 1.0))
    return pd.DataFrame(
        [
            {
                "query_id": query.id,
                "part": collection.groups[query.id],
                "least similar excerpt": least[query.id],
            }
            for query in collection.queries
        ]
    )
