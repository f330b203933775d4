"""Vectors kept by what the model reads, so that conditions share them and a killed run resumes.

Each block is a file (``vectors``), so nothing half-written is ever read. A plain text is the case
of one window pooled as a whole, so a document of one chunk under contextualized encoding is the
vector that plain encoding left here.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from chunkstudy.base import models
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.interface import Encoder, Role, TokenEncoder
from chunkstudy.llm.prices import budget
from chunkstudy.runs.conditions import Condition, parse_encoder
from chunkstudy.runs.vectors import VectorFiles

BLOCK = 1024
"""Texts a block."""
TOKENS = 1 << 18
"""Tokens a block, of contextualized documents."""


class VectorStore:
    """An encoder that remembers.

    ``computed`` (texts or chunks), ``tokens`` (read by the model; contextualized only) and
    ``seconds`` tell what was not remembered. Several processes may share the folder.

    Raises:
        OSError: here and later, if the disk is full or read-only.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.encoder = encoder
        self.computed = 0
        self.tokens = 0
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
        keys = [_span_key(key) for key in self.encoder.keys(texts, role)]
        known = self._read(keys)
        missing = [i for i in _first_of_each(keys) if keys[i] not in known]
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
        keys = [_span_key(key) for key in self.encoder.keys(texts, role)]
        known = self._read(keys)
        return [texts[i] for i in _first_of_each(keys) if keys[i] not in known]

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
    ) -> tuple[dict[bytes, NDArray[np.float32]], list[bytes]]:
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
    ) -> tuple[dict[bytes, NDArray[np.float32]], list[bytes], dict[bytes, PoolJob]]:
        """What is kept of the chunks, the keys of all, and by layout what is missing."""
        digests = [layout.digest() for layout in layouts]
        keys = [
            [_span_key(digest, layout, *place) for place in places.tolist()]
            for digest, layout, places in zip(digests, layouts, spans, strict=True)
        ]
        known = self._read([key for of_document in keys for key in of_document])
        wanted: dict[bytes, PoolJob] = {}
        for digest, layout, of_document, places in zip(digests, layouts, keys, spans, strict=True):
            for key, place in zip(of_document, places.tolist(), strict=True):
                if key not in known:
                    wanted.setdefault(digest, (layout, {}))[1][key] = place
        return known, [key for of_document in keys for key in of_document], wanted

    def _pool_block(self, known: dict[bytes, NDArray[np.float32]], block: list[PoolJob]) -> None:
        encoder = cast(TokenEncoder, self.encoder)
        started = time.perf_counter()
        found = encoder.pool(
            [layout for layout, _ in block],
            [np.asarray(list(wanted.values()), dtype=np.int64) for _, wanted in block],
        )
        self.seconds += time.perf_counter() - started
        self.tokens += sum(layout.tokens for layout, _ in block)
        together = {
            key: vector
            for (_, wanted), vectors in zip(block, found, strict=True)
            for key, vector in zip(wanted, vectors, strict=True)
        }
        self._keep(known, together)

    def _keep(
        self, known: dict[bytes, NDArray[np.float32]], block: dict[bytes, NDArray[np.float32]]
    ) -> None:
        self._kept.write(block)
        known.update(block)
        self.computed += len(block)

    def _stack(
        self, known: dict[bytes, NDArray[np.float32]], keys: list[bytes]
    ) -> NDArray[np.float32]:
        if not keys:
            return np.zeros((0, self.encoder.dimension), dtype=np.float32)
        return np.stack([known[key] for key in keys]).astype(np.float32, copy=False)

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        return self._kept.read(keys, self.encoder.dimension)


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
        return VectorStore(ApiEncoder(model, window, newlines, budget=budget()), folder)
    from chunkstudy.encoders.transformer import TransformerEncoder  # torch, only where it computes

    return VectorStore(TransformerEncoder(model, window=window, dtype=dtype), folder)


def boundary_store(condition: Condition, folder: Path) -> VectorStore | None:
    """The model that draws the boundaries, where it is not the evaluated one."""
    drawing = condition.chunking.encoder
    return load_store(drawing, folder) if drawing else None


PoolJob = tuple[Layout, dict[bytes, Sequence[int]]]
"""A layout and the spans wanted of it, by key."""


def _span_key(digest: bytes, layout: Layout | None = None, first: int = 0, last: int = 0) -> bytes:
    """One key for plain text and for a whole window, another for every other span."""
    if layout is None or (layout.is_whole and (first, last) == (0, layout.tokens)):
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


def _first_of_each(digests: list[bytes]) -> list[int]:
    return list({digest: i for i, digest in reversed(list(enumerate(digests)))}.values())
