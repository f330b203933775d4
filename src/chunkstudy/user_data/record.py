"""What an evaluation rests on, to be cited: digests, versions, and the record of every system.

Nothing stands in it that varies from run to run, so the same texts, chunkers and weights leave the
same bytes, and their digest names the evaluation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.core.files import json_text
from chunkstudy.evaluation import trec
from chunkstudy.evaluation.measures.excerpts import HIT
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.pipeline import records
from chunkstudy.pipeline.environment import PACKAGES, describe_environment
from chunkstudy.pipeline.export import QRELS
from chunkstudy.user_data.pipeline import Pipeline, Result
from chunkstudy.user_data.question_identity import identify_questions, printable_id
from chunkstudy.user_data.systems import labels

RUNS = "trec"
SCHEMA = 3
FIRST_ACCEPTED = "first_accepted"
ADDED = ("sha256", FIRST_ACCEPTED)
"""Entries of a record that its digest leaves out."""


def scores_digest(scores: pd.Series) -> str:
    """Return the sha256 of one system's scores by printable id, whatever their order."""
    lines = sorted(f"{printable_id(str(id_))}\t{float(score)!r}" for id_, score in scores.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def describe(
    pipeline: Pipeline,
    results: Sequence[Result],
    notes: Sequence[str],
    warnings: Sequence[str],
    *,
    tolerance: float,
    seed: int,
) -> dict[str, Any]:
    """The record; ``sha256`` is that of all the rest."""
    collection = pipeline.collection
    content: dict[str, Any] = {
        "schema_version": SCHEMA,
        "collection": {
            "name": collection.name,
            "task": pipeline.texts.task,
            "documents": len(collection.documents),
            "questions": len(collection.queries),
            "judgments": len(collection.judgments),
            "sha256": collection.digest(),
            "order_free_sha256": collection.order_free_digest(),
        },
        "left_out": list(notes),
        "warnings": list(warnings),
        "measures": list(pipeline.measures),
        "read": pipeline.setting,
        "tolerance": float(tolerance),
        "seed": seed,
        "arms": [_describe(result, pipeline.measures[0]) for result in results],
        "columns": labels([result.system.keys for result in results]),
        "questions": {
            id_: asdict(identity) for id_, identity in identify_questions(pipeline.texts).items()
        },
        **describe_environment(PACKAGES),
    }
    return content | {"sha256": content_digest(content)}


def content_digest(record: dict[str, Any]) -> str:
    """Return the sha256 of a record, without what is added to it when a gate accepts it."""
    content = {key: value for key, value in record.items() if key not in ADDED}
    return hashlib.sha256(json_text(content).encode()).hexdigest()


def _describe(result: Result, measure: str) -> dict[str, Any]:
    index = result.index
    return {
        **result.system.keys,
        "chunker_from": result.system.chunker.package,
        "chunks": len(index),
        "chunks_sha256": index.digest(),
        "fallbacks": index.matched.fallbacks,
        "per_query_sha256": records.scores_sha256(result.scores),
        "deciding_scores_sha256": scores_digest(result.scores[measure]),
        "model": result.model,
        "tokens_encoded": result.tokens,
        **({"reranker": by.described} if (by := result.system.retriever.reranker) else {}),
        "run": f"{RUNS}/{result.system.files}",
    }


def write_rankings(folder: Path, pipeline: Pipeline, results: Sequence[Result]) -> None:
    """Runs and qrels: documents of every system, and chunks, whose judgments are the system's own,
    where excerpts are judged."""
    collection = pipeline.collection
    for stale in (folder / RUNS).glob("*.*"):  # of an evaluation of other systems, before
        if stale.suffix in (".run", ".qrels"):
            stale.unlink()
    copies = [
        (copy.query, copy.document, copy.grade)
        for places in pipeline.texts.copies.values()
        for copy in places
    ]
    judged = dict.fromkeys([*trec.of_documents(collection), *copies])
    trec.write_qrels(folder / RUNS / QRELS, judged)
    for result in results:
        base, returned, hits = folder / RUNS / result.system.files, None, None
        if pipeline.texts.task == "token_overlap":
            returned = result.index.returned
            hits = TokenOverlap.of(result.judged, returned, HIT).hit_pairs
        trec.write_rankings(base, collection, result.ranking, returned, hits)
