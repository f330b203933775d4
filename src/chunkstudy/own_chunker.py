"""Your own chunker as a row beside the others."""

from __future__ import annotations

import io

import pandas as pd

from chunkstudy import places as project
from chunkstudy import statistics
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.run import Outcome, evaluate, load_collection, load_store
from chunkstudy.protocols import CORRECTED
from chunkstudy.spans import Chunker

BESIDE = ("recursive-200-0", "recursive-400-200", "token-200-0", "cluster-200")


def compare(
    chunker: Chunker,
    name: str = "mine",
    collection: str = "builtin",
    beside: tuple[str, ...] = BESIDE,
) -> pd.DataFrame:
    """Score ``f(text) -> [(start, end), ...]`` and some known chunkers on one collection.

    Measures are those of the corrected protocol with all-MiniLM-L6-v2, in percent; recall comes
    with its 95% bootstrap interval over queries.
    """
    documents = load_collection(collection)
    store = load_store(MINILM, project.find().vectors)
    rows = []
    for slug in (name, *beside):
        own = slug == name
        condition = Condition(
            collection, "recursive-200-0" if own else slug, MINILM, "pre_embedding", CORRECTED.name
        )
        rows.append(_row(slug, evaluate(condition, documents, store, chunker if own else None)))
    return pd.DataFrame(rows)


def _row(name: str, outcome: Outcome) -> dict[str, object]:
    wide = pd.read_csv(io.StringIO(outcome.scores), dtype={"query_id": str}).pivot(
        index="query_id", columns="measure", values="value"
    )
    low, high = statistics.bootstrap_interval(wide["SpanRecall@5"])
    return {
        "chunker": name,
        "chunks": outcome.run.counts.chunks,
        "mean tokens": round(outcome.run.sizes["cl100k"].mean, 1),
        **{
            measure: round(100 * float(wide[measure].mean()), 1)
            for measure in ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5", "PrecisionOmega")
        },
        "recall interval": f"[{100 * low:.1f}, {100 * high:.1f}]",
    }
