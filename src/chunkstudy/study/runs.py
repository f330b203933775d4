"""Chunkers over one collection, cut, embedded and searched, or read where that was done before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd
from IPython.display import HTML
from tqdm import tqdm

from chunkstudy.base.faults import ModelError
from chunkstudy.chunkers.own import OwnChunker
from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.encoders import models
from chunkstudy.runs import records, rescore, scoring
from chunkstudy.runs.against_record import apart
from chunkstudy.runs.conditions import ENCODER, NONE, Condition, ConditionError, EncoderName
from chunkstudy.runs.study_results import StudyError
from chunkstudy.study.collection import hits
from chunkstudy.study.computing import Arm, Computing, Found, deep_enough, stored
from chunkstudy.study.scores import Scores

MEASURES = {
    "token_overlap": ("SpanRecall@{k}", "SpanPrecision@{k}", "PrecisionOmega", "SpanIoU@{k}"),
    "in_corpus": ("nDCG@{k}",),
    "in_document": ("DCG@{k}",),
}
"""What is scored, by task, the measure that decides first."""
Chunker = str | OwnChunker
STAND_IN = "recursive-200-0"
"""The chunker that a condition names where the reader's own function cuts."""
BUDGET = "SpanRecall@10"
"""Of ten chunks, the last of which may be cut off."""
MOST_SHORT = 0.05
"""Share of questions that may be read less of than everyone should."""
MIN: Literal["Min"] = "Min"
Cut = int | Literal["Min"]
"""How many chunks are retrieved."""


@dataclass
class Runs:
    """One encoder's runs over a collection, by chunker; :meth:`Study.runs` makes them.

    Attributes:
        found: scores by chunker, with what they were found with.
        parts: by question, the corpus that it is asked of.
    """

    collection: str
    found: dict[str, Found] = field(repr=False)
    parts: Callable[[], Mapping[str, str]] = field(repr=False)
    computing: Computing = field(repr=False)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found.values())

    def __str__(self) -> str:
        """What was taken from where."""
        here = sum(one.here for one in self)
        kept = len(self.found) - here
        said = [f"{kept} read from results/runs"] if kept else []
        said += [f"{here} computed here, kept below build/"] if here else []
        return f"{len(self.found)} runs: {', '.join(said)}"

    def _repr_html_(self) -> str:
        return f"<p>{self}.</p>"

    @property
    def records(self) -> dict[str, records.Run]:
        """What produced each run, by the path that its record has."""
        return {one.arm.path: one.run for one in self}

    def scores(self, k: Cut = 5, measures: Sequence[str] = ()) -> Scores:
        """Every question's scores by the first ``k`` that were retrieved; ``Min`` is as many as
        hold the question's excerpts, which differs by question.

        Args:
            k: how many chunks or documents.
            measures: at this cut-off, such as ``SpanRecall@5``; those of the collection's task
                where none is named.

        Raises:
            StudyError: if the records hold no score at this cut-off and no ranking to compute it
                from, or ``k`` is none.
        """
        if k != MIN and k < 1:
            raise StudyError(f"k is how many chunks are retrieved, 1 or more, and not {k}")
        measures = tuple(measures) or self._measures(k)
        parts = self.parts()
        frames = []
        for name, found in list(self.found.items()):
            whole, self.found[name] = self._scored(found, measures, k)
            ids = whole.index.to_series()
            part = ids.map(lambda one: parts.get(one, "all"))
            keys = pd.DataFrame({"part": part, "query_id": ids})
            keys.insert(0, "chunker", name)
            frames.append(keys.join(whole[list(measures)]))
        paths = {name: one.arm.path for name, one in self.found.items()}
        return Scores(pd.concat(frames, ignore_index=True), measures, paths, k)

    def by(self, measure: str) -> Scores:
        """Scores by one measure of as many as it names: ``DCG@10`` is of the first ten."""
        return self.scores(int(measure.partition("@")[2]), [measure])

    def within(self, characters: int) -> Scores:
        """Recall where everyone reads as much: the first chunks of each question up to so many
        characters, the last one cut off there. A text that stands in two of them is read twice;
        of ten chunks that are shorter everything is read.

        Raises:
            StudyError: if of more than one question in twenty ten chunks are shorter.
        """
        parts = self.parts()
        frames = []
        for name, found in list(self.found.items()):
            self.found[name], ranking = self._ranked(found, rescore.FIRST)
            own = ranking[ranking.groupby("query").cumcount() < rescore.FIRST]
            length = own["end"] - own["start"]
            read = length.groupby(own["query"]).cumsum()
            short = (read.groupby(own["query"]).max() < characters).mean()
            if short > MOST_SHORT:
                raise StudyError(
                    f"ten chunks of {name} are fewer than {characters} characters for "
                    f"{short:.0%} of the questions; read less"
                )
            start = read - length
            cut = own.assign(end=own["end"] - (read - characters).clip(lower=0))
            values = self._value(found, BUDGET, cut[start < characters])
            keys = pd.DataFrame({"part": values.index.map(parts), "query_id": values.index})
            keys.insert(0, "chunker", name)
            frames.append(keys.assign(**{BUDGET: values.to_numpy()}))
        paths = {name: one.arm.path for name, one in self.found.items()}
        read_of_each = f"{characters:,} characters"
        return Scores(pd.concat(frames, ignore_index=True), (BUDGET,), paths, read_of_each)

    def hits(self, question: int = 0, chunker: str = "", k: int = 5) -> HTML:
        """The first chunks of a question, the judged text in them marked.

        Args:
            question: its place in the collection.
            chunker: whose chunks; the first one's where none is named.
            k: how many chunks.
        """
        found, ranking = self._ranked(self.found[chunker or next(iter(self.found))], k)
        collection = load_collection(self.collection)
        return hits(collection, question, ranking, k, found.arm.name)

    def against_records(self) -> pd.DataFrame:
        """The runs beside the study's own records of the same conditions, a row a chunker that has
        one: ``same chunks``, ``n`` questions, ``questions that differ`` in any score, and the
        largest ``difference`` of a mean, a fraction."""
        rows: list[dict[str, object]] = []
        for one in self:
            kept = self.computing.kept(one.arm) if one.arm.has_record else None
            if kept is not None:
                by_question, means = apart(one.wide, kept.wide)
                row = {
                    "chunker": one.arm.name,
                    "same chunks": one.run.chunks_sha256 == kept.run.chunks_sha256,
                    "n": len(by_question),
                    "questions that differ": int((by_question > 0).any(axis=1).sum()),
                    "difference": float(means.max()),
                }
                rows.append(row)
        return pd.DataFrame(rows)

    def keep(self) -> None:
        """Keep the first ten chunks of every question beside the study's records, so that another
        cut-off needs no run (:mod:`chunkstudy.runs.rescore`)."""
        for one in self:
            found, ranking = self._ranked(one, rescore.FIRST)
            rescore.keep_first(self.computing.places, found.run, ranking)

    def _measures(self, k: Cut) -> tuple[str, ...]:
        """What is scored: without a model only what no search decides."""
        named = MEASURES[registry.find(self.collection).task]
        if all(one.arm.condition.encoder == NONE for one in self):
            named = tuple(one for one in named if "@" not in one)
        return tuple(one.format(k=k) for one in named)

    def _scored(self, found: Found, measures: Sequence[str], k: Cut) -> tuple[pd.DataFrame, Found]:
        """The scores with a column a measure, and the run that gave them."""
        lacking = [one for one in measures if one not in found.wide]
        if not lacking:
            return found.wide, found
        if k == MIN:
            raise StudyError(
                f"{found.arm.path} has no score at the cut Min; give a number of chunks"
            )
        found, ranking = self._ranked(found, k)
        try:
            added = {one: self._value(found, one, ranking) for one in lacking}
        except rescore.RescoreError as error:
            raise StudyError(str(error)) from error
        return found.wide.assign(**added), found

    def _value(self, found: Found, measure: str, ranking: pd.DataFrame) -> pd.Series:
        """A measure from a ranking: without the collection's texts where that is possible."""
        stored = rescore.without_texts(self.computing.places, found.run, measure, ranking)
        if stored is not None:
            return stored
        return scoring.six_decimals(rescore.values(found.run, measure, ranking))

    def _ranked(self, found: Found, depth: int) -> tuple[Found, pd.DataFrame]:
        """The run and a ranking of so many ranks: as it is kept, else computed."""
        kept = deep_enough(found, self.computing.places, depth)
        if kept is not None:
            return found, kept
        if self.computing.compute == "stored":
            raise StudyError(
                f"of {found.arm.path} no ranking of {depth} chunks is stored, which this needs; "
                'compute="missing" makes it'
            )
        computed = self.computing.run(found.arm)
        if computed.ranking is None:
            raise StudyError(f"{found.arm.path} ranks nothing; name an encoder")
        return computed, computed.ranking


