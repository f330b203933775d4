"""Recorded rankings as files that trec_eval and ir-measures read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.collections.registry import load_collection
from chunkstudy.core.spans import Collection
from chunkstudy.evaluation import trec
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.pipeline import rankings, records
from chunkstudy.pipeline.conditions import Condition

QRELS = "documents.qrels"


def write_trec(
    folder: Path, conditions: Iterable[Condition], runs: Path
) -> tuple[int, list[Condition]]:
    """Write, below a folder by collection, the documents' qrels and the runs of every condition
    that is recorded below ``runs``: its documents and, where chunks are ranked, its chunks with
    qrels of those that were.

    Returns:
        How many conditions were written, and those whose ranking or collection is not at hand.
    """
    written, missing = 0, []
    for condition in conditions:
        record = records.read(runs, condition)
        ranking = record.ranking()
        if ranking is not None:
            collection = load_collection(condition.collection)
            if collection.digest() == record.run.collection_sha256:
                _write(folder / condition.collection, condition, collection, ranking)
                written += 1
                continue
        missing.append(condition)
    return written, missing


def _write(
    folder: Path, condition: Condition, collection: Collection, ranking: pd.DataFrame
) -> None:
    tag = ".".join((condition.chunker, condition.encoder, condition.ordering, condition.protocol))
    trec.write_qrels(folder / QRELS, trec.of_documents(collection))
    rows = rankings.every_row(len(collection.queries), ranking)
    if "start" not in ranking:
        documents = best_of_each(rows, ranking["document"].to_numpy(np.int64))
        trec.write_rankings(folder / tag, collection, documents)
        return
    asked, spans = ranking["query"].to_numpy(), rankings.spans(ranking)
    if "relevant" in ranking:  # judged one by one, by the words of a passage
        hits = np.flatnonzero(ranking["relevant"])
    else:
        overlap = TokenOverlap.of(collection, spans, condition.rules.hit)
        query, row = overlap.hit_pairs
        hits = np.unique(row[asked[row] == query])
    trec.write_rankings(folder / tag, collection, rows, spans, (asked[hits], hits))
