"""What an evaluation would take, before it starts: texts to encode, minutes, dollars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunker
from chunkstudy.base.tokens import counter
from chunkstudy.commands.evaluate.arms import Arm, Encoder
from chunkstudy.commands.evaluate.running import (
    Indexed,
    as_functions,
    index,
    label,
    late_jobs,
    token_count,
)
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.interface import Role
from chunkstudy.llm.prices import money
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.estimate import in_words
from chunkstudy.runs.names import ChunkerSpec, parse_chunker, parse_ordering
from chunkstudy.runs.store import VectorStore

SAMPLE, PARTS = 96, 3
"""Texts of each model that are encoded to time it, and in how many parts, since the machine may be
busy during one."""
OF_A_RUN = 1.1
"""How much longer a run takes than encoding and chunking, beside what each arm and the start do."""
STARTING, AN_ARM = 3.0, 0.4
"""Seconds for loading the model and writing the page; for ranking, scores and questions shown."""


def price(texts: Texts, arms: Sequence[Arm], vectors: Path) -> Iterator[str]:
    """A line for each arm as it is known and one for all; nothing is asked of a server.

    A sample of what is to be encoded is, to time the model on this machine. Chunkers of one's own
    are run, since only their chunks tell, and so is one that draws boundaries by embeddings where
    these are kept; else it is estimated: the text as often as it embeds it, and once more for its
    chunks. Late arms with one window read the documents once, together.
    """
    own = as_functions(texts, arms)
    documents = [document.text for document in texts.collection.documents]
    total, known = 0.0, True
    dollars: float | None = 0.0
    counted: set[bytes] = set()
    stores = {arm.encoder: arm.encoder.open(vectors) for arm in arms}
    rates: dict[Encoder, float | None] = {}
    for arm in arms:
        store = stores[arm.encoder]
        started = time.perf_counter()
        indexed = _indexed(texts, arm, store, own, vectors)
        missing: list[str] = []
        tokens = 0
        if indexed is None:
            missing, said = documents, "boundaries to be drawn"
            tokens = round(sum(counter("wordpiece").count_many(documents)) * (_passes(arm) + 1))
        else:
            said = f"{len(indexed.chunks):,} chunks"
            if store is not None and parse_ordering(arm.condition.ordering).window:
                missing, tokens = documents, _left_late(texts, arm, store, indexed, counted)
            elif store is not None:
                missing = _left(store, indexed.matched, counted)
                tokens = round(sum(_read(store, missing)))
        chunking = time.perf_counter() - started
        if arm.encoder not in rates and tokens:
            rates[arm.encoder] = _rate(store, missing)
        rate = rates.get(arm.encoder)
        took = chunking + (tokens / rate if rate else 0.0)
        total += took
        known = known and (bool(rate) or not tokens)
        how_long = in_words(took) if rate or not tokens else "time not known"
        cost = _dollars(store, missing)
        dollars = None if dollars is None or cost is None else dollars + cost
        shown = f", {money(cost)}" if _paid(store) else ""
        yield f"{label(arm)}: {said}, {tokens:,} tokens to encode, {how_long}{shown}"
    of = f"{len(texts.collection.documents):,} documents and {len(texts.collection.queries):,} "
    paid = f", {money(dollars)}" if any(map(_paid, stores.values())) else ""
    time_taken = (
        f"about {in_words(OF_A_RUN * total + STARTING + AN_ARM * len(arms))} on this machine"
        if known
        else "time not known"
    )
    yield (
        f"in all, {of}questions: {time_taken}{paid}; what is encoded is kept, and a run that was "
        "stopped goes on"
    )


class _NotKeptError(Exception):
    """A vector would have to be computed."""


class _Kept(VectorStore):
    """Vectors that were computed before, and none else."""

    def encode(
        self, texts: Sequence[str], role: Role = "document", label: str = "encoding"
    ) -> NDArray[np.float32]:
        if self.missing(texts, role):
            raise _NotKeptError
        return super().encode(texts, role, label)


def _indexed(
    texts: Texts, arm: Arm, store: VectorStore | None, own: dict[str, Chunker], vectors: Path
) -> Indexed | None:
    """The chunks of an arm; None where a model would have to draw their boundaries."""
    if not _passes(arm):
        return index(texts, arm, store, own, vectors)
    if store is None or any(one.llm or one.reader or one.encoder for one in _catalogued(arm)):
        return None
    try:
        return index(texts, arm, _Kept(store.encoder, vectors), own, vectors)
    except _NotKeptError:
        return None


def _catalogued(arm: Arm) -> list[ChunkerSpec]:
    return [parse_chunker(one.slug) for one in arm.chunker.parts if not one.function]


def _passes(arm: Arm) -> float:
    """How often the text is read to draw boundaries."""
    return sum(
        one.entry.passes or (1.0 if one.llm or one.reader else 0.0) for one in _catalogued(arm)
    )


def _left_late(
    texts: Texts, arm: Arm, store: VectorStore, indexed: Indexed, counted: set[bytes]
) -> int:
    """Tokens of documents that are not read yet and that no arm before reads."""
    wanted = late_jobs(texts, arm, store, indexed.chunks)
    unread = store.unread(wanted.layouts, wanted.spans)
    found = sum(layout.tokens for digest, layout in unread.items() if digest not in counted)
    counted.update(unread)
    return found


def _left(store: VectorStore, matched: Sequence[str], counted: set[bytes]) -> list[str]:
    """Texts that are not encoded yet and that no arm before encodes."""
    missing = store.missing(matched)
    keys = store.encoder.keys(missing)
    found = [text for text, key in zip(missing, keys, strict=True) if key not in counted]
    counted.update(keys)
    return found


def _rate(store: VectorStore | None, texts: Sequence[str]) -> float | None:
    """Tokens a second of a model that runs here."""
    if store is None or _paid(store):
        return None
    ordered = sorted(dict.fromkeys(texts), key=len)
    warm, *sample = ordered[:: max(1, len(ordered) // SAMPLE)]
    store.encoder.encode([warm])  # weights are loaded, kernels warm
    rates = []
    for part in filter(None, (sample[i::PARTS] for i in range(PARTS))):
        started = time.perf_counter()
        store.encoder.encode(part)
        rates.append(sum(_read(store, part)) / (time.perf_counter() - started))
    return median(rates) if rates else None


def _read(store: VectorStore, texts: Sequence[str]) -> list[float]:
    """Tokens of each text that the model reads."""
    window = getattr(store.encoder, "window", None) or float("inf")
    return [min(one + SPECIAL, window) for one in token_count(store, texts)]


def _dollars(store: VectorStore | None, missing: Sequence[str]) -> float | None:
    if store is None or not isinstance(store.encoder, ApiEncoder):
        return 0.0
    return store.encoder.estimate(missing).dollars


def _paid(store: VectorStore | None) -> bool:
    return store is not None and isinstance(store.encoder, ApiEncoder)
