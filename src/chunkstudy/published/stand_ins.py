"""all-MiniLM-L6-v2 in the places of the papers' own models, a further model for their tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import pandas as pd

from chunkstudy.chunkers import catalogue, released
from chunkstudy.encoders import models
from chunkstudy.grid import facts, grids
from chunkstudy.grid.conditions import LARGE, MINILM, Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED
from chunkstudy.grid.grids import LATE, PRE, WIDE
from chunkstudy.grid.published_grid import corrected
from chunkstudy.places import Places
from chunkstudy.protocols import PROTOCOLS
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


def minilm_in_place_of(cell: pd.Series, places: Places) -> Source | None:
    """What gives MiniLM's value in a published cell's row and column; None where nothing does.

    GutenQA's column shows Emma, and its LLM-guided rows the segmentations of Emma that
    LumberChunker's authors released. Semantic boundaries are MiniLM's own.
    """
    source = source_of(cell)
    if isinstance(source, NoCondition):
        return None
    if isinstance(source, Similarity):
        return replace(source, model=models.parse_slug(MINILM)[0])
    known = frozenset(grids.laptop_grid())
    found = {one: minilm_condition(one, places, known) for one in conditions_of(source)}
    if any(one is None for one in found.values()):
        return None
    return with_conditions(source, lambda one: found[one] or one)


def minilm_condition(
    condition: Condition, places: Places, known: Collection[Condition] | None = None
) -> Condition | None:
    """MiniLM's condition in the place of another model's; None where the grid has none.

    Args:
        condition: of a published cell.
        places: for the facts of its collection.
        known: the conditions that count; MiniLM's grid by default.
    """
    known = frozenset(grids.laptop_grid()) if known is None else known
    return next((one for one in _candidates(condition, places) if one in known), None)


def _candidates(condition: Condition, places: Places) -> Iterator[Condition]:
    """The same place, then what comes to the same there."""
    if condition.encoder in (LARGE, MINILM, "none"):
        other = condition.encoder if condition.encoder == "none" else MINILM
        yield replace(condition, encoder=other)
        return
    collection = STAND_INS.get(condition.collection, condition.collection)
    spec = catalogue.parse(condition.chunker)
    chunker = str(replace(spec, by=""))
    if spec.llm and f"{spec.name}-released" in released.RELEASED:
        chunker = f"{spec.name}-released"
    ordering = LATE if condition.ordering.startswith(CONTEXTUALIZED) else PRE
    same = Condition(collection, chunker, WIDE, ordering, condition.protocol)
    yield same
    if chunker == "paragraph" and _single_paragraphs(collection, places):
        same = replace(same, chunker="none")
        yield same
    # Without chunking protocols agree, and a packed document is the plain embedding.
    packed = PROTOCOLS[condition.protocol].layout == "packed"
    if same.chunker == "none" and (ordering == PRE or packed):
        yield replace(corrected(same), ordering=PRE)


def _single_paragraphs(collection: str, places: Places) -> bool:
    """Whether no document has a line break, so that a document is its only paragraph."""
    found = facts.read(places, f"{collection}_facts")
    return not found.empty and found["documents of several paragraphs"][0] == 0
