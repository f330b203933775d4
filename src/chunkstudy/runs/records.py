"""What a run leaves: ``run.json``, ``per_query.parquet``, ``timing.json``, and a ranking.

``run.json`` holds what produced the scores and refuses placeholders; what varies from run to run
stands in ``timing.json``, which no digest covers. ``per_query.parquet`` has a row per query, in the
collection's order, and a float column per measure, six decimals. The ranking: ``rankings.py``.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunkstudy.base import places
from chunkstudy.base.faults import first_fault
from chunkstudy.base.files import alone, json_text, write_json, write_text
from chunkstudy.collections import own, registry
from chunkstudy.runs import parquet, rankings
from chunkstudy.runs.conditions import Condition, parse
from chunkstudy.runs.parquet import RecordError

SCORES = "per_query.parquet"
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
PLACEHOLDERS = ("", "unknown", "todo", "tbd", "n/a", "placeholder")


def _refuse_placeholder(value: str) -> str:
    if value.strip().lower() in PLACEHOLDERS:
        raise ValueError("a record holds what produced the scores, not a placeholder")
    return value


Named = Annotated[str, AfterValidator(_refuse_placeholder)]
Positive = Annotated[int, Field(gt=0)]
Natural = Annotated[int, Field(ge=0)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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
    schema_version: Literal[2] = 2
    """Raise it, and migrate the stored records, when a field comes or goes."""
    collection: Named
    chunker: Named
    encoder: Named
    ordering: Named
    protocol: Named
    collection_sha256: Sha256
    collection_order_free_sha256: Sha256
    chunks_sha256: Sha256
    measures: Annotated[list[str], Field(min_length=1)]
    """The columns of the scores; another column there belongs to no record and is not read."""
    per_query_sha256: Sha256
    """Of the query ids and these measures, by ``parquet.digest`` of the rows in sorted order."""
    ranking: rankings.Kept | None
    """What was ranked, where it is kept; None where nothing was ranked, or before it was kept."""
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
    counts: Counts
    tie_range: dict[str, tuple[float, float]]
    """Worst and best mean of a measure that another order of equal scores would give."""
    sizes: dict[str, Sizes]
    packages: Annotated[dict[str, str], Field(min_length=1)]
    python: Named
    platform: Named

    @model_validator(mode="after")
    def _a_model_is_described(self) -> Run:
        if (self.encoder == "none") != (self.model is None):
            raise ValueError("a run with an encoder describes its model, one without has none")
        return self

    @property
    def path(self) -> PurePosixPath:
        """Where it lies, also where something of one's own stands in no table of the study."""
        return PurePosixPath(
            self.collection, self.chunker, self.encoder, self.ordering, self.protocol
        )

    @property
    def condition(self) -> Condition:
        return Condition(self.collection, self.chunker, self.encoder, self.ordering, self.protocol)


def scores_sha256(scores: pd.DataFrame) -> str:
    """The digest of a frame of scores with index ``query_id``, whatever its order."""
    order = scores.index.to_numpy(dtype=object).argsort()
    return parquet.digest(scores.iloc[order].rename_axis("query_id").reset_index())


def write(
    folder: Path,
    run: Run,
    scores: pd.DataFrame,
    timing: dict[str, Any],
    ranking: pd.DataFrame | None = None,
    *,
    outside: Path,
) -> None:
    """Write a record; ``run.json`` last, since its presence says that the rest is whole.

    Of two processes that run one condition the second waits for the first; a whole record that
    says the same is left as it is but for its timing, so neither takes the other's away.

    Args:
        run: what ``run.json`` will say, the digests of ``scores`` and ``ranking`` included.
        scores: as ``rounded`` gives them.
        outside: the folder of rankings too big for the repository.
    """
    with alone(folder):
        if _holds(folder, run, outside):
            write_json(folder / "timing.json", timing)
            return
        (folder / "run.json").unlink(missing_ok=True)
        if ranking is not None and run.ranking is not None:
            rankings.write(folder, outside, ranking, run.ranking)
        else:
            (folder / rankings.FILE).unlink(missing_ok=True)
        write_scores(folder, scores)
        write_json(folder / "timing.json", timing)
        write_run(folder, run)