def arms(
    collection: str,
    chunkers: Sequence[Chunker],
    encoder: str,
    window: int | None,
    ordering: str,
    protocol: str,
    computing: Computing,
    approximate: bool = False,
) -> list[Arm]:
    """The arms of a comparison, each chunker with a name of its own.

    Raises:
        StudyError: for a chunker, encoder, window or protocol that does not exist, with those that
            do.
    """
    found: list[Arm] = []
    if not chunkers:
        raise StudyError("no chunker was named; give one or more")
    try:
        slug = NONE if encoder == NONE else _slug(encoder, window)
    except ModelError as error:
        raise StudyError(f"{error}. {stored(computing.places, collection)}") from error
    for chunker in chunkers:
        name = chunker if isinstance(chunker, str) else _name(chunker, [one.name for one in found])
        cut = name if isinstance(chunker, str) else STAND_IN
        try:
            order = NONE if slug == NONE else ordering
            condition = Condition(collection, cut, slug, order, protocol)
        except (ConditionError, ModelError, ValueError) as error:
            raise StudyError(str(error)) from error
        function = None if isinstance(chunker, str) else chunker
        found.append(Arm(name, condition, function, approximate))
    return found


def _slug(encoder: str, window: int | None) -> str:
    """A model by its hub id, with the precision that may end it, as conditions name it.

    Raises:
        ModelError: if nobody registered it.
    """
    named = ENCODER.fullmatch(encoder)
    model, dtype = (named["model"], named["dtype"]) if named else (encoder, None)
    return str(EncoderName(models.spec(model).id, window, dtype))


def find(collection: str, some: Sequence[Arm], computing: Computing) -> dict[str, Found]:
    """The scores of all arms; what is computed shows how far it is."""
    computing.begin(some)
    bar = tqdm(some, collection, unit="chunker", disable=computing.compute == "stored")
    found = {arm.name: computing.find(arm) for arm in bar}
    computing.finish()
    sys.stderr.flush()
    return found


def _name(function: OwnChunker, taken: Sequence[str]) -> str:
    """What a function of the reader's is called: by its name, where it has one that is free."""
    name = getattr(function, "__name__", type(function).__name__)
    name = "your function" if name == "<lambda>" else name
    return name if name not in taken else f"{name} {len(taken) + 1}"
