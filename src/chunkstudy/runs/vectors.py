"""Vectors on disk, in files that never change: a block is a file, written once.

A file is written beside its place, renamed into it, and named by the keys it holds. So nothing is
ever locked, also where machines share a folder; a killed process leaves no half of a file, and two
that compute one block write the same bytes. A file that is not whole counts as not there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
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


class VectorFiles:
    """The vectors of one encoder.

    Args:
        folder: of all encoders' vectors.
        name: of the encoder.

    Raises:
        OSError: here and later, if the folder takes nothing more; what it holds is whole.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
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
        for path in sorted(set(self.folder.glob(f"[!.]*{SUFFIX}")) - self._seen):
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
