"""Vectors kept by text digest, so that conditions share them and a killed run resumes.

One SQLite file per encoder; each block is a transaction, so nothing half-written is ever read.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

Role = Literal["document", "query"]
BLOCK = 1024  # texts a transaction


class Encoder(Protocol):
    """What the store asks of an encoder."""

    @property
    def dimension(self) -> int: ...

    def describe(self) -> dict[str, Any]: ...

    def encode(self, texts: Sequence[str], role: Role = "document") -> NDArray[np.float32]: ...


class VectorStore:
    """An encoder that remembers. ``computed`` and ``seconds`` tell what was not remembered."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.encoder = encoder
        self.computed = 0
        self.seconds = 0.0
        key = json.dumps(encoder.describe(), sort_keys=True, default=str)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.sqlite"
        self._database = self._open()

    def encode(
        self, texts: Sequence[str], role: Role = "document", label: str = "encoding"
    ) -> NDArray[np.float32]:
        """Unit vectors of the texts, shape (texts, dimension), float32, in their order."""
        digests = [_digest(text, role) for text in texts]
        known = self._read(digests)
        missing = [i for i in _first_of_each(digests) if digests[i] not in known]
        missing.sort(key=lambda i: len(texts[i]))
        with tqdm(
            total=len(missing), desc=label, unit="text", disable=not sys.stderr.isatty()
        ) as bar:
            for block in (missing[i : i + BLOCK] for i in range(0, len(missing), BLOCK)):
                started = time.perf_counter()
                vectors = self.encoder.encode([texts[i] for i in block], role)
                self.seconds += time.perf_counter() - started
                self.computed += len(block)
                rows = [
                    (digests[i], vector.astype("<f4").tobytes())
                    for i, vector in zip(block, vectors, strict=True)
                ]
                with self._database:
                    self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                known.update((digest, np.frombuffer(blob, "<f4")) for digest, blob in rows)
                bar.update(len(block))
        if not digests:
            return np.zeros((0, self.encoder.dimension), dtype=np.float32)
        return np.stack([known[digest] for digest in digests]).astype(np.float32, copy=False)

    def close(self) -> None:
        self._database.close()

    def _read(self, digests: list[bytes]) -> dict[bytes, NDArray[np.float32]]:
        found: dict[bytes, NDArray[np.float32]] = {}
        unique = list(dict.fromkeys(digests))
        size = 4 * self.encoder.dimension
        for i in range(0, len(unique), 500):
            part = unique[i : i + 500]
            marks = ",".join("?" * len(part))
            for digest, blob in self._database.execute(
                f"SELECT digest, vector FROM vectors WHERE digest IN ({marks})", part
            ):
                if len(blob) == size:
                    found[digest] = np.frombuffer(blob, "<f4")
        return found

    def _open(self) -> sqlite3.Connection:
        try:
            database = sqlite3.connect(self.path, timeout=60)
            if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the file is damaged")
        except sqlite3.DatabaseError:
            print(
                f"{self.path.name} is damaged and was set aside; its vectors are computed anew",
                file=sys.stderr,
            )
            self.path.replace(self.path.with_suffix(".damaged"))
            database = sqlite3.connect(self.path, timeout=60)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "CREATE TABLE IF NOT EXISTS vectors "
            "(digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        return database


def _digest(text: str, role: Role) -> bytes:
    return hashlib.sha256(f"{role}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _first_of_each(digests: list[bytes]) -> list[int]:
    return list({digest: i for i, digest in reversed(list(enumerate(digests)))}.values())
