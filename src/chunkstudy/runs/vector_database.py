"""The vectors of one encoder in one SQLite file, for the processes of one machine."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base import faults

Vector = NDArray[np.float32]
PATIENCE = 60
"""Seconds to wait until another process has written its block."""
RETRY = 0.05
FILES = ("", "-wal", "-shm")
"""Endings of the files that make a store."""


class StoreError(RuntimeError):
    """A store that cannot be opened or takes no more; what it holds is whole."""


class VectorDatabase:
    """Vectors by key; what is written counts from :meth:`commit` on, and then all of it. Several
    processes may share the file.

    Args:
        folder: of the stores.
        name: of the encoder, as a store is called.

    Raises:
        StoreError: here and later, if the disk is full, read-only or held by others for too long.
    """

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.sqlite"
        self._database = self._open()

    def read(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Vector]:
        """Those of the vectors that are here."""
        with self._in_words():
            return read_rows(self._database, keys, dimension)

    def write(self, vectors: Mapping[bytes, Vector]) -> None:
        """Add vectors to the transaction that :meth:`commit` ends; a failure undoes all of it."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._in_words(), self._whole():
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def commit(self) -> None:
        with self._in_words(), self._whole():
            self._database.commit()

    def close(self) -> None:
        self._database.close()

    def _open(self) -> sqlite3.Connection:
        until = time.monotonic() + PATIENCE
        with self._in_words():
            while True:
                try:
                    return self._connected()
                except sqlite3.OperationalError as error:  # full or busy, but not damaged
                    busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                    if not busy or time.monotonic() > until:
                        raise
                    time.sleep(RETRY)  # while its log is set up SQLite does not wait by itself
                except sqlite3.DatabaseError:
                    self._set_aside()

    def _connected(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=PATIENCE)
        try:
            if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the file is damaged")
            database.execute("PRAGMA journal_mode=WAL")
            database.execute(
                "CREATE TABLE IF NOT EXISTS vectors "
                "(digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
            )
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _set_aside(self) -> None:
        """Move the damaged file away, and its log with it: it would be read into the new one."""
        print(
            f"{self.path.name} is damaged and was set aside; its vectors are computed anew",
            file=sys.stderr,
        )
        for ending in FILES:
            with suppress(FileNotFoundError):
                Path(f"{self.path}{ending}").replace(f"{self.path.with_suffix('.damaged')}{ending}")

    @contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error:
            self._database.rollback()
            raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """SQLite's errors in a sentence; what is damaged while it is open is found at next start.

        Raises:
            StoreError: naming the file and what to do.
        """
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path}: {error}; it needs free space, the right to write, and no other "
                f"process that holds it for {PATIENCE} seconds; see to that, {faults.KEPT}"
            ) from error


def read_only(folder: Path, name: str) -> sqlite3.Connection | None:
    """A store that is only read; None where it is missing or not one."""
    path = folder / f"{name}.sqlite"
    if not path.is_file():
        return None
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
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
