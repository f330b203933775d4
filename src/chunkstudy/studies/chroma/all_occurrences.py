"""What do Chroma's scores change by, where every place of a repeated excerpt is judged?

The rows of the table of all-MiniLM-L6-v2, as published and corrected, scored by the released
judgments and by those of :mod:`chunkstudy.studies.chroma.corrected`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.published.sources import chroma_minilm
from chunkstudy.runs import first_chunks, rankings, records
from chunkstudy.runs.conditions import MINILM, PRE_EMBEDDING, Condition
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.chroma import corrected
from chunkstudy.studies.chroma.models import MINILM_ROWS

COLLECTIONS = ("chroma",)
CHUNKERS = tuple(chroma_minilm(row).chunker for row in MINILM_ROWS)
CUT = 5
LEAST = 1e-9
"""A smaller change of a question's score is none."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``changes``: a row per protocol, chunker and measure: the mean over questions where the
    first place is judged and where all are, fractions, the mean difference with its interval
    (paired, over questions), and of how many questions the score changes."""
    store, rows = context.store(MINILM), []
    for name in collections:
        collection = context.collection(name)
        qrels = corrected.tables(collection)[corrected.QRELS]
        first = qrels[qrels["occurrence"] == 1]
        for protocol in (AS_PUBLISHED_CHROMA, CORRECTED):
            for slug in CHUNKERS:
                condition = Condition(name, slug, MINILM, PRE_EMBEDDING, protocol.name)
                context.say(f"every place of an excerpt: {condition}")
                found = retrieved(context, store, condition)
                released, every = (
                    corrected.scores(judged, collection, found, CUT) for judged in (first, qrels)
                )
                for measure in corrected.MEASURES:
                    difference = statistics.paired_difference(every[measure], released[measure])
                    changed = (every[measure] - released[measure]).abs() > LEAST
                    rows.append(
                        {
                            "protocol": protocol.name,
                            "chunker": slug,
                            "measure": f"{measure}@{CUT}",
                            "first place": round(float(released[measure].mean()), 6),
                            "all places": round(float(every[measure].mean()), 6),
                            "difference": round(difference.mean, 6),
                            "low": round(difference.interval.low, 6),
                            "high": round(difference.interval.high, 6),
                            "questions changed": int(changed.sum()),
                        }
                    )
    return {"changes": pd.DataFrame(rows)}


def retrieved(context: Context, store: VectorStore, condition: Condition) -> pd.DataFrame:
    """The first chunks of every question: those kept beside the study's record, else searched."""
    record = context.places.runs / condition.path
    if (record / "run.json").exists():
        kept = first_chunks.read(context.places, records.read_run(record))
        if kept is not None:
            path = context.places.results / "first_chunks" / f"{condition.path}.parquet"
            context.read(path, f"first_chunks/{condition.path}")
            return kept
    collection, chunks = context.collection(condition.collection), context.chunks(condition, store)
    queries = store.encode([query.text for query in collection.queries], "query")
    vectors = store.encode(chunks.texts(collection.documents), label=condition.chunker)
    return rankings.of_chunks(search(queries, vectors, CUT), chunks)
