"""What an evaluation would take, before it starts: texts to encode, minutes, dollars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from chunkstudy.base.prices import money
from chunkstudy.base.tokens import counter
from chunkstudy.commands.evaluate.arms import Arm, Encoder
from chunkstudy.commands.evaluate.running import (
    as_functions,
    index,
    label,
    read_tokens,
    token_count,
)
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.estimate import in_words
from chunkstudy.runs.names import parse_chunker, parse_ordering
from chunkstudy.runs.store import VectorStore

SAMPLE, PARTS = 96, 3
"""Texts of each model that are encoded to time it, and in how many parts, since the machine may be
busy during one; their vectors are kept."""
OF_A_RUN = 1.1
"""How much longer a run takes than encoding and chunking, beside what each arm and the start do."""
STARTING, AN_ARM = 3.0, 0.4
"""Seconds for loading the model and writing the page; for ranking, scores and questions shown."""


def price(texts: Texts, arms: Sequence[Arm], vectors: Path) -> Iterator[str]:
    """A line for each arm as it is known and one for all; nothing is asked of a server.

    A sample of what is to be encoded is, to time the model on this machine. Chunkers of one's own
    are run, since only their chunks tell. A chunker that draws boundaries by embeddings is
    estimated: the text as often as it embeds it, and once more for its chunks. Late arms with one
    window read the documents once, together.
    """
    own = as_functions(texts, arms)
    total, known = 0.0, True
    dollars: float | None = 0.0
    read: set[tuple[Encoder, str]] = set()
    counted: set[bytes] = set()
    stores = {arm.encoder: arm.encoder.open(vectors) for arm in arms}
    rates: dict[Encoder, float | None] = {}
    for arm in arms:
        store, ordering = stores[arm.encoder], parse_ordering(arm.condition.ordering)
        shared = ordering.window > 0 and (arm.encoder, str(ordering)) in read
        read.add((arm.encoder, str(ordering)))
        started = time.perf_counter()
        missing: list[str] = []
        passes = sum(_passes(one.slug) for one in arm.chunker.parts if not one.function)
        if passes:
            whole = [document.text for document in texts.collection.documents]
            tokens = round(sum(counter("wordpiece").count_many(whole)) * (passes + 1))
            missing, said = whole, "boundaries to be drawn"
        else:
            indexed = index(texts, arm, store, own, vectors)
            missing = (
                [] if store is None or ordering.window else _left(store, indexed.matched, counted)
            )
            tokens = read_tokens(texts, arm, store, indexed) if ordering.window else 0
            tokens += round(sum(_read(store, missing))) if store else 0
            said = f"{len(indexed.chunks):,} chunks"
        chunking = time.perf_counter() - started
        tokens = 0 if shared else tokens
        sampled = 0.0
        if arm.encoder not in rates and tokens:
            rates[arm.encoder], sampled = _rate(
                store, missing or [d.text for d in texts.collection.documents]
            )
        rate = rates.get(arm.encoder)
        left = tokens - (sampled if missing and not passes else 0.0)  # a run finds the sample kept
        took = chunking + (left / rate if rate else 0.0)
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


def _passes(slug: str) -> float:
    spec = parse_chunker(slug)
    return spec.entry.passes or (1.0 if spec.llm or spec.reader else 0.0)


def _left(store: VectorStore, matched: Sequence[str], counted: set[bytes]) -> list[str]:
    """Texts that are not encoded yet and that no arm before encodes."""
    missing = store.missing(matched)
    keys = store.encoder.keys(missing)
    found = [text for text, key in zip(missing, keys, strict=True) if key not in counted]
    counted.update(keys)
    return found


def _rate(store: VectorStore | None, texts: Sequence[str]) -> tuple[float | None, float]:
    """Tokens a second of a model that runs here, and the tokens of the sample."""
    if store is None or _paid(store):
        return None, 0.0
    ordered = sorted(dict.fromkeys(texts), key=len)
    warm, *sample = ordered[:: max(1, len(ordered) // SAMPLE)]
    store.encode([warm])  # weights are loaded, kernels warm
    rates, read = [], sum(_read(store, [warm]))
    for part in filter(None, (sample[i::PARTS] for i in range(PARTS))):
        before = store.seconds
        store.encode(part)
        tokens = sum(_read(store, part))
        rates.append(tokens / max(store.seconds - before, 1e-6))
        read += tokens
    return median(rates) if rates else None, read


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
