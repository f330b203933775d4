"""Every table of the study by name, from records, published cells and studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd

from chunkstudy.analysis import (
    which_chunker,
)
from chunkstudy.collections import covid_qa
from chunkstudy.grid import chunker_costs, facts, study_results
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published.cells import Cell, frame

Tables = dict[str, pd.DataFrame]
Group = Callable[["Known"], Tables]
Mapped = Callable[[Callable[[Group], Tables], Sequence[Group]], Iterable[Tables]]
"""As the builtin ``map``, in this process or in several."""


@dataclass(frozen=True)
class Known:
    """What tables are made of.

    Attributes:
        library: the records.
        cells: the published cells.
    """

    library: Library
    cells: Sequence[Cell]

    @property
    def places(self) -> Places:
        return self.library.places

    @cached_property
    def published(self) -> pd.DataFrame:
        return frame(self.cells)

    @cached_property
    def papers(self) -> pd.DataFrame:
        """``query_id`` and ``part``, the paper of every query of COVID-QA; may be empty."""
        return facts.read(self.places, covid_qa.WITHIN)

    def study(self, name: str) -> Tables:
        """Every table of a study; none where it was not run."""
        return study_results.tables(self.places, name)

    def of_study(self, name: str, table: str | None = None) -> pd.DataFrame:
        """One of them, which is empty then."""
        return study_results.read(self.places, name, table)


def make(known: Known, mapped: Mapped = map) -> Tables:
    """Every table; one whose records are missing is empty.

    Args:
        known: what they are made of.
        mapped: what asks each group of tables for its own.
    """
    made: Tables = {}
    for tables in mapped(partial(_asked, known), GROUPS):
        made |= tables
    return made


def _asked(known: Known, group: Group) -> Tables:
    return group(known)


def _within(known: Known) -> Tables:
    library, of_papers = known.library, known.papers
    sizes = facts.every(known.places)
    chosen = which_chunker.which_chunker(
        library, known.published, chunker_costs.table(library), sizes, of_papers
    )
    return {
        "which_chunker": chosen,
        "which_chunker_advice": which_chunker.advice(chosen),
    }


GROUPS: tuple[Group, ...] = (_within,)
"""Tables that share what they read; those that take longest come first."""
