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
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from tqdm import tqdm

from chunkstudy.core import models
from chunkstudy.core.files import check_writable, write_bytes
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.interface import Encoder, Role, require_states
from chunkstudy.llm.prices import budget
from chunkstudy.pipeline.conditions import parse_encoder

BLOCK = 1024
"""Texts a block."""
TOKENS = 1 << 18
"""Tokens a block, of contextualized documents."""
KEY = 32
"""Bytes of a key."""
SUFFIX = ".safetensors"
Vectors = NDArray[np.float32]
"""Shape (texts or chunks, dimension)."""
Missing = dict[bytes, list[int]]
"""By key the rows that want its vector, the last row first."""
PoolJob = tuple[Layout, dict[bytes, Sequence[int]]]
"""A layout and the spans wanted of it, by key."""


class VectorStore:
    """An encoder that remembers.

    ``computed`` (texts or chunks) and ``seconds`` tell what was not remembered, and ``reused`` how
    many vectors were computed before :meth:`count_anew`. Several processes may share the folder,
    which holds the vectors of all encoders.

    Raises:
        OSError: here and later, if the disk is full or read-only; what the folder holds is whole.
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
        self._files = folder / name
        self._places: dict[bytes, tuple[Path, int]] = {}
        self._seen: set[Path] = set()
        self._computed_keys: set[bytes] = set()
        self._reused_keys: set[bytes] = set()
        check_writable(self._files)

    def encode(
        self, texts: Sequence[str], role: Role = "document", label: str = "encoding"
    ) -> Vectors:
        """Unit vectors of the texts, shape (texts, dimension), float32, in their order."""
        vectors, missing = self._read(self.encoder.keys(texts, role))
        todo = sorted(missing.items(), key=lambda item: len(texts[item[1][-1]]))
        with _progress(len(todo), label, "text") as bar:
            for block in (dict(todo[i : i + BLOCK]) for i in range(0, len(todo), BLOCK)):
                started = time.perf_counter()
                computed = self.encoder.encode([texts[rows[-1]] for rows in block.values()], role)
                self.seconds += time.perf_counter() - started
                if not vectors.shape[1]:  # a server tells its dimension by its first vector
                    vectors = np.zeros((len(texts), computed.shape[1]), dtype=np.float32)
                self._keep(vectors, block, computed)
                bar.update(len(block))
        return vectors

    @property
    def reused(self) -> int:
        """Distinct vectors that were read and not computed since :meth:`count_anew`."""
        return len(self._reused_keys)

    def count_anew(self) -> None:
        """Count reused vectors from here on."""
        self._computed_keys.clear()
        self._reused_keys.clear()

    def ignore_stored(self) -> None:
        """Ignore the vectors that are stored now; those computed later are read, and first."""
        self._places.clear()
        self._seen = self._blocks()

    def missing(self, texts: Sequence[str], role: Role = "document") -> list[str]:
        """The texts that :meth:`encode` would compute, each once."""
        missing = self._read(self.encoder.keys(texts, role))[1]
        return [texts[rows[-1]] for rows in missing.values()]

    def say_price(self, label: str, texts: Sequence[str], queries: Sequence[str]) -> None:
        """Say on stderr what a server will be asked for, where one has the encoder.

        Raises:
            BudgetError: before the first request, if all of them would exceed the ceiling.
        """
        if isinstance(self.encoder, ApiEncoder):
            of_texts = self.encoder.estimate(self.missing(texts))
            of_queries = self.encoder.estimate(self.missing(queries, "query"), "query")
            budget().announce(label, of_texts + of_queries)

    def pool(
        self,
        layouts: Sequence[Layout],
        spans: Sequence[NDArray[np.int64]],
        label: str = "contextualized encoding",
    ) -> Vectors:
        """Vectors of the chunks of all documents, shape (chunks, dimension), float32, in order.

        A layout that occurs several times, for several chunkers, is read once. A chunk without a
        token has a zero row.

        Args:
            spans: of each, (chunks, 2) positions in its sequence.
        """
        vectors, missing, wanted = self._wanted(layouts, spans)
        encoder = require_states(self.encoder)
        jobs = sorted(wanted.values(), key=lambda job: job[0].tokens)
        with _progress(sum(job[0].tokens for job in jobs), label, "token") as bar:
            for block in _blocks(jobs):
                started = time.perf_counter()
                pooled = encoder.pool(
                    [layout for layout, _ in block],
                    [np.asarray(list(places.values()), dtype=np.int64) for _, places in block],
                )
                self.seconds += time.perf_counter() - started
                rows = {key: missing[key] for _, places in block for key in places}
                self._keep(vectors, rows, np.concatenate(pooled))
                bar.update(sum(layout.tokens for layout, _ in block))
        return vectors

    def unread(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]
    ) -> dict[bytes, Layout]:
        """By digest the layouts that :meth:`pool` would read."""
        wanted = self._wanted(layouts, spans)[2]
        return {digest: layout for digest, (layout, _) in wanted.items()}

    def _wanted(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]
    ) -> tuple[Vectors, Missing, dict[bytes, PoolJob]]:
        """What is kept of the chunks, what is missing, and by layout where that stands."""
        digests = [layout.digest() for layout in layouts]
        keys = [
            [_span_key(digest, layout, *place) for place in places.tolist()]
            for digest, layout, places in zip(digests, layouts, spans, strict=True)
        ]
        vectors, missing = self._read([key for of_document in keys for key in of_document])
        wanted: dict[bytes, PoolJob] = {}
        for digest, layout, of_document, places in zip(digests, layouts, keys, spans, strict=True):
            for key, place in zip(of_document, places.tolist(), strict=True):
                if key in missing:
                    wanted.setdefault(digest, (layout, {}))[1][key] = place
        return vectors, missing, wanted

    def _keep(self, vectors: Vectors, rows: Missing, computed: Vectors) -> None:
        """Put what was computed where it is wanted, and write it as a block, all or nothing."""
        for places, vector in zip(rows.values(), computed, strict=True):
            vectors[places] = vector
        together = b"".join(rows)
        content = {
            "keys": np.frombuffer(together, np.uint8).reshape(-1, KEY),
            "vectors": np.asarray(computed).astype("<f4"),
        }
        path = self._files / (hashlib.sha256(together).hexdigest()[:32] + SUFFIX)
        write_bytes(path, save(content), durable=True)
        self._seen.discard(path)  # it replaces one that was ignored
        self._computed_keys.update(rows)
        self.computed += len(rows)

    def _read(self, keys: Sequence[bytes]) -> tuple[Vectors, Missing]:
        """A row a key, and which rows are zero since their vectors are not here; those that others
        wrote meanwhile are."""
        if any(key not in self._places for key in keys):
            self._look()
        by_file: dict[Path, list[tuple[int, int]]] = {}
        for wanted, key in enumerate(keys):
            if key in self._places:
                path, row = self._places[key]
                by_file.setdefault(path, []).append((wanted, row))
        # Filled file by file, so that no vector stands in memory twice.
        vectors = np.zeros((len(keys), self.encoder.dimension), dtype=np.float32)
        here = np.zeros(len(keys), dtype=np.bool_)
        for path, pairs in by_file.items():
            kept = _tensor(path, "vectors")
            if kept is not None and kept.shape[1:] == vectors.shape[1:]:
                wanted_rows, rows = np.array(pairs).T
                vectors[wanted_rows], here[wanted_rows] = kept[rows], True
        stored = (keys[row] for row in np.flatnonzero(here).tolist())
        self._reused_keys.update(key for key in stored if key not in self._computed_keys)
        missing: Missing = {}
        for row in np.flatnonzero(~here)[::-1].tolist():
            missing.setdefault(keys[row], []).append(row)
        return vectors, missing

    def _look(self) -> None:
        """Index the files that were not seen yet, the newest first."""
        for path in sorted(self._blocks() - self._seen, key=_age):
            keys = _tensor(path, "keys")
            if keys is None:
                continue
            self._seen.add(path)
            for row, key in enumerate(keys):
                self._places.setdefault(key.tobytes(), (path, row))

    def _blocks(self) -> set[Path]:
        return set(self._files.glob(f"[!.]*{SUFFIX}"))


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


def _age(path: Path) -> tuple[int, str]:
    """Order files by time, the newest first, and by name."""
    try:
        return -path.stat().st_mtime_ns, path.name
    except OSError:  # it was removed meanwhile
        return 0, path.name


def _progress(total: int, label: str, unit: str) -> tqdm[Any]:
    return tqdm(total=total, desc=label, unit=unit, unit_scale=True, disable=None)


def _tensor(path: Path, name: str) -> NDArray[np.generic] | None:
    """A tensor of a file; None where the file is not whole."""
    try:
        with safe_open(path, framework="np") as file:
            tensor: NDArray[np.generic] = file.get_tensor(name)
            return tensor
    except (SafetensorError, OSError):
        return None
