"""Vectors in files that never change, for a folder that several machines share.

SQLite locks a file with what network file systems get wrong, and its write-ahead log needs memory
that all writers share. Here every block of vectors is a file of its own, written beside its place
and renamed into it, and named by the keys it holds. So nothing is ever locked, a killed worker
leaves no half of a file, and two workers that compute one block write the same bytes.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from chunkstudy.base.files import write_bytes, write_text
from chunkstudy.runs.vector_database import Vector, VectorDatabase, read_only, read_rows

KEY = 32
"""Bytes of a key."""
SUFFIX = ".safetensors"


@dataclass(frozen=True, slots=True)
class UnitFolder:
    """Where a unit's vectors lie.

    Attributes:
        folder: of the unit.
        before: the folder of the stores that this machine had already, which are read and never
            written; None where another machine may write them at the same time.
    """

    folder: Path
    before: Path | None = None

    def note(self, name: str) -> None:
        """Note that the vectors a condition needs are all here."""
        write_text(self._noted(name), name + "\n")

    def noted(self, name: str) -> bool:
        return self._noted(name).is_file()

    def _noted(self, name: str) -> Path:
        return self.folder / "noted" / hashlib.sha256(name.encode()).hexdigest()[:32]


class VectorFiles:
    """The vectors of one encoder in a unit's folder.

    Args:
        at: the unit's folder.
        name: of the encoder, as a store is called.
    """

    def __init__(self, at: UnitFolder, name: str) -> None:
        self.folder = at.folder / name
        self._places: dict[bytes, tuple[Path, int]] = {}
        self._seen: set[str] = set()
        self._new: dict[bytes, Vector] = {}
        self._before = read_only(at.before, name) if at.before else None

    def read(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Vector]:
        """Those of the vectors that are here, those that came from elsewhere meanwhile included."""
        self._look()
        by_file: dict[Path, list[tuple[int, bytes]]] = {}
        for key in dict.fromkeys(keys):
            if key in self._places:
                path, row = self._places[key]
                by_file.setdefault(path, []).append((row, key))
        found: dict[bytes, Vector] = {}
        for path, wanted in by_file.items():
            with safe_open(path, framework="np") as file:
                vectors = file.get_tensor("vectors")
            if vectors.shape[1:] == (dimension,):
                found.update((key, vectors[row]) for row, key in wanted)
        if self._before:
            rest = [key for key in keys if key not in found]
            found |= read_rows(self._before, rest, dimension)
        return found

    def write(self, vectors: Mapping[bytes, Vector]) -> None:
        """Add vectors to the block that :meth:`commit` writes."""
        self._new.update(vectors)

    def commit(self) -> None:
        if not self._new:
            return
        keys = b"".join(self._new)
        content = {
            "keys": np.frombuffer(keys, np.uint8).reshape(-1, KEY),
            "vectors": np.stack(list(self._new.values())).astype("<f4"),
        }
        write_bytes(self.folder / (hashlib.sha256(keys).hexdigest()[:32] + SUFFIX), save(content))
        self._new = {}

    def close(self) -> None:
        if self._before:
            self._before.close()

    def _look(self) -> None:
        """Index the files that were not seen yet; one that is not whole counts as not there."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if path.name in self._seen or path.name.startswith("."):
                continue
            try:
                with safe_open(path, framework="np") as file:
                    keys = file.get_tensor("keys")
            except (SafetensorError, OSError):
                continue
            self._seen.add(path.name)
            for row, key in enumerate(keys):
                self._places.setdefault(key.tobytes(), (path, row))


def gather(at: UnitFolder, into: Path) -> None:
    """Move a unit's vectors into the stores of this machine, a file at a time.

    Only one process may do so, when the unit is done; killed in the middle, it loses nothing.
    """
    for folder in sorted(path for path in at.folder.glob("*") if any(path.glob(f"*{SUFFIX}"))):
        database = VectorDatabase(into, folder.name)
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            try:
                with safe_open(path, framework="np") as file:
                    keys, vectors = file.get_tensor("keys"), file.get_tensor("vectors")
            except (SafetensorError, OSError):
                continue
            database.write(dict(zip(map(bytes, keys), vectors, strict=True)))
            database.commit()
            path.unlink()
        database.close()
    shutil.rmtree(at.folder, ignore_errors=True)
