"""Your own chunker as a row beside the others."""

from __future__ import annotations

import pandas as pd

from chunkstudy.base import places as project
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers.own import OwnChunker, checked
from chunkstudy.evaluation import statistics
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.run import Outcome, evaluate, load_collection, load_store

BESIDE = ("recursive-200-0", "recursive-400-200", "token-200-0", "cluster-200")


def compare(
    chunker: OwnChunker,
    name: str = "mine",
    collection: str = "builtin",
    beside: tuple[str, ...] = BESIDE,
    encoder: str = MINILM,
) -> pd.DataFrame:
    """Score a function of yours and some known chunkers on one collection.

    ``chunker(text)`` returns ``(start, end)`` pairs or strings, which are located in their order.
    Measures are fractions, those of the corrected protocol; ``low`` and ``high`` bound the mean
    recall's 95% bootstrap interval over queries.

    Raises:
        ChunkerError: naming the document, if the function fails on it.
        SpanError: naming the document, if a span does not fit it.
    """
    documents = load_collection(collection)
    store = load_store(encoder, project.find().vectors)
    own = checked(chunker, documents.documents)
    rows = []
    for slug in (name, *beside):
        mine = slug == name
        condition = Condition(
            collection, BESIDE[0] if mine else slug, encoder, "pre_embedding", CORRECTED.name
        )
        rows.append(_row(slug, evaluate(condition, documents, store, own if mine else None)))
    return pd.DataFrame(rows)


def _row(name: str, outcome: Outcome) -> dict[str, object]:
    wide = outcome.scores.sort_index()
    low, high = statistics.bootstrap_interval(wide["SpanRecall@5"])
    return {
        "chunker": name,
        "chunks": outcome.run.counts.chunks,
        "mean_tokens": outcome.run.sizes["cl100k"].mean,
        **{
            measure: float(wide[measure].mean())
            for measure in ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5", "PrecisionOmega")
        },
        "low": low,
        "high": high,
    }