def _holds(folder: Path, run: Run, outside: Path) -> bool:
    """Whether a whole record of that run lies there, its ranking included."""
    try:
        if read_run(folder) != run:
            return False
        read_in_order(folder, run)
    except RecordError:
        return False
    found = run.ranking and rankings.find(folder, outside, run.ranking)
    return (found is not None) == (run.ranking is not None)


def write_scores(folder: Path, scores: pd.DataFrame) -> None:
    parquet.write(folder / SCORES, scores.rename_axis("query_id").reset_index())


def write_run(folder: Path, run: Run) -> None:
    write_text(folder / "run.json", _text(run))


def read_run(folder: Path) -> Run:
    """The checked ``run.json`` of a folder.

    Raises:
        RecordError: if it is missing, malformed, of another schema version, or lies in another
            condition's folder.
    """
    path = folder / "run.json"
    current = Run.model_fields["schema_version"].default
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and content.get("schema_version") != current:
            raise RecordError(
                f"{path} is of schema version {content.get('schema_version')} and this code reads "
                f"version {current}; run the condition again, or use the code that wrote it"
            )
        run = Run.model_validate(content)
    except FileNotFoundError as error:
        raise RecordError(f"there is no record at {folder}; run the condition first") from error
    except ValidationError as error:
        where, fault = first_fault(error)
        raise RecordError(f"{path} is not a valid record ({where}: {fault})") from error
    except ValueError as error:
        raise RecordError(
            f"{path} is not whole JSON ({error}); restore it, or run the condition again"
        ) from error
    if not folder.as_posix().endswith(run.path.as_posix()):
        raise RecordError(f"{path} describes {run.path}, which is not where it lies")
    return run


def read_scores(folder: Path, run: Run | None = None) -> pd.DataFrame:
    """Scores by query id (index, str) and measure, both sorted; their digest is checked.

    Raises:
        RecordError: if the file is missing, cut short, or not what its run.json recorded.
    """
    scores = read_in_order(folder, run or read_run(folder)).sort_index()
    return scores.sort_index(axis=1).rename_axis(columns="measure")


def read_in_order(folder: Path, run: Run) -> pd.DataFrame:
    """The same with rows and columns as they stand in the file, as ``rounded`` gave them."""
    path = folder / SCORES
    found = parquet.read(path)
    if lacking := {"query_id", *run.measures} - set(found):
        raise RecordError(
            f"{path} lacks {min(lacking)}, which its run.json recorded; run the condition again"
        )
    scores = found.astype({"query_id": str}).set_index("query_id")[run.measures]
    if scores_sha256(scores) != run.per_query_sha256:
        raise RecordError(f"{path} is not what its run.json recorded; run the condition again")
    return scores


def read_timing(folder: Path) -> dict[str, Any]:
    timing: dict[str, Any] = json.loads((folder / "timing.json").read_text(encoding="utf-8"))
    return timing


def complete(folder: Path) -> bool:
    """Whether the folder holds a whole, untouched record."""
    try:
        read_scores(folder)
    except RecordError:
        return False
    return True


def stale(folder: Path) -> str | None:
    """Why today's code would not write this ``run.json``, as a sentence; None if it would."""
    path = folder / "run.json"
    try:
        run = read_run(folder)
    except RecordError as error:
        return str(error)
    if path.read_text(encoding="utf-8") != _text(run):
        return (
            f"{path} is not what today's code writes from it; raise the schema version and migrate "
            "it, or run the condition again"
        )
    return None


def record_folder(condition: Condition) -> Path:
    """Where a condition's record lies: that of a collection of one's own beside its questions."""
    if condition.collection in registry.COLLECTIONS:
        return places.find().runs / condition.path
    return own.collections_folder() / condition.collection / "runs" / condition.path


def is_recorded(condition: Condition) -> bool:
    return complete(record_folder(condition))


def find(root: Path) -> dict[Condition, Path]:
    """The folder of every record below ``results/runs``, in sorted order; nothing is read."""
    folders = sorted(path.parent for path in root.glob("*/*/*/*/*/run.json"))
    return {parse(folder.relative_to(root).as_posix()): folder for folder in folders}


def _text(run: Run) -> str:
    return json_text(run.model_dump(mode="json"))
