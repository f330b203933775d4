"""The vectors of one encoder in one SQLite file, for the processes of one machine."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
WAIT = 60
"""Seconds that a process waits for another one's transaction."""


class VectorDatabase:
    """Vectors by key; what is written counts from :meth:`commit` on, and then all of it.

    Args:
        folder: of the stores.
        name: of the encoder, as a store is called.
    """

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.sqlite"
        self._database = self._open()

    def read(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Vector]:
        """Those of the vectors that are here."""
        return read_rows(self._database, keys, dimension)

    def write(self, vectors: Mapping[bytes, Vector]) -> None:
        self._database.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
            [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()],
        )

    def commit(self) -> None:
        self._database.commit()

    def close(self) -> None:
        self._database.close()

    def _open(self) -> sqlite3.Connection:
        try:
            database = sqlite3.connect(self.path, timeout=WAIT)
            if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the file is damaged")
        except sqlite3.DatabaseError:
            print(
                f"{self.path.name} is damaged and was set aside; its vectors are computed anew",
                file=sys.stderr,
            )
            self.path.replace(self.path.with_suffix(".damaged"))
            database = sqlite3.connect(self.path, timeout=WAIT)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(
            "CREATE TABLE IF NOT EXISTS vectors "
            "(digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        return database


def read_only(folder: Path, name: str) -> sqlite3.Connection | None:
    """A store that is only read; None where it is missing or not one."""
    path = folder / f"{name}.sqlite"
    if not path.is_file():
        return None
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=WAIT)
        database.execute("SELECT digest FROM vectors LIMIT 1").fetchone()
    except sqlite3.DatabaseError:
        return None
    return database


def read_rows(
    database: sqlite3.Connection, keys: Sequence[bytes], dimension: int
) -> dict[bytes, Vector]:
    """The vectors of that dimension that a store holds, by key."""
    found: dict[bytes, Vector] = {}
    unique = list(dict.fromkeys(keys))
    for at in range(0, len(unique), 500):
        part = unique[at : at + 500]
        marks = ",".join("?" * len(part))
        for key, blob in database.execute(
            f"SELECT digest, vector FROM vectors WHERE digest IN ({marks})", part
        ):
            if len(blob) == 4 * dimension:
                found[key] = np.frombuffer(blob, "<f4")
    return found
