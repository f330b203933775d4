"""What an evaluation rests on, to be cited: digests, versions, and the record of every arm.

Nothing stands in it that varies from run to run, so the same texts, chunkers and weights leave the
same bytes, and their digest names the evaluation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from chunkstudy.base.files import json_text
from chunkstudy.commands.evaluate.running import Ran
from chunkstudy.commands.evaluate.texts import Texts

FILE, RUNS = "evaluation.json", "runs"
SCHEMA = 1


def describe(
    texts: Texts, ran: Sequence[Ran], notes: Sequence[str], measures: Sequence[str], seed: int
) -> dict[str, Any]:
    """The record; ``sha256`` is that of all the rest."""
    first = ran[0].outcome.run
    content: dict[str, Any] = {
        "schema_version": SCHEMA,
        "collection": {
            "name": texts.collection.name,
            "task": texts.task,
            "documents": len(texts.collection.documents),
            "questions": len(texts.collection.queries),
            "judgments": len(texts.collection.judgments),
            "sha256": first.collection_sha256,
            "order_free_sha256": first.collection_order_free_sha256,
        },
        "left_out": list(notes),
        "measures": list(measures),
        "seed": seed,
        "arms": [_arm(one) for one in ran],
        "packages": first.packages,
        "python": first.python,
        "platform": first.platform,
    }
    return content | {"sha256": hashlib.sha256(json_text(content).encode()).hexdigest()}


def _arm(one: Ran) -> dict[str, Any]:
    run = one.outcome.run
    return {
        **one.arm.keys,
        "chunker_from": one.arm.chunker.package,
        "chunks_sha256": run.chunks_sha256,
        "per_query_sha256": run.per_query_sha256,
        "model": run.model,
        "tokens_encoded": one.tokens,
        "run": f"{RUNS}/{one.arm.condition.path.as_posix()}/run.json",
    }
