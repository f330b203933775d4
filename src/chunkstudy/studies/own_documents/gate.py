"""An evaluation held against an earlier one, question by question: better, worse, or not told
apart. What a change to documents, chunker or model did is seen where it is made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.base.faults import one_line
from chunkstudy.collections.own_documents import EVALUATION
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, Pair, differences
from chunkstudy.studies.own_documents.comparison import Evaluation
from chunkstudy.studies.own_documents.report import SCORES
from chunkstudy.studies.own_documents.systems import EvaluationError
from chunkstudy.study.formats import estimate, percent

BETTER, WORSE, SAME, UNDECIDED = "better", "worse", "the same", "not told apart"
OUTCOMES = {HIGHER: BETTER, LOWER: WORSE}
THAN = {BETTER: "than", WORSE: "than", SAME: "as", UNDECIDED: "from"}
QUESTION = "question"


@dataclass(frozen=True)
class Gate:
    """What became of the systems that both evaluations have.

    Attributes:
        table: a row a system, of :func:`differences`: the questions compared, both means, their
            difference with its 95% interval, as fractions, p with Holm's correction, and as
            ``outcome`` what came of it.
        notes: what is not the same in both, a sentence each.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def worse(self) -> bool:
        """Whether a system got significantly worse."""
        return bool((self.table["outcome"] == WORSE).any())

    def __str__(self) -> str:
        lines = [
            f"{row['system']}: {row['outcome']} {THAN[row['outcome']]} before, "
            f"{percent(row['before'])}% to {percent(row['now'])}%, {estimate(row)} points over "
            f"{row['n']} questions"
            for _, row in self.table.iterrows()
        ]
        return "\n".join((*self.notes, *lines))


def held_against(evaluation: Evaluation, baseline: Path) -> Gate:
    """Compare an evaluation with a stored one by the measure that decides both.

    Args:
        evaluation: now.
        baseline: ``evaluation.json`` of the earlier one, or its folder; the scores of its questions
            lie beside it.

    Raises:
        EvaluationError: if there is none, it is decided by another measure, or the two have no
            system or fewer than two questions in common.
    """
    folder = baseline if baseline.is_dir() else baseline.parent
    record, before = _stored(folder)
    now = evaluation.scores
    measure, other = evaluation.record["measures"][0], record["measures"][0]
    if measure != other:
        raise EvaluationError(
            f"{folder} is decided by {other}, this one by {measure}; use its --k or --budget"
        )
    known = [str(name) for name in before if name != QUESTION]
    systems = [name for name in map(str, now) if name in known]
    if not systems:
        raise EvaluationError(
            f"{folder} has none of these ways of chunking; evaluate one of {'; '.join(known)}"
        )
    both = now.index.intersection(before.index)
    asked = both[(now.loc[both, QUESTION] == before.loc[both, QUESTION]).to_numpy()]
    if len(asked) < 2:
        raise EvaluationError(f"{folder} has fewer than two of these questions; nothing to compare")
    pairs = (Pair({"system": x}, now.loc[asked, x], before.loc[asked, x]) for x in systems)
    table = differences(pairs, "against the baseline", "now", "before")
    table["outcome"] = table["shown"].map(OUTCOMES).fillna(UNDECIDED)
    table.loc[(table["outcome"] == UNDECIDED) & (table["difference"] == 0), "outcome"] = SAME
    return Gate(table, tuple(_changed(evaluation, record, len(asked), len(before))))


def _stored(folder: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """The record and the scores of an evaluation, by question."""
    try:
        record = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
        scores = pd.read_csv(folder / SCORES, index_col="id", dtype={"id": str, QUESTION: str})
        return {"measures": record["measures"], **record}, scores
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EvaluationError(
            f"{folder} is no whole evaluation ({one_line(error)}); name the folder of one that "
            "`chunkstudy evaluate` wrote, or evaluate again"
        ) from None


def _changed(
    evaluation: Evaluation, record: dict[str, Any], asked: int, before: int
) -> Iterator[str]:
    """What the two do not share."""
    then, today = (r.get("collection", {}).get("sha256", "") for r in (record, evaluation.record))
    if then != today:
        yield (
            f"Documents or questions are not those of the baseline (digest {today[:12]}, then "
            f"{then[:12]}); compared are the questions that both ask."
        )
    if asked < max(before, len(evaluation.scores)):
        yield (
            f"{asked} questions are in both, of {before} in the baseline and "
            f"{len(evaluation.scores)} here."
        )
