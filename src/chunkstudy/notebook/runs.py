"""Chunkers over one collection, cut, embedded and searched, or read where that was done before:
a record of the study, one made before, or a run now."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, get_args

import pandas as pd
from IPython.display import HTML
from tqdm import tqdm

from chunkstudy.chunkers.user_chunker import OwnChunker
from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import ChunkerError, NoRecordError, ResourceError, StudyError, UserError
from chunkstudy.core.project import Project
from chunkstudy.notebook import user_functions
from chunkstudy.notebook.collection_views import hits, parts
from chunkstudy.notebook.parameters import encoder_slug
from chunkstudy.notebook.scores import Scores
from chunkstudy.notebook.user_functions import FunctionCondition
from chunkstudy.pipeline import rankings, records, rescore, scoring
from chunkstudy.pipeline.conditions import NONE, Condition, parse_encoder
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.run import compute, run

MEASURES = {
    "token_overlap": ("SpanRecall@{k}", "SpanPrecision@{k}", "PrecisionOmega", "SpanIoU@{k}"),
    "in_corpus": ("nDCG@{k}",),
    "in_document": ("DCG@{k}",),
}
"""What is scored, by task, the measure that decides first."""
Chunker = str | OwnChunker
BUDGET = "SpanRecall@10"
"""Of ten chunks, the last of which may be cut off."""
MOST_SHORT = 0.05
"""Share of questions that may be read less of than everyone should."""
MIN: Literal["Min"] = "Min"
Cut = int | Literal["Min"]
"""How many chunks are retrieved."""


Compute = Literal["stored", "missing", "fresh"]
COMPUTES: tuple[Compute, ...] = get_args(Compute)


@dataclass(frozen=True)
class Variant:
    """One chunker of a comparison: a name of the catalogue, or a user's function, of which nothing
    is stored.

    Attributes:
        name: its name in the frames of one comparison.
        condition: its condition; a function's chunker there is :func:`user_functions.slug`.
    """

    name: str
    condition: Condition
    function: OwnChunker | None = None

    @property
    def path(self) -> str:
        """Its condition as a path, which is where its record is if it has one."""
        return str(self.condition)


@dataclass(frozen=True)
class RunScores:
    """The scores of a chunker, and what they were made with.

    Attributes:
        wide: fractions by query id (index, in the collection's order) and measure (columns).
        here: whether they were computed here and not read from the study's records.
    """

    variant: Variant
    run: records.Run
    wide: pd.DataFrame
    here: bool
    _ranking: Callable[[], pd.DataFrame | None]

    @cached_property
    def ranking(self) -> pd.DataFrame | None:
        """The stored ranking (:mod:`chunkstudy.pipeline.rankings`), or None."""
        return self._ranking()

    def first(self, places: Project, depth: int) -> pd.DataFrame | None:
        """A ranking with at least so many ranks: its own, or the first chunks that the study keeps
        of it; None where there is none."""
        kept = self.run.ranking
        if self.ranking is not None and kept is not None and depth <= kept.depth:
            return self.ranking
        if self.here or depth > rankings.FIRST:
            return None
        return rescore.first_chunks(places, self.run)


class RunCache:
    """Where scores come from.

    ``stored`` reads the study's records. ``missing`` computes what has none, and keeps it below
    ``build``. ``fresh`` computes everything, vectors too, in a folder that goes with the study.
    """

    def __init__(self, places: Project, compute: Compute) -> None:
        self.places, self.compute = places, compute
        self.vectors, self._runs = places.vectors, places.build / "runs"
        if compute == "fresh":
            places.build.mkdir(parents=True, exist_ok=True)
            self._fresh = TemporaryDirectory(prefix="fresh-", dir=places.build)
            self.vectors = Path(self._fresh.name) / "vectors"
            self._runs = Path(self._fresh.name) / "runs"

    def find(self, variant: Variant) -> RunScores:
        """A chunker's scores.

        Raises:
            NoRecordError: if they are not stored and nothing is computed.
            StudyError: if they cannot be computed here; says what can.
        """
        named = variant.function is None
        runs = self.places.runs
        if named and self.compute != "fresh" and (kept := read(variant, runs, here=False)):
            return kept
        if self.compute != "stored":
            return self.run(variant)
        what = str(variant.condition) if named else f"a function of yours, {variant.name},"
        stored = self.stored(variant.condition.collection)
        raise NoRecordError(f'{what} has no record; compute="missing" runs it. {stored}')

    def run(self, variant: Variant) -> RunScores:
        """A chunker's scores computed here, now or before.

        Raises:
            StudyError: if the encoder or the collection cannot be had, or the chunker fails.
        """
        if variant.function is None and (kept := read(variant, self._runs, here=True)):
            return kept
        stored = self.stored(variant.condition.collection)
        if reason := reason_not_run(variant.condition):
            raise StudyError(f"{variant.condition} cannot be run here: {reason}. {stored}")
        try:
            if variant.function is None:
                outcome = run(variant.condition, self.vectors, self._runs)
            else:
                outcome = compute(variant.condition, self.vectors, variant.function)
        except ChunkerError as error:
            raise StudyError(f"chunker {variant.name}: {error}") from error
        except UserError as error:
            raise StudyError(str(error)) from error
        except ResourceError as error:
            raise StudyError(f"{error}. {stored}") from error
        return RunScores(variant, outcome.run, outcome.scores, True, lambda: outcome.kept)

    def stored(self, collection: str) -> str:
        """Which encoders have records of a collection, as a sentence."""
        recorded = [c for c in records.find(self.places.runs) if c.collection == collection]
        slugs = sorted({condition.encoder for condition in recorded} - {NONE})
        names = dict.fromkeys(parse_encoder(slug).model for slug in slugs)
        if not names:
            return f"Nothing of {collection} is stored"
        return f'compute="stored" shows what is stored of {collection}: {", ".join(names)}'


def read(variant: Variant, runs: Path, here: bool) -> RunScores | None:
    """The record of a chunker below a folder; None where there is none."""
    if not records.exists(runs, variant.condition):
        return None
    record = records.read(runs, variant.condition)
    return RunScores(variant, record.run, record.scores, here, record.ranking)


@dataclass
class Runs:
    """One encoder's runs over a collection, by chunker; :meth:`Study.runs` makes them.

    Attributes:
        found: scores by chunker, with what they were found with; reading scores never changes them.
    """

    collection: str
    found: Mapping[str, RunScores] = field(repr=False)
    computing: RunCache = field(repr=False)
    _ranked_again: dict[str, RunScores] = field(default_factory=dict, repr=False, compare=False)
    """Cache of runs that were computed because ``found`` has no ranking as deep as was asked."""

    def __iter__(self) -> Iterator[RunScores]:
        return iter(self.found.values())

    def __str__(self) -> str:
        """What was taken from where."""
        computed = sum(scores.here for scores in self)
        stored = len(self.found) - computed
        parts = [f"{stored} read from results/runs"] if stored else []
        parts += [f"{computed} computed here, kept below build/"] if computed else []
        return f"{len(self.found)} runs: {', '.join(parts)}"

    def _repr_html_(self) -> str:
        return f"<p>{self}.</p>"

    @property
    def records(self) -> dict[str, records.Run]:
        """What produced each run, by the path that its record has."""
        return {scores.variant.path: scores.run for scores in self}

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
        by_name = {
            name: self._scored(scored, measures, k)[list(measures)]
            for name, scored in self.found.items()
        }
        return self._together(by_name, measures, k)

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
        by_name, measure = {}, f"SpanRecall@{characters}characters"
        for name, scored in self.found.items():
            source, ranking = self._ranked(scored, rankings.FIRST)
            own = ranking[ranking.groupby("query").cumcount() < rankings.FIRST]
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
            recall = self._value(source, BUDGET, cut[start < characters])
            by_name[name] = recall.to_frame(measure)
        return self._together(by_name, (measure,), f"{characters:,} characters")

    def _together(
        self, by_name: Mapping[str, pd.DataFrame], measures: tuple[str, ...], k: int | str
    ) -> Scores:
        """Each chunker's scores by query as those of all."""
        computing, frames = self.computing, []
        asked_of = parts(computing.places, self.collection, computing.compute == "fresh")
        for name, scores in by_name.items():
            ids = scores.index.to_series()
            part = ids.map(lambda query: asked_of.get(query, "all"))
            keys = pd.DataFrame({"chunker": name, "part": part, "query_id": ids})
            frames.append(keys.join(scores))
        paths = {name: scored.variant.path for name, scored in self.found.items()}
        return Scores(pd.concat(frames, ignore_index=True), measures, paths, k)

    def hits(self, question: int = 0, chunker: str = "", k: int = 5) -> HTML:
        """The first chunks of a question, the judged text in them marked.

        Args:
            question: its place in the collection.
            chunker: whose chunks; the first one's where none is named.
            k: how many chunks.
        """
        scored, ranking = self._ranked(self.found[chunker or next(iter(self.found))], k)
        collection = load_collection(self.collection)
        return HTML(hits(collection, question, ranking, k, scored.variant.name))

    def _measures(self, k: Cut) -> tuple[str, ...]:
        """What is scored: without a model only what no search decides."""
        named = MEASURES[registry.find(self.collection).task]
        if all(scored.variant.condition.encoder == NONE for scored in self):
            named = tuple(name for name in named if "@" not in name)
        return tuple(name.format(k=k) for name in named)

    def _scored(self, scored: RunScores, measures: Sequence[str], k: Cut) -> pd.DataFrame:
        """The scores with a column a measure, all from one run."""
        lacking = [name for name in measures if name not in scored.wide]
        if not lacking:
            return scored.wide
        if k == MIN:
            raise StudyError(
                f"{scored.variant.path} has no score at the cut Min; give a number of chunks"
            )
        scored, ranking = self._ranked(scored, k)
        try:
            added = {name: self._value(scored, name, ranking) for name in lacking}
        except UserError as error:
            raise StudyError(str(error)) from error
        return scored.wide.assign(**added)

    def _value(self, scored: RunScores, measure: str, ranking: pd.DataFrame) -> pd.Series:
        """A measure from a ranking: without the collection's texts where that is possible."""
        stored = rescore.without_texts(self.computing.places, scored.run, measure, ranking)
        if stored is not None:
            return stored
        return scoring.six_decimals(rescore.values(scored.run, measure, ranking))

    def _ranked(self, scored: RunScores, depth: int) -> tuple[RunScores, pd.DataFrame]:
        """The run and a ranking of so many ranks: as it is kept, else computed."""
        kept = scored.first(self.computing.places, depth)
        if kept is not None:
            return scored, kept
        if self.computing.compute == "stored":
            raise StudyError(
                f"of {scored.variant.path} no ranking of {depth} chunks is stored, which this "
                'needs; compute="missing" makes it'
            )
        name = scored.variant.name
        if name not in self._ranked_again:
            self._ranked_again[name] = self.computing.run(scored.variant)
        computed = self._ranked_again[name]
        if computed.ranking is None:
            raise StudyError(f"{scored.variant.path} ranks nothing; name an encoder")
        return computed, computed.ranking


def find(
    collection: str,
    chunkers: Sequence[Chunker],
    encoder: str,
    window: int | None,
    ordering: str,
    protocol: str,
    computing: RunCache,
) -> Runs:
    """The runs of all chunkers, each with a name of its own; what is computed shows how far it is.

    Raises:
        StudyError: for a chunker, encoder, window or protocol that does not exist, with those that
            do.
    """
    if not chunkers:
        raise StudyError("no chunker was named; give one or more")
    try:
        slug = encoder_slug(encoder, window)
    except ResourceError as error:
        raise StudyError(f"{error}. {computing.stored(collection)}") from error
    order = NONE if slug == NONE else ordering
    some: dict[str, Variant] = {}
    for chunker in chunkers:
        function = None if isinstance(chunker, str) else chunker
        name = chunker if isinstance(chunker, str) else _name(chunker, some)
        try:
            condition = (
                FunctionCondition(collection, user_functions.slug(function), slug, order, protocol)
                if function
                else Condition(collection, name, slug, order, protocol)
            )
        except (UserError, ResourceError, ValueError) as error:
            raise StudyError(str(error)) from error
        some[name] = Variant(name, condition, function)
    stored = computing.compute == "stored"
    bar = tqdm(some.values(), collection, unit="chunker", disable=stored)
    by_name = {variant.name: computing.find(variant) for variant in bar}
    sys.stderr.flush()
    return Runs(collection, by_name, computing)


def _name(function: OwnChunker, taken: Collection[str]) -> str:
    """What a function of the reader's is called: by its name, where it has one that is free."""
    name = user_functions.name_of(function)
    return name if name not in taken else f"{name} {len(taken) + 1}"
