"""Where a condition's scores come from: a record of the study, one made before, or a run now."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from chunkstudy.base.faults import ModelError
from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.base.spans import SpanError
from chunkstudy.chunkers.own import ChunkerError, OwnChunker, checked
from chunkstudy.collections.registry import load_collection
from chunkstudy.evaluation.retrieval.chunks import SearchError
from chunkstudy.runs import records, rescore
from chunkstudy.runs.conditions import Condition, ConditionError, parse_encoder
from chunkstudy.runs.requirements import reason_not_run
from chunkstudy.runs.run import compute, run
from chunkstudy.runs.store import load_store
from chunkstudy.runs.study_results import StudyError

Compute = Literal["stored", "missing", "fresh"]
COMPUTES: tuple[Compute, ...] = get_args(Compute)
WHOLE = "whole"
"""The file that says a fresh computation is finished, so that the next one begins anew."""


@dataclass(frozen=True)
class Arm:
    """One chunker of a comparison: a name of the catalogue, or a function of the reader's."""

    name: str
    condition: Condition
    function: OwnChunker | None = None
    approximate: bool = False

    @property
    def has_record(self) -> bool:
        """Whether what it computes is kept: own chunkers and approximate search have no name."""
        return self.function is None and not self.approximate

    @property
    def path(self) -> str:
        """The path of its record, and of a function's what it would be."""
        one = self.condition
        return "/".join((one.collection, self.name, one.encoder, one.ordering, one.protocol))


@dataclass(frozen=True)
class Found:
    """The scores of an arm, and what they were found with.

    Attributes:
        wide: fractions by query id (index, in the collection's order) and measure (columns).
        here: whether they were computed here and not read from the study's records.
    """

    arm: Arm
    run: records.Run
    wide: pd.DataFrame
    here: bool
    _ranking: Callable[[], pd.DataFrame | None]

    @cached_property
    def ranking(self) -> pd.DataFrame | None:
        """The ranking as stored (``runs/rankings.py``); None where it was not kept."""
        return self._ranking()


class Computing:
    """Finds or computes scores.

    ``stored`` reads the study's records. ``missing`` computes what has none, and keeps it below
    ``build``. ``fresh`` computes everything, vectors too, in a folder of its own; where it was
    interrupted it goes on, and once finished the next one begins anew.
    """

    def __init__(self, places: Places, study: str, compute: Compute) -> None:
        self.places, self.study, self.compute = places, study, compute

    def begin(self, arms: Sequence[Arm]) -> None:
        """Say what will be computed together; a finished fresh computation of it is thrown away."""
        if self.compute != "fresh":
            self._at = (self.places.build / "runs", self.places.vectors, self.places.rankings)
            return
        key = hashlib.sha256("\n".join(arm.path for arm in arms).encode()).hexdigest()[:8]
        folder = self.places.build / "fresh" / self.study / key
        if (folder / WHOLE).exists():
            load_store.cache_clear()
            shutil.rmtree(folder)
        self._at = (folder / "runs", folder / "vectors", folder / "rankings")

    @property
    def vectors(self) -> Path:
        """Where what is computed keeps vectors; a fresh computation has a folder of its own."""
        return self._at[1]

    def finish(self) -> None:
        """Say that everything of a fresh computation is there."""
        if self.compute == "fresh":
            write_text(self._at[0].parent / WHOLE, "")

    def find(self, arm: Arm) -> Found:
        """An arm's scores.

        Raises:
            StudyError: if they are not stored, or cannot be computed here; says what can.
        """
        if arm.has_record and self.compute != "fresh" and (kept := self.kept(arm)):
            return kept
        if self.compute == "stored":
            if not arm.has_record:
                what = "a function of yours" if arm.function else "of the published search a run"
                raise StudyError(f'{what}, {arm.name}, has no record; compute="missing" runs it')
            raise StudyError(
                f'{arm.condition} has no record; compute="missing" runs it. {self._stored(arm)}'
            )
        return self.run(arm)

    def kept(self, arm: Arm) -> Found | None:
        """The study's own record of an arm; None where there is none."""
        return read(arm, self.places.runs, self.places.rankings, here=False)

    def run(self, arm: Arm) -> Found:
        """An arm's scores computed here, now or before.

        Raises:
            StudyError: if the encoder or the collection cannot be had, or the chunker fails.
        """
        runs, vectors, outside = self._at
        if arm.has_record and (kept := read(arm, runs, outside, here=True)):
            return kept
        if reason := reason_not_run(arm.condition):
            raise StudyError(f"{arm.condition} cannot be run here: {reason}. {self._stored(arm)}")
        try:
            if arm.has_record:
                outcome = run(arm.condition, vectors, runs, outside)
            else:
                documents = load_collection(arm.condition.collection).documents
                chunker = arm.function and checked(arm.function, documents)
                outcome = compute(arm.condition, vectors, chunker, arm.approximate)
        except (ChunkerError, SpanError) as error:
            raise StudyError(f"chunker {arm.name}: {error}") from error
        except (ConditionError, SearchError) as error:
            raise StudyError(str(error)) from error
        except ModelError as error:
            raise StudyError(f"{error}. {self._stored(arm)}") from error
        return Found(arm, outcome.run, outcome.scores, True, lambda: outcome.kept)

    def _stored(self, arm: Arm) -> str:
        return stored(self.places, arm.condition.collection)


def stored(places: Places, collection: str) -> str:
    """Which encoders have records of a collection, as a sentence."""
    slugs = {one.encoder for one in records.find(places.runs) if one.collection == collection}
    names = dict.fromkeys(parse_encoder(slug).model for slug in sorted(slugs - {"none"}))
    if not names:
        return f"Nothing of {collection} is stored"
    return f'compute="stored" shows what is stored of {collection}: {", ".join(names)}'


def read(arm: Arm, runs: Path, outside: Path, here: bool) -> Found | None:
    """The record of an arm below a folder; None where there is none."""
    if not records.exists(runs, arm.condition):
        return None
    record = records.read(runs, arm.condition)
    return Found(arm, record.run, record.scores, here, partial(record.ranking, outside))


def deep_enough(found: Found, places: Places, depth: int) -> pd.DataFrame | None:
    """A run's ranking with at least so many ranks: its own, or the first chunks that the study
    keeps of it; None where there is none."""
    kept = found.run.ranking
    if found.ranking is not None and kept is not None and depth <= kept.depth:
        return found.ranking
    if found.here or depth > rescore.FIRST:
        return None
    return rescore.first_chunks(places, found.run)
