"""Boundaries by a causal model's signals: who reads, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from chunkstudy.base import places
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection, chunk_documents
from chunkstudy.chunkers.cutting_by_signal import Strengths
from chunkstudy.chunkers.signals import AFTER, BEFORE, CONTEXT, SIZE, Memory, measure, strength
from chunkstudy.llm.reading import CausalReader, Reader
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.names import parse_chunker


def chunk(condition: Condition, collection: Collection) -> Chunks:
    """The chunks of a collection as the condition's causal model draws them.

    Raises:
        LanguageModelError: if its weights cannot be had, or it gives no attention.
    """
    model = parse_chunker(condition.chunker).reader
    chunker = build_chunker(
        condition.chunker,
        PROTOCOLS[condition.protocol],
        strengths=measuring(reader(model), memory(model, places.find().vectors)),
    )
    return chunk_documents(chunker, collection.documents)


def measuring(reader: Reader, memory: Memory | None = None) -> Strengths:
    """How strong a signal is, read by a causal model."""

    def strengths(text: str, ends: Sequence[int], name: str) -> Sequence[float]:
        found = measure(reader, text, ends, (name,), memory)
        values: list[float] = strength(name, found[name]).tolist()
        return values

    return strengths


def memory(model: str, vectors: Path) -> Memory:
    """What a model was seen to make of texts, beside the vectors."""
    return Memory(vectors / "signals" / f"{model.replace('/', '__')}.jsonl")


@lru_cache(maxsize=1)
def reader(model: str) -> CausalReader:
    """The model, loaded once for all conditions."""
    return CausalReader(model)


def describe(model: str) -> dict[str, Any]:
    """The model, and what it is shown of a text."""
    reading = {"pass": SIZE, "context": CONTEXT, "before": BEFORE, "after": AFTER}
    return {**reader(model).describe(), "tokens": reading}
