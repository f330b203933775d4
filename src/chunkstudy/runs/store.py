"""Vectors kept by what the model reads, so that conditions share them and a killed run resumes.

A plain text is the case of one window pooled as a whole, so a document of one chunk under
contextualized encoding is the vector that plain encoding left here.

On disk a block is a file, written once: beside its place, renamed into it, and named by the keys it
holds. So nothing is ever locked, also where machines share a folder; a killed process leaves no
half of a file, and two that compute one block write the same bytes. A file that is not whole counts
as not there.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from tqdm import tqdm

from chunkstudy.base import models
from chunkstudy.base.files import check_writable, write_bytes
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.interface import Encoder, Role
from chunkstudy.runs.conditions import parse_encoder

if TYPE_CHECKING:  # it imports torch
    from chunkstudy.encoders.states import StateEncoder

BLOCK = 1024
"""Texts a block."""
TOKENS = 1 << 18
"""Tokens a block, of contextualized documents."""
KEY = 32
"""Bytes of a key."""
SUFFIX = ".safetensors"
Vector = NDArray[np.float32]


class VectorStore:
    """An encoder that remembers.

    ``computed`` (texts or chunks) and ``seconds`` tell what was not remembered. Several processes
    may share the folder.

    Raises:
        OSError: here and later, if the disk is full or read-only.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.encoder = encoder
        self.folder = folder
        self.computed = 0
        self.seconds = 0.0
        # These decide what is read, which the keys of the vectors hold.
        read = ("window", "query_prefix", "document_prefix", "newlines")
        described = {k: v for k, v in encoder.describe().items() if k not in read}
        key = json.dumps(described, sort_keys=True, default=str)
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._kept = VectorFiles(folder, name)

    def encode(
        self, texts: Sequence[str], role: Role = "document", label: str = "encoding"
    ) -> NDArray[np.float32]:
        """Unit vectors of the texts, shape (texts, dimension), float32, in their order."""
        known, keys, missing = self._wanted_texts(texts, role)
        missing.sort(key=lambda i: len(texts[i]))
        with _progress(len(missing), label, "text") as bar:
            for block in (missing[i : i + BLOCK] for i in range(0, len(missing), BLOCK)):
                started = time.perf_counter()
                vectors = self.encoder.encode([texts[i] for i in block], role)
                self.seconds += time.perf_counter() - started
                self._keep(known, {keys[i]: v for i, v in zip(block, vectors, strict=True)})
                bar.update(len(block))
        return self._stack(known, keys)

    def missing(self, texts: Sequence[str], role: Role = "document") -> list[str]:
        """The texts that :meth:`encode` would compute, each once."""
        return [texts[i] for i in self._wanted_texts(texts, role)[2]]

    def _wanted_texts(
        self, texts: Sequence[str], role: Role
    ) -> tuple[dict[bytes, Vector], list[bytes], list[int]]:
        """What is kept of the texts, the keys of all, and the first text of each key that is
        missing."""
        keys = self.encoder.keys(texts, role)
        known = self._kept.read(keys, self.encoder.dimension)
        first = {key: i for i, key in reversed(list(enumerate(keys))) if key not in known}
        return known, keys, list(first.values())

    def pool(
        self,
        layouts: Sequence[Layout],
        spans: Sequence[NDArray[np.int64]],
        label: str = "contextualized encoding",
    ) -> NDArray[np.float32]:
        """Vectors of the chunks of all documents, shape (chunks, dimension), float32, in order.

        A layout that occurs several times, for several chunkers, is read once. A chunk without a
        token has a zero row.

        Args:
            spans: of each, (chunks, 2) positions in its sequence.
        """
        return self._stack(*self.fill(layouts, spans, label))

    def fill(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]], label: str
    ) -> tuple[dict[bytes, Vector], list[bytes]]:
        """Compute what :meth:`pool` stacks and only keep it, since it may be needed later: vectors
        by key, and the keys in order."""
        known, keys, wanted = self._wanted(layouts, spans)
        jobs = sorted(wanted.values(), key=lambda job: job[0].tokens)
        with _progress(sum(job[0].tokens for job in jobs), label, "token") as bar:
            for block in _blocks(jobs):
                self._pool_block(known, block)
                bar.update(sum(layout.tokens for layout, _ in block))
        return known, keys

    def unread(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]
    ) -> dict[bytes, Layout]:
        """By digest the layouts that :meth:`pool` would read."""
        wanted = self._wanted(layouts, spans)[2]
        return {digest: layout for digest, (layout, _) in wanted.items()}

    def _wanted(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]
    ) -> tuple[dict[bytes, Vector], list[bytes], dict[bytes, PoolJob]]:
        """What is kept of the chunks, the keys of all, and by layout what is missing."""
        digests = [layout.digest() for layout in layouts]
        keys = [
            [_span_key(digest, layout, *place) for place in places.tolist()]
            for digest, layout, places in zip(digests, layouts, spans, strict=True)
        ]
        together = [key for of_document in keys for key in of_document]
        known = self._kept.read(together, self.encoder.dimension)
        wanted: dict[bytes, PoolJob] = {}
        for digest, layout, of_document, places in zip(digests, layouts, keys, spans, strict=True):
            for key, place in zip(of_document, places.tolist(), strict=True):
                if key not in known:
                    wanted.setdefault(digest, (layout, {}))[1][key] = place
        return known, together, wanted

    def _pool_block(self, known: dict[bytes, Vector], block: list[PoolJob]) -> None:
        encoder = cast("StateEncoder", self.encoder)
        started = time.perf_counter()
        pooled = encoder.pool(
            [layout for layout, _ in block],
            [np.asarray(list(wanted.values()), dtype=np.int64) for _, wanted in block],
        )
        self.seconds += time.perf_counter() - started
        together = {
            key: vector
            for (_, wanted), vectors in zip(block, pooled, strict=True)
            for key, vector in zip(wanted, vectors, strict=True)
        }
        self._keep(known, together)

    def _keep(self, known: dict[bytes, Vector], block: dict[bytes, Vector]) -> None:
        self._kept.write(block)
        known.update(block)
        self.computed += len(block)

    def _stack(self, known: dict[bytes, Vector], keys: list[bytes]) -> NDArray[np.float32]:
        if not keys:
            return np.zeros((0, self.encoder.dimension), dtype=np.float32)
        return np.stack([known[key] for key in keys]).astype(np.float32, copy=False)


