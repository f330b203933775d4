"""Recorded rankings as files that trec_eval and ir-measures read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.base.spans import Collection
from chunkstudy.collections.registry import load_collection
from chunkstudy.evaluation import trec
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.runs import rankings
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library

QRELS = "documents.qrels"


def write_trec(
    folder: Path, conditions: Iterable[Condition], library: Library
) -> tuple[int, list[Condition]]:
    """Write, below a folder by collection, the documents' qrels and every condition's runs: its
    documents and, where chunks are ranked, its chunks with qrels of those that were.

    Returns:
        How many conditions were written, and those whose ranking or collection is not at hand.
    """
    written, missing = 0, []
    for condition in conditions:
        record = library.get(condition)
        ranking = record.ranking() if record else None
        collection = load_collection(condition.collection) if ranking is not None else None
        if (
            record is None
            or ranking is None
            or collection is None
            or collection.digest() != record.run.collection_sha256
        ):
            missing.append(condition)
            continue
        _write(folder / condition.collection, condition, collection, ranking)
        written += 1
    return written, missing


def _write(
    folder: Path, condition: Condition, collection: Collection, ranking: pd.DataFrame
) -> None:
    tag = ".".join((condition.chunker, condition.encoder, condition.ordering, condition.protocol))
    document = ranking["document"].to_numpy(np.int64)
    ids = [entry.id for entry in collection.documents]
    trec.write_qrels(folder / QRELS, trec.of_documents(collection))
    rows = rankings.every_row(len(collection.queries), ranking)
    if "start" in ranking:
        names = trec.chunk_names(collection, rankings.spans(ranking))
        trec.write_run(folder / f"{tag}.chunks.run", collection, rows, names, tag)
        hit = condition.rules.hit
        hits = rankings.hits(ranking, JudgedSpans.of(collection), hit)
        if "relevant" in ranking:  # judged one by one, by the words of a passage
            hits = ranking["relevant"].to_numpy(np.bool_)
        both = (ranking["query"][hits], np.flatnonzero(hits))
        trec.write_qrels(folder / f"{tag}.chunks.qrels", trec.of_chunks(collection, both, names))
    documents = best_of_each(rows, document)
    trec.write_run(folder / f"{tag}.documents.run", collection, documents, ids, tag)
