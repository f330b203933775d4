"""What runs leave: tables that a person can open, one folder a collection.

``<collection>/conditions.parquet`` has a row a condition, which says what produced its scores; a
digest covers these, and seconds, which vary from run to run, stand in the columns ``timing.*``.
``<collection>/<model>.parquet`` has a row a query of each condition of an encoder, in the
collection's order, and a column a measure, six decimals. ``<collection>/rankings/<model>.parquet``
has the rankings of the same conditions (``rankings.py``).

Who writes holds the folder's lock. Every table is written beside and renamed, that of the
conditions last, since a row there says that the rest is whole: of a process that is killed, or of
two that write at once, no condition of another is lost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.collections import registry, user_collections
from chunkstudy.core.errors import RecordError, first_fault
from chunkstudy.core.files import folder_lock
from chunkstudy.core.project import find_project
from chunkstudy.evaluation import measures
from chunkstudy.pipeline import parquet, rankings
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.parquet import KEY, Key

CONDITIONS = "conditions.parquet"
SPREAD = ("counts", "ranking")
"""What has a column for each of its values, ``counts.chunks``."""
AS_JSON = (
    "measures", "model", "boundaries", "reading", "unscored", "tie_range", "sizes", "packages",
)  # fmt: skip
TIMING = "timing"
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Named = Annotated[str, Field(min_length=1)]
Positive = Annotated[int, Field(gt=0)]
Natural = Annotated[int, Field(ge=0)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RankingSummary(Strict):
    """What a record says of its ranking."""

    of: Literal["documents", "chunks"]
    depth: Positive
    rows: Natural
    bytes: Natural
    """Of the values before they are compressed."""
    sha256: Sha256

    @classmethod
    def describing(cls, ranking: pd.DataFrame) -> RankingSummary:
        return cls(
            of="chunks" if "start" in ranking else "documents",
            depth=rankings.DEPTH,
            rows=len(ranking),
            bytes=int(ranking.memory_usage(index=False).sum()),
            sha256=parquet.digest(ranking),
        )


class Counts(Strict):
    documents: Positive
    chunks: Positive
    queries_expected: Positive
    queries_scored: Positive
    empty_chunks: Natural
    fallbacks: Natural
    ties_at_cut: Natural
    """Queries whose 10th and 11th chunk, or document, have the same score."""
    judged_but_absent: Natural
    """Judged documents that the collection lacks; they lower recall and the ideal."""


class Sizes(Strict):
    """The size of the embedded chunk texts in one unit."""

    mean: float
    percentiles: Annotated[list[float], Field(min_length=21, max_length=21)]
    """0th, 5th, ... 100th."""


class Run(Strict):
    """What produced the scores of a condition."""

    schema_version: Literal[2] = 2
    """Raise it, and migrate the stored records, when a field comes or goes."""
    collection: Named
    chunker: Named
    encoder: Named
    ordering: Named
    protocol: Named
    counts: Counts
    collection_sha256: Sha256
    collection_order_free_sha256: Sha256
    chunks_sha256: Sha256
    per_query_sha256: Sha256
    """Of the query ids and the measures, by ``parquet.digest`` of the rows in sorted order."""
    measures: Annotated[list[str], Field(min_length=1)]
    """Its columns of the scores; other columns there belong to other conditions."""
    ranking: RankingSummary | None
    """What was ranked; None where nothing was ranked, or before it was kept."""
    model: dict[str, Any] | None
    """The encoder's own description; None where no model takes part."""
    boundaries: dict[str, Any] | None
    """The description of the model that drew them, where it is not the evaluated one."""
    reading: dict[str, Any] | None
    """How documents were laid out for contextualized encoding: layout, window, overlap, special
    tokens; None under other orderings."""
    depth: Named
    """Chunks ranked before documents are scored by their best: all, or Jina's formula."""
    unscored: list[str]
    """Queries that nothing judges, left out of every mean."""
    similarity: Named
    tie_range: dict[str, tuple[float, float]]
    """Worst and best mean of a measure that another order of equal scores would give."""
    sizes: dict[str, Sizes]
    packages: Annotated[dict[str, str], Field(min_length=1)]
    python: Named
    platform: Named

    def with_scores(self, scores: pd.DataFrame) -> Run:
        """The same run with other scores, as :func:`write` takes them."""
        digest = scores_sha256(scores)
        return self.model_copy(
            update={"measures": list(scores.columns), "per_query_sha256": digest}
        )

    @property
    def condition(self) -> Condition:
        return Condition(self.collection, self.chunker, self.encoder, self.ordering, self.protocol)

    @property
    def path(self) -> str:
        """Its condition as a path; a user's function, which no condition names, has one too."""
        return "/".join((self.collection, *self.key))

    @property
    def key(self) -> tuple[str, ...]:
        """Whose rows are its own, also where a name stands in no table of the study."""
        return (self.chunker, self.encoder, self.ordering, self.protocol)