@lru_cache(maxsize=4)
def load_store(
    encoder: str,
    folder: Path,
    newlines: Literal["kept", "spaces"] = "kept",
) -> VectorStore:
    """The encoder of a slug and what it has computed; ``newlines``: see :class:`Protocol`."""
    name, window, dtype = parse_encoder(encoder)
    model = models.spec(name)
    if model.kind == "api":
        return VectorStore(ApiEncoder(model, window, newlines), folder)
    from chunkstudy.encoders.transformer import TransformerEncoder  # torch, only where it computes

    return VectorStore(TransformerEncoder(model, window=window, dtype=dtype), folder)


PoolJob = tuple[Layout, dict[bytes, Sequence[int]]]
"""A layout and the spans wanted of it, by key."""


def _span_key(digest: bytes, layout: Layout, first: int, last: int) -> bytes:
    """The key of a plain text for a whole window, another for every other span."""
    if layout.is_whole and (first, last) == (0, layout.tokens):
        return digest
    return hashlib.sha256(digest + struct.pack("<ii", first, last)).digest()


def _blocks(jobs: list[PoolJob]) -> Iterator[list[PoolJob]]:
    block: list[PoolJob] = []
    tokens = 0
    for job in jobs:
        block.append(job)
        tokens += job[0].tokens
        if tokens >= TOKENS:
            yield block
            block, tokens = [], 0
    if block:
        yield block


def _progress(total: int, label: str, unit: str) -> tqdm[Any]:
    return tqdm(
        total=total, desc=label, unit=unit, unit_scale=True, disable=not sys.stderr.isatty()
    )


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
        known: dict[bytes, Vector] = {}
        for path, rows in by_file.items():
            vectors = _tensor(path, "vectors")
            if vectors is not None and vectors.shape[1:] == (dimension,):
                known.update((key, vectors[row]) for key, row in rows.items())
        return known

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
