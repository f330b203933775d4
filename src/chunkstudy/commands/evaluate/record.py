"""What an evaluation rests on, to be cited: digests, versions, and the record of every arm.

Nothing stands in it that varies from run to run, so the same texts, chunkers and weights leave the
same bytes, and their digest names the evaluation.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from chunkstudy.base.files import json_text
from chunkstudy.collections.own_documents import EVALUATION
from chunkstudy.commands.evaluate.running import Ran
from chunkstudy.commands.evaluate.scores import HIT, Asked
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.evaluation import trec
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.runs import records
from chunkstudy.runs.run import PACKAGES

FILE, RUNS = EVALUATION, "trec"
QRELS = "documents.qrels"
SCHEMA = 2


def describe(
    texts: Texts, ran: Sequence[Ran], notes: Sequence[str], asked: Asked, seed: int
) -> dict[str, Any]:
    """The record; ``sha256`` is that of all the rest."""
    collection = texts.collection
    content: dict[str, Any] = {
        "schema_version": SCHEMA,
        "collection": {
            "name": collection.name,
            "task": texts.task,
            "documents": len(collection.documents),
            "questions": len(collection.queries),
            "judgments": len(collection.judgments),
            "sha256": collection.digest(),
            "order_free_sha256": collection.order_free_digest(),
        },
        "left_out": list(notes),
        "measures": list(asked.measures),
        "seed": seed,
        "arms": [_arm(one) for one in ran],
        "packages": {name: version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
    return content | {"sha256": hashlib.sha256(json_text(content).encode()).hexdigest()}


def _arm(one: Ran) -> dict[str, Any]:
    chunks = one.indexed.chunks
    return {
        **one.arm.keys,
        "chunker_from": one.arm.chunker.package,
        "chunks": len(chunks),
        "chunks_sha256": chunks.digest(),
        "fallbacks": chunks.fallbacks,
        "per_query_sha256": records.scores_sha256(one.scores),
        "model": one.model,
        "tokens_encoded": one.tokens,
        "run": f"{RUNS}/{one.arm.files}",
    }


def write_rankings(folder: Path, texts: Texts, ran: Sequence[Ran]) -> None:
    """Runs and qrels: documents of every arm, and chunks, whose judgments are the arm's own, where
    excerpts are judged."""
    collection = texts.collection
    documents = [one.id for one in collection.documents]
    for stale in (folder / RUNS).glob("*.*"):  # of an evaluation of other ways, before
        if stale.suffix in (".run", ".qrels"):
            stale.unlink()
    copies = [(c.query, c.document, c.grade) for some in texts.copies.values() for c in some]
    judged = dict.fromkeys([*trec.of_documents(collection), *copies])
    trec.write_qrels(folder / RUNS / QRELS, judged)
    for one in ran:
        ranking, base, tag = one.ranking, folder / RUNS / one.arm.files, one.arm.files
        if texts.task == "token_overlap":
            returned, _ = one.indexed.returned
            names = trec.chunk_names(collection, returned)
            trec.write_run(Path(f"{base}.chunks.run"), collection, ranking, names, tag)
            hits = TokenOverlap.of(one.judged, returned, HIT).hit_pairs
            pairs = tuple(np.asarray(part).tolist() for part in hits)
            lines = trec.of_chunks(collection, (pairs[0], pairs[1]), names)
            trec.write_qrels(Path(f"{base}.chunks.qrels"), lines)
            ranking = best_of_each(ranking, returned.document)
        trec.write_run(Path(f"{base}.documents.run"), collection, ranking, documents, tag)
