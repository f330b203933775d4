"""Vectors on disk, in files that never change: a block is a file, written once.

A file is written beside its place, renamed into it, and named by the keys it holds. So nothing is
ever locked, also where machines share a folder; a killed process leaves no half of a file, and two
that compute one block write the same bytes. A file that is not whole counts as not there.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from chunkstudy.base.files import check_writable, write_bytes

Vector = NDArray[np.float32]
KEY = 32
"""Bytes of a key."""
SUFFIX = ".safetensors"


@dataclass(frozen=True, slots=True)
class UnitFolder:
    """Where a unit's vectors lie.

    Attributes:
        folder: of the unit.
        before: the folder of the vectors that this machine had already, which are read and never
            written; None where another machine may write them at the same time.
    """

    folder: Path
    before: Path | None = None

    def noted(self, name: str) -> Path:
        """The file that notes that the vectors a condition needs are all here."""
        return self.folder / "noted" / hashlib.sha256(name.encode()).hexdigest()[:32]

    def gather(self) -> None:
        """Move the unit's vectors to those that the machine had; killed in the middle, it loses
        nothing. Only when nobody runs the unit any more."""
        assert self.before
        for path in sorted(self.folder.glob(f"*/*{SUFFIX}")):
            target = self.before / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
        shutil.rmtree(self.folder, ignore_errors=True)


class VectorFiles:
    """The vectors of one encoder.

    Args:
        at: the folder of all encoders' vectors, or a unit's.
        name: of the encoder.

    Raises:
        OSError: here and later, if the folder takes nothing more; what it holds is whole.
    """

    def __init__(self, at: Path | UnitFolder, name: str) -> None:
        unit = at if isinstance(at, UnitFolder) else UnitFolder(at)
        self.folder = unit.folder / name
        self._folders = [self.folder, *([unit.before / name] if unit.before else [])]
        self._places: dict[bytes, tuple[Path, int]] = {}
        self._seen: set[Path] = set()
        check_writable(self.folder)

    def read(self, keys: Sequence[bytes], dimension: int) -> dict[bytes, Vector]:
        """Those of the vectors that are here, those that others wrote meanwhile included."""
        if any(key not in self._places for key in keys):
            self._look()
        by_file: dict[Path, dict[bytes, int]] = {}
        for key in keys:
            if key in self._places:
                path, row = self._places[key]
                by_file.setdefault(path, {})[key] = row
        found: dict[bytes, Vector] = {}
        for path, rows in by_file.items():
            vectors = _tensor(path, "vectors")
            if vectors is not None and vectors.shape[1:] == (dimension,):
                found.update((key, vectors[row]) for key, row in rows.items())
        return found

    def write(self, vectors: Mapping[bytes, Vector]) -> None:
        """Write a block, all or nothing."""
        keys = b"".join(vectors)
        content = {
            "keys": np.frombuffer(keys, np.uint8).reshape(-1, KEY),
            "vectors": np.stack(list(vectors.values())).astype("<f4"),
        }
        path = self.folder / (hashlib.sha256(keys).hexdigest()[:32] + SUFFIX)
        write_bytes(path, save(content), durable=True)

    def _look(self) -> None:
        """Index the files that were not seen yet."""
        for folder in self._folders:
            for path in sorted(set(folder.glob(f"[!.]*{SUFFIX}")) - self._seen):
                keys = _tensor(path, "keys")
                if keys is None:
                    continue
                self._seen.add(path)
                for row, key in enumerate(keys):
                    self._places.setdefault(key.tobytes(), (path, row))


def _tensor(path: Path, name: str) -> NDArray[np.generic] | None:
    """A tensor of a file; None where the file is not whole."""
    try:
        with safe_open(path, framework="np") as file:
            tensor: NDArray[np.generic] = file.get_tensor(name)
            return tensor
    except (SafetensorError, OSError):
        return None
