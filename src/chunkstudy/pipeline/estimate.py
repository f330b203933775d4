"""What a run would take, before it starts: tokens, time on two cores like ours, dollars, and what
language models are asked for to draw boundaries, all as if nothing were kept from before.

Left out are queries, search, contexts before chunks, and how long a language model takes; documents
beyond the window are counted once, although neighbouring windows overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chunkstudy.chunkers.expected_requests import of_boundaries
from chunkstudy.collections import registry
from chunkstudy.core.project import Project
from chunkstudy.core.tokens import counter
from chunkstudy.encoders import models
from chunkstudy.llm.prices import PRICES, Estimate
from chunkstudy.pipeline import facts
from chunkstudy.pipeline.conditions import ChunkerSpec, Condition, EmbeddingMethod, parse_encoder

HALF_OVER = 2.0
"""How often a token is read by layouts whose windows share half of theirs."""
SHORT = 512
"""Tokens of a text up to which attention costs little beside the linear layers."""
RATE = 100e9
"""Floating-point operations a second that MiniLM's runs came to on two cores, in float32."""


def size(name: str, places: Project) -> tuple[int, int]:
    """Documents and WordPiece tokens (Chroma's: cl100k) of a collection: as recorded, else as
    registered, else, of one's own, counted now."""
    if not (counted := facts.read(places, f"{name}_facts")).empty:
        return int(counted["documents"][0]), int(counted["wordpiece_tokens"][0])
    if (entry := registry.find(name)).tokens:
        return entry.documents, entry.tokens
    texts = [document.text for document in registry.load_collection(name).documents]
    return len(texts), sum(counter("wordpiece").count_many(texts))


def of_conditions(conditions: Iterable[Condition], places: Project) -> dict[Condition, Estimate]:
    """What each condition adds to those before it.

    Protocols of one chunker share most vectors, boundaries of one model are drawn once, and
    contextualized conditions whose documents are laid out alike share one reading: each counts
    once, for the first condition that needs it.
    """
    wanted, known = list(conditions), set[tuple[str, ...]]()
    sizes = {name: size(name, places) for name in {one.collection for one in wanted}}
    added = {}
    for condition in wanted:
        steps = dict(_steps(condition, *sizes[condition.collection]))
        new = (estimate for key, estimate in steps.items() if key not in known)
        added[condition] = sum(new, Estimate())
        known |= steps.keys()
    return added


def reading(model: str, tokens: float, length: int = 0) -> Estimate:
    """What it takes that a model reads so many tokens, in texts of some length."""
    each = models.spec(model).flops_per_token(length if length > SHORT else 0)
    dollars = PRICES[model].dollars(tokens) if model in PRICES else 0.0
    return Estimate(input_tokens=tokens, seconds=tokens * each / RATE, dollars=dollars)


def lines(estimates: Mapping[Any, Estimate]) -> Iterator[str]:
    """A line for each, with what it is of, and one for all."""
    for name, one in estimates.items():
        yield f"{name}\t{one}"
    total = sum(estimates.values(), Estimate())
    yield f"{len(estimates)} in all, at most, on two cores like ours\t{total}"


def _steps(
    condition: Condition, documents: int, tokens: int
) -> Iterator[tuple[tuple[str, ...], Estimate]]:
    """What models read for a condition of a collection of that size, boundaries first, each by what
    conditions that share it have in common."""
    chunker, method, name = condition.chunking, condition.method, condition.collection
    boundaries = (name, chunker.name, *map(str, chunker.sizes))
    if chunker.llm:
        drawn = of_boundaries(chunker.name, chunker.llm, documents, tokens)
        yield (*boundaries, chunker.llm), drawn
    if condition.model is None:
        return
    if passes := chunker.entry.passes:
        encoder = chunker.by or condition.encoder
        yield (*boundaries, encoder), reading(parse_encoder(encoder).model, tokens * passes)
    # Windows that do not depend on chunks are read once for all chunkers.
    laid_out = condition.rules.layout != "packed" and method.layout in ("", "averaged")
    shared = condition.chunker if not (method.window and laid_out) else ""
    ordering = condition.ordering if method.window or method.context else ""
    # A token attends to those of a mean document, up to the window.
    length = min(method.window, tokens // documents)
    read = reading(condition.model.model, tokens * _times(method, chunker), length)
    yield (name, condition.encoder, ordering, shared), read


def _times(method: EmbeddingMethod, chunker: ChunkerSpec) -> float:
    """How often a token is read."""
    if method.window:
        return HALF_OVER if method.layout == "averaged" else 1.0
    size, overlap = chunker.sizes if chunker.entry.takes("overlap") else (1, 0)
    return size / (size - overlap)
