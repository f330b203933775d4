"""What late chunking gains with each model by window, each question's mean over the same chunkers.

Models differ in which chunkers and windows they were run with, so every comparison names the
chunkers that both sides have, and is over no others. A chunker that asks a model for its boundaries
(cluster) asks the model that is compared, so that its chunks are that model's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.late_chunking import ALL_CORPORA, EMMA, WITHIN
from chunkstudy.analysis.late_chunking_excerpts import late_and_plain, late_conditions
from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.grid.conditions import MINILM, MPNET
from chunkstudy.grid.grids import BEIR_AT_HAND, EXCERPT_METHODS
from chunkstudy.grid.library import Library

REFERENCE, SECOND = models.parse_slug(MINILM)[0], models.parse_slug(MPNET)[0]
"""The model that the others are held against, and that has the most records; and the second one,
of which everything is asked. A model of four bits answers a single question."""
DCG, RECALL, NDCG = "DCG@10", "SpanRecall@5", "nDCG@10"
LONG = (WITHIN, covid_qa.WITHIN)
"""Searched within a long document, with questions enough to tell."""
MEASURES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(LONG, (DCG, RECALL)),
    EMMA: (DCG,),
    ALL_CORPORA: (RECALL,),
    covid_qa.ALL: (RECALL,),
    **dict.fromkeys(BEIR_AT_HAND, (NDCG,)),
}
FEWEST = 3
"""A model with fewer chunkers in common with the others cannot stand beside them."""
EVERY, SMALL = "all chunkers", "chunks of 64 tokens"
GROUPS = {EVERY: EXCERPT_METHODS, SMALL: ("fixed-64",)}
"""The second are read whole in every window, so that late chunking can gain no text by them."""


@dataclass(frozen=True)
class Arm:
    """Scores of every question under both orderings, of one model, window and chunker."""

    late: pd.Series
    plain: pd.Series


Cell = tuple[str, int]
"""A model's id and the tokens that it reads at once."""
Arms = Mapping[Cell, Mapping[str, Arm]]
"""By cell and chunker."""


def arms(library: Library, collection: str, measure: str) -> dict[Cell, dict[str, Arm]]:
    """Both orderings of every model, window and chunker that has both; of the chunkers those that
    every model's grid has, so that neither whole documents nor short tails stand among them."""
    found: dict[Cell, dict[str, Arm]] = {}
    for late, record, plain in late_and_plain(library, collection):
        if reading.contextualized(late) and late.chunker in EXCERPT_METHODS:
            cell = reading.model(late.encoder), reading.window(late.ordering)
            arm = Arm(record.wide[measure], plain.wide[measure])
            found.setdefault(cell, {})[late.chunker] = arm
    return found


def late(library: Library, collection: str, measure: str) -> dict[Cell, dict[str, pd.Series]]:
    """The late side alone, also where the plain one was not run at that window."""
    found: dict[Cell, dict[str, pd.Series]] = {}
    for one in late_conditions(library, collection):
        record = library.get(one)
        if record is not None and reading.contextualized(one) and one.chunker in EXCERPT_METHODS:
            cell = reading.model(one.encoder), reading.window(one.ordering)
            found.setdefault(cell, {})[one.chunker] = record.wide[measure]
    return found


def only(found: Arms, chunkers: Iterable[str]) -> dict[Cell, dict[str, Arm]]:
    """The cells that have any of these chunkers, with these alone."""
    few = {cell: {one: of[one] for one in chunkers if one in of} for cell, of in found.items()}
    return {cell: of for cell, of in few.items() if of}


def shared(found: Arms) -> tuple[list[Cell], list[str]]:
    """The cells that can be shown beside each other, and the chunkers that all of them have.

    A window at which a model has fewer chunkers than at another is not finished, and left out. The
    reference comes first, then who has most; a cell that would leave fewer than ``FEWEST`` chunkers
    in common, or than there are, is left out too.
    """
    fullest: dict[str, int] = {}
    for (model, _), of in found.items():
        fullest[model] = max(fullest.get(model, 0), len(of))
    finished = [cell for cell, of in found.items() if len(of) == fullest[cell[0]]]
    order = sorted(finished, key=lambda cell: (cell[0] != REFERENCE, -len(found[cell]), cell))
    fewest = min(FEWEST, max(fullest.values(), default=0))
    cells: list[Cell] = []
    common: list[str] = list(EXCERPT_METHODS)
    for cell in order:
        left = [one for one in common if one in found[cell]]
        if len(left) >= fewest:
            cells.append(cell)
            common = left
    return sorted(cells, key=lambda cell: (in_order(cell[0]), cell[1])), common if cells else []


def both(found: Arms, *cells: Cell) -> list[str]:
    """The chunkers that all these cells have; none where a cell is missing."""
    has = [found.get(cell, {}) for cell in cells]
    return [one for one in EXCERPT_METHODS if all(one in arms for arms in has)]


def mean(columns: Iterable[pd.Series]) -> pd.Series:
    """Each question's mean."""
    return pd.concat(list(columns), axis=1).mean(axis=1)


def gain(chunked: Mapping[str, Arm], chunkers: Iterable[str]) -> pd.Series:
    """Late minus plain, each question's mean over these chunkers."""
    return mean(chunked[one].late - chunked[one].plain for one in chunkers)


def in_order(model: str) -> tuple[bool, bool, str]:
    """The reference first, and those that answer one question only last."""
    return model != REFERENCE, models.spec(model).four_bits is not None, model
