"""Another encoder in the places of the papers' own models: a further model for their tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from chunkstudy.chunkers import catalogue, released
from chunkstudy.encoders import models
from chunkstudy.grid import facts
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.published_grid import corrected
from chunkstudy.places import Places
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import (
    NoCondition,
    Similarity,
    Source,
    conditions_of,
    source_of,
    with_conditions,
)

STAND_INS = {"gutenqa": "gutenqa-emma"}
"""Of GutenQA's 100 books one is public."""


def stand_in(cell: Cell, model: str, known: frozenset[Condition], places: Places) -> Source | None:
    """What gives another model's value in a published cell's row and column; None where nothing.

    GutenQA's column shows Emma, and its LLM-guided rows the segmentations of Emma that
    LumberChunker's authors released. Semantic boundaries are the model's own.

    Args:
        cell: a published cell, whatever model it is of.
        model: a hub id, such as ``sentence-transformers/all-MiniLM-L6-v2``.
        known: the conditions that count, those with records or a whole grid.
        places: for the facts of the collections.
    """
    source = source_of(cell)
    if isinstance(source, NoCondition):
        return None
    if isinstance(source, Similarity):
        return replace(source, model=model)
    found = {one: stand_in_for(one, model, known, places) for one in conditions_of(source)}
    if any(one is None for one in found.values()):
        return None
    return with_conditions(source, lambda one: found[one] or one)


def stand_in_for(
    condition: Condition, model: str, known: frozenset[Condition], places: Places
) -> Condition | None:
    """A model's condition in the place of another model's; None where there is none.

    Of the windows with which the model is known there, the widest.
    """
    if condition.encoder == NONE:
        return condition if condition in known else None
    return next((one for one in _candidates(condition, model, known, places) if one in known), None)


def _candidates(
    condition: Condition, model: str, known: frozenset[Condition], places: Places
) -> Iterator[Condition]:
    """The same place, then what comes to the same there."""
    collection = STAND_INS.get(condition.collection, condition.collection)
    spec = catalogue.parse(condition.chunker)
    chunker = str(replace(spec, by=""))
    if spec.llm and f"{spec.name}-released" in released.RELEASED:
        chunker = f"{spec.name}-released"
    late = condition.ordering.startswith(CONTEXTUALIZED)
    whole = chunker == "none" or (chunker == "paragraph" and _single_paragraphs(collection, places))
    # Without chunking protocols agree, and a packed document is the plain embedding.
    plain = not late or PROTOCOLS[condition.protocol].layout == "packed"
    for encoder, window in _encoders(model, known):
        ordering = f"{CONTEXTUALIZED}-{window}" if late else PRE_EMBEDDING
        same = Condition(collection, chunker, encoder, ordering, condition.protocol)
        yield same
        if whole:
            none = replace(same, chunker="none")
            yield none
            if plain:
                yield replace(corrected(none), ordering=PRE_EMBEDDING)


@lru_cache
def _encoders(model: str, known: frozenset[Condition]) -> list[tuple[str, int]]:
    """A model's known encoders with their windows, the widest window first."""
    found = {}
    for encoder in {one.encoder for one in known} - {NONE}:
        name, window = models.parse_slug(encoder)
        if name == model:
            found[encoder] = window or models.spec(model).window
    return sorted(found.items(), key=lambda one: -one[1])


def _single_paragraphs(collection: str, places: Places) -> bool:
    """Whether no document has a line break, so that a document is its only paragraph."""
    found = facts.read(places, f"{collection}_facts")
    return not found.empty and found["documents of several paragraphs"][0] == 0