@dataclass(frozen=True)
class Outcome:
    """Everything a run found, before it is written.

    Attributes:
        scores: a row per query id, a column per measure, as ``scoring.rounded`` gives them.
        kept: the ranking as stored (``rankings.py``).
    """

    run: Run
    scores: pd.DataFrame
    timing: dict[str, Any]
    kept: pd.DataFrame | None = None


@dataclass(frozen=True)
class Record:
    """What a folder of records holds of one condition.

    Attributes:
        runs: the folder of the collections' folders, such as ``results/runs``.
        run: what produced the scores.
        timing: seconds and counts of the latest run, which no digest covers.
    """

    runs: Path
    run: Run
    timing: dict[str, Any]

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Scores by query id (index, str) in the collection's order and measure (columns).

        Raises:
            RecordError: if they are missing, cut short, or not what was recorded.
        """
        path = scores_path(self.runs, self.run)
        rows = parquet.read_by_key(path).get(self.run.key, pd.DataFrame())
        rows = rows.reindex(columns=["query_id", *self.run.measures])
        scores = rows.astype({"query_id": str}).set_index("query_id")
        if scores_sha256(scores) != self.run.per_query_sha256:
            raise RecordError(
                f"{path} is not what {CONDITIONS} recorded of {self.run.condition}; run the "
                "condition again"
            )
        return scores

    @cached_property
    def wide(self) -> pd.DataFrame:
        """The same, queries and measures sorted."""
        return self.scores.sort_index().sort_index(axis=1).rename_axis(columns="measure")

    def ranking(self) -> pd.DataFrame | None:
        """The ranking as it was recorded; None where there is none at hand.

        Raises:
            RecordError: if it is not whole, or not the one that was recorded.
        """
        kept = self.run.ranking
        if kept is None:
            return None
        path = rankings_path(self.runs, self.run)
        rows = self._ranked_rows()
        if rows is None or rows["score"].isna().any():
            path = _large_ranking(kept)
            rows = parquet.read(path) if path.exists() else None
        if rows is not None and parquet.digest(rows) != kept.sha256:
            raise RecordError(
                f"{path} does not hold the ranking that was recorded of {self.run.condition}; run "
                "the condition again"
            )
        return None if rows is None else rows.copy()

    def first_chunks(self) -> pd.DataFrame | None:
        """Of a ranking too big to be kept here its first chunks, ``query, document, start, end``;
        None where none are kept."""
        rows = self._ranked_rows()
        if rows is None or rows["score"].notna().all():
            return None
        return rows.drop(columns="score")

    def _ranked_rows(self) -> pd.DataFrame | None:
        return parquet.read_by_key(rankings_path(self.runs, self.run)).get(self.run.key)


def scores_path(runs: Path, condition: Condition | Run) -> Path:
    """The table that holds a condition's scores, named after the model without who made it; two
    that share the name share the table, where the column ``encoder`` tells them apart."""
    return runs / condition.collection / f"{condition.encoder.rpartition('__')[2]}.parquet"


def rankings_path(runs: Path, condition: Condition | Run) -> Path:
    """The table that holds its ranking."""
    scores = scores_path(runs, condition)
    return scores.parent / "rankings" / scores.name


def _large_ranking(ranking: RankingSummary) -> Path:
    """The file of a ranking too big to stand with the others."""
    return find_project().rankings / f"{ranking.sha256}.parquet"


def runs_of(condition: Condition) -> Path:
    """The folder of records that a condition belongs to: that of a collection of one's own lies
    beside its questions."""
    if condition.collection in registry.COLLECTIONS:
        return find_project().runs
    return user_collections.collections_folder() / condition.collection / "runs"


def scores_sha256(scores: pd.DataFrame) -> str:
    """The digest of a frame of scores with index ``query_id``, whatever its order."""
    order = scores.index.to_numpy(dtype=object).argsort()
    return parquet.digest(scores.iloc[order].rename_axis("query_id").reset_index())


def max_difference(scores: pd.DataFrame, others: pd.DataFrame) -> float:
    """The largest difference of a mean over queries, of measures that both have, without what a
    reader gets in tokens."""
    common = [name for name in scores if name in others and not measures.in_tokens(str(name))]
    return float((scores[common].mean() - others[common].mean()).abs().max())


def find(runs: Path) -> list[Condition]:
    """Every condition that is recorded below a folder, sorted."""
    tables = sorted(runs.glob(f"*/{CONDITIONS}"))
    return sorted(Condition(table.parent.name, *key) for table in tables for key in _runs(table))


def read(runs: Path, condition: Condition) -> Record:
    """The record of a condition; scores and ranking are read when they are asked for.

    Raises:
        RecordError: if there is none, or what is there is malformed or of another schema version.
    """
    path = runs / condition.collection / CONDITIONS
    try:
        run, timing = _runs(path)[condition.path.parts[1:]]
    except KeyError as error:
        raise RecordError(
            f"there is no record of {condition} below {runs}; run the condition first"
        ) from error
    return Record(runs, run, timing)


def exists(runs: Path, condition: Condition) -> bool:
    """Whether a condition is recorded below a folder, its scores whole or not."""
    return condition.path.parts[1:] in _runs(runs / condition.collection / CONDITIONS)


def complete(runs: Path, condition: Condition) -> bool:
    """Whether a whole, untouched record of a condition lies below a folder."""
    try:
        return bool(len(read(runs, condition).scores))
    except RecordError:
        return False


def write(runs: Path, outcome: Outcome) -> None:
    """Write a record, in place of one of the same condition.

    Raises:
        RecordError: if a table of the collection is not whole; nothing of it is touched.
    """
    run, ranking = outcome.run, outcome.kept
    table = runs / run.collection / CONDITIONS
    with folder_lock(table.parent):
        known = {**_runs(table), run.key: (run, outcome.timing)}
        path, ranked_path = scores_path(runs, run), rankings_path(runs, run)
        rows = {key: of for key, of in parquet.read_by_key(path).items() if key in known}
        ranked = dict(parquet.read_by_key(ranked_path))
        before = ranked.pop(run.key, None)
        if ranking is not None and run.ranking is not None and len(ranking) > rankings.MOST_ROWS:
            parquet.write(_large_ranking(run.ranking), ranking, rankings.PLANES)
            some_kept = before is not None and before["score"].isna().any()
            ranking = rankings.first_chunks(ranking) if some_kept else None
        if ranking is not None:
            ranked[run.key] = ranking
        columns = next((list(of) for of in ranked.values()), [])
        parquet.write_by_key(ranked_path, ranked, columns, rankings.PLANES)
        rows[run.key] = outcome.scores.rename_axis("query_id").reset_index()
        measures_of = dict.fromkeys(name for key in sorted(rows) for name in known[key][0].measures)
        parquet.write_by_key(path, rows, ["query_id", *measures_of])
        told = [_row(*known[key]) for key in sorted(known)]
        names = dict.fromkeys(name for row in told for name in row)
        parquet.write(table, pa.table({name: [row.get(name) for row in told] for name in names}))


def _runs(path: Path) -> dict[Key, tuple[Run, dict[str, Any]]]:
    """What a table of conditions says of each, and its timing; none where there is no table."""
    return _read_runs(path, *parquet.state(path)) if path.exists() else {}


@lru_cache(maxsize=64)
def _read_runs(path: Path, *_: int) -> dict[Key, tuple[Run, dict[str, Any]]]:
    runs: dict[Key, tuple[Run, dict[str, Any]]] = {}
    for row in parquet.read_table(path).to_pylist():
        run, timing = _parse(path, row)
        if run.key in runs:
            raise RecordError(
                f"{path} holds {run.condition} twice; restore it, or remove the tables beside it "
                "too and run their conditions again"
            )
        runs[run.key] = run, timing
    return runs


def _parse(path: Path, row: dict[str, Any]) -> tuple[Run, dict[str, Any]]:
    """What a row of the conditions says.

    Raises:
        RecordError: if it is of another schema version, malformed, or of another collection.
    """
    name = "/".join(str(row.get(part)) for part in ("collection", *KEY))
    content: dict[str, Any] = {TIMING: {}}
    for column, value in row.items():
        part, _, inner = column.partition(".")
        if inner and value is not None:
            content.setdefault(part, {})[inner] = value
        elif not inner:
            content[part] = json.loads(value) if part in AS_JSON and value is not None else value
    content.setdefault("ranking", None)
    timing = content.pop(TIMING)
    try:
        run = Run.model_validate(content)
    except ValidationError as error:
        where, fault = first_fault(error)
        raise RecordError(f"{path} has no valid record of {name} ({where}: {fault})") from error
    if run.collection != path.parent.name:
        raise RecordError(f"{path} describes {name}, which is not where it lies")
    return run, timing


def _row(run: Run, timing: dict[str, Any]) -> dict[str, Any]:
    """A row of the conditions, as :func:`_parse` takes it."""
    row: dict[str, Any] = {}
    for name, value in (run.model_dump(mode="json") | {TIMING: timing}).items():
        if name in (*SPREAD, TIMING):
            row |= {f"{name}.{inner}": part for inner, part in (value or {}).items()}
        elif name in AS_JSON and value is not None:
            row[name] = json.dumps(value, sort_keys=True, ensure_ascii=False)
        else:
            row[name] = value
    return row
