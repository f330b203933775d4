"""A collection, an encoder and conditions small enough to run in a test."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from chunkstudy.core.files import LOCK, PART
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Collection, Document, Judgment, Query
from chunkstudy.encoders.interface import Role
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.pipeline.records import Outcome
from chunkstudy.pipeline.run import evaluate
from chunkstudy.pipeline.vector_store import VectorStore


def text_keys(texts: Sequence[str], role: Role) -> list[bytes]:
    """A key per text: of the text and its role."""
    return [hashlib.sha256(f"{role}\0{text}".encode()).digest() for text in texts]


class Letters:
    """An encoder that counts letters; ``calls`` shows what it was asked."""

    dimension = 26

    def __init__(self, fail_after: int = 10**9) -> None:
        self.calls = 0
        self.fail_after = fail_after

    def describe(self) -> dict[str, Any]:
        return {"id": "letters"}

    def keys(
        self, texts: Sequence[str], role: Literal["document", "query"] = "document"
    ) -> list[bytes]:
        return text_keys(texts, role)

    def encode(
        self, texts: Sequence[str], role: str = "document", _: str = ""
    ) -> NDArray[np.float32]:
        self.calls += len(texts)
        if self.calls > self.fail_after:
            raise KeyboardInterrupt
        rows = [[text.lower().count(chr(97 + i)) + 1e-3 for i in range(26)] for text in texts]
        vectors = np.asarray(rows, dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


WORDS = ("apple", "bridge", "comet", "dune")
TEXT = " ".join(f"Sentence {word} tells of {word}." for word in WORDS)

SENTENCES = [
    f"The {one} {two} of the {three}." for one in WORDS for two in WORDS for three in WORDS
]
LONG = "\n".join(SENTENCES * 6)
MANY = Collection(
    "builtin",
    tuple(Document(f"d{i}", LONG[200 * i : 200 * i + 4000]) for i in range(8)),
    tuple(Query(f"q{i}", f"{word} of {WORDS[-i]}") for i, word in enumerate(WORDS)),
    tuple(Judgment(f"q{i}", f"d{i}", 500 * i, 500 * i + 300) for i in range(4)),
)
"""Four queries, each with an excerpt, and more chunks than a ranking keeps."""
GRADED = Collection(
    "builtin-graded",
    MANY.documents,
    MANY.queries,
    tuple(Judgment(f"q{i}", f"d{j}", 0, 4000, 1 + (i + j) % 2) for i in range(4) for j in (i, 5)),
)
"""The same, where whole documents are judged."""


def condition(protocol: str = "corrected", collection: str = "builtin") -> Condition:
    return Condition(collection, "recursive-200-0", MINILM, "pre_embedding", protocol)


def outcome(places: Project, one: Condition, collection: Collection) -> Outcome:
    return evaluate(one, collection, VectorStore(Letters(), places.build / "letters"))


def change(
    places: Project, one: Condition, scores: pd.DataFrame | None = None, **fields: Any
) -> None:
    """Write a record anew with other scores, or other fields of its run."""
    record = records.read(places.runs, one)
    run = record.run if scores is None else record.run.with_scores(scores)
    ranking = record.ranking()
    scores = record.scores if scores is None else scores
    run = run.model_copy(update=fields)
    records.write(places.runs, Outcome(run, scores, record.timing, ranking))


def tree(folder: Path) -> dict[str, bytes]:
    """Every whole file below a folder but locks, and seconds, which no digest covers."""
    return {
        path.relative_to(folder).as_posix(): _content(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK and path.suffix != PART
    }


def _content(path: Path) -> bytes:
    if path.name != records.CONDITIONS:
        return path.read_bytes()
    rows = pq.read_table(path).to_pylist()
    told = [{name: row[name] for name in row if not name.startswith("timing.")} for row in rows]
    return json.dumps(told).encode()


def write_record(places: Project, one: Condition, collection: Collection) -> Outcome:
    found = outcome(places, one, collection)
    records.write(places.runs, found)
    return found
