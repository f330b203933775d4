"""What a run leaves: ``run.json``, ``per_query.csv``, ``timing.json``, and ``run.trec.gz`` where
documents are ranked.

``run.json`` holds what produced the scores and refuses placeholders; what varies from run to run
stands in ``timing.json``, which no digest covers.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunkstudy.files import write_bytes, write_json, write_text
from chunkstudy.grid.conditions import Condition

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
PLACEHOLDERS = ("", "unknown", "todo", "tbd", "n/a", "placeholder")


def _refuse_placeholder(value: str) -> str:
    if value.strip().lower() in PLACEHOLDERS:
        raise ValueError("a record holds what produced the scores, not a placeholder")
    return value


Named = Annotated[str, AfterValidator(_refuse_placeholder)]
Positive = Annotated[int, Field(gt=0)]
Natural = Annotated[int, Field(ge=0)]


class RecordError(RuntimeError):
    """A record that is missing, cut short or has been changed by hand."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Counts(_Strict):
    documents: Positive
    chunks: Positive
    queries_expected: Positive
    queries_scored: Positive
    empty_chunks: Natural
    fallbacks: Natural
    ties_at_cut: Natural
    """Queries whose 10th and 11th chunk, or document, have the same score."""
    judged_but_absent: Natural = 0
    """Judged documents that the collection lacks; they lower recall and the ideal."""


class Sizes(_Strict):
    """The size of the embedded chunk texts in one unit."""

    mean: float
    percentiles: Annotated[list[float], Field(min_length=21, max_length=21)]
    """0th, 5th, ... 100th."""


class Run(_Strict):
    schema_version: int = 1
    collection: Named
    chunker: Named
    encoder: Named
    ordering: Named
    protocol: Named
    collection_sha256: Sha256
    collection_order_free_sha256: Sha256
    chunks_sha256: Sha256
    per_query_sha256: Sha256
    model: dict[str, Any] | None
    """The encoder's own description; None where no model takes part."""
    boundaries: dict[str, Any] | None = None
    """The description of the model that drew them, where it is not the evaluated one."""
    reading: dict[str, Any] | None = None
    """How documents were laid out for contextualized encoding: layout, window, overlap, special
    tokens; None under other orderings."""
    depth: Named = "all"
    """Chunks ranked before documents are scored by their best: all, or Jina's formula."""
    unscored: list[str] = []
    """Queries that nothing judges, left out of every mean."""
    similarity: Named
    counts: Counts
    tie_range: dict[str, tuple[float, float]] = {}
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
    def condition(self) -> Condition:
        return Condition(self.collection, self.chunker, self.encoder, self.ordering, self.protocol)


def per_query_text(scores: pd.DataFrame) -> str:
    """``query_id,measure,value`` with six decimals, in the order given."""
    buffer = io.StringIO()
    scores[["query_id", "measure", "value"]].to_csv(
        buffer, index=False, float_format="%.6f", lineterminator="\n"
    )
    return buffer.getvalue()


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def write(
    folder: Path, run: Run, scores: str, timing: dict[str, Any], trec: str | None = None
) -> None:
    """Write a record; ``run.json`` last, since its presence says that the rest is whole."""
    write_text(folder / "per_query.csv", scores)
    if trec is not None:
        write_bytes(folder / "run.trec.gz", gzip.compress(trec.encode("utf-8"), mtime=0))
    write_json(folder / "timing.json", timing)
    write_json(folder / "run.json", run.model_dump(mode="json"))


def read_run(folder: Path) -> Run:
    """The checked ``run.json`` of a folder.

    Raises:
        RecordError: if it is missing, malformed, or lies in another condition's folder.
    """
    path = folder / "run.json"
    try:
        run = Run.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RecordError(f"there is no record at {folder}; run the condition first") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RecordError(f"{path} is not a valid record ({where}: {first['msg']})") from error
    if not folder.as_posix().endswith(run.condition.path.as_posix()):
        raise RecordError(f"{path} describes {run.condition}, which is not where it lies")
    return run


def read_scores(folder: Path, run: Run | None = None) -> pd.DataFrame:
    """``per_query.csv`` as query_id (str), measure, value; its digest is checked."""
    run = run or read_run(folder)
    text = (folder / "per_query.csv").read_bytes().decode("utf-8")
    if text_sha256(text) != run.per_query_sha256:
        raise RecordError(
            f"{folder / 'per_query.csv'} is not what its run.json recorded; run the condition again"
        )
    return pd.read_csv(io.StringIO(text), dtype={"query_id": str})


def read_timing(folder: Path) -> dict[str, Any]:
    timing: dict[str, Any] = json.loads((folder / "timing.json").read_text(encoding="utf-8"))
    return timing


def complete(folder: Path) -> bool:
    """Whether the folder holds a whole, untouched record."""
    try:
        read_scores(folder)
    except (RecordError, FileNotFoundError, ValueError):
        return False
    return True


def find(root: Path) -> dict[Condition, Path]:
    """Every record below ``results/runs``, in sorted order."""
    return {
        read_run(path.parent).condition: path.parent
        for path in sorted(root.glob("*/*/*/*/*/run.json"))
    }
