"""Boundaries that a language model draws once for all conditions that use them, and their price."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chunkstudy.base.places import Places
from chunkstudy.chunkers.expected_requests import of_boundaries
from chunkstudy.collections import gutenqa, registry
from chunkstudy.llm.prices import Estimate
from chunkstudy.runs import facts
from chunkstudy.runs.conditions import Condition


@dataclass(frozen=True, slots=True)
class Segmentation:
    """By which chunker and model, of which collection."""

    collection: str
    chunker: str
    model: str


def needed(conditions: Iterable[Condition]) -> list[Segmentation]:
    """Those that the conditions need, each once, in their order."""
    found = (
        Segmentation(one.collection, spec.name, spec.llm)
        for one in conditions
        if (spec := one.chunking).llm
    )
    return list(dict.fromkeys(found))


def takes(segmentation: Segmentation, places: Places) -> tuple[Estimate | None, str]:
    """What drawing the boundaries would take, and on what the number rests; None where the size
    of the collection is not known, and why."""
    entry = registry.find(segmentation.collection)
    known = facts.read(places, f"{segmentation.collection}_facts")
    documents, tokens = entry.documents, entry.tokens
    if not known.empty:
        documents, tokens = int(known["documents"][0]), int(known["wordpiece_tokens"][0])
    counted = not known.empty or segmentation.collection == "chroma"
    basis = "from its texts, counted"
    if not counted:
        basis = "roughly, from a size that nobody counted here"
    if not tokens:
        return None, "nobody has counted its texts; a run says what it takes before it starts"
    if segmentation.collection == gutenqa.FULL:
        basis = "99 of its 100 books are not here and taken to be as long as Emma"
    return of_boundaries(segmentation.chunker, segmentation.model, documents, tokens), basis
