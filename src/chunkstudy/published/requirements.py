"""Why published cells are not run, in the words of the column ``needs`` of the comparison: the
sentences of :mod:`chunkstudy.runs.requirements`, and those of what is computed over records."""

from __future__ import annotations

from collections.abc import Iterable

from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.requirements import requirements

OPEN, NOTHING = "open: ", "nothing to run: "
"""How a sentence begins where a run could begin, and where a table is computed over records."""
LENGTHS = f"{NOTHING}the mean length of the collection's documents"
CORRELATION = f"{NOTHING}a correlation over records, see taxonomy_4_correlations"


def study_needed(study: str) -> str:
    """That an experiment is to be run once all else is there."""
    return f"needs `chunkstudy study {study}` then"


def of_missing(conditions: Iterable[Condition]) -> list[str]:
    """What conditions without a record wait for, whatever this machine has, so that the table is
    the same everywhere."""
    missing = list(conditions)
    sentences = [sentence for condition in missing for sentence in requirements(condition)]
    return sentences or [f"{OPEN}run `chunkstudy run --only '{missing[0]}'`"]
