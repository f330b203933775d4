"""An evaluation held against an earlier one, question by question: better, worse, or not told
apart. What a change to documents, chunker or model did is seen where it is made."""

from __future__ import annotations

import json
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

OUTCOMES = {HIGHER: "better than", LOWER: "worse than"}
UNDECIDED = "not told apart from"
QUESTION = "question"


@dataclass(frozen=True)
class Gate:
    """What became of the systems that both evaluations have.

    Attributes:
        table: a row a system, of :func:`differences`: the questions compared, both means, their
            difference with its 95% interval, as fractions, p with Holm's correction, and what is
            ``shown``.
        note: what is not the same in both: documents or questions, and how many of these are; else
            empty.
    """

    table: pd.DataFrame
    note: str

    @property
    def worse(self) -> bool:
        """Whether a system got significantly worse."""
        return bool((self.table["shown"] == LOWER).any())

    def __str__(self) -> str:
        lines = [
            f"{row['system']}: {OUTCOMES.get(row['shown'], UNDECIDED)} before, "
            f"{percent(row['before'])}% to {percent(row['now'])}%, {estimate(row)} points over "
            f"{row['n']} questions"
            for _, row in self.table.iterrows()
        ]
        return "\n".join(filter(None, (self.note, *lines)))


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
    measure, now, other = evaluation.record["measures"][0], evaluation.scores, record["measures"][0]
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
    notes = []
    if record["collection"]["sha256"] != evaluation.record["collection"]["sha256"]:
        notes.append("Documents or questions are not those of the baseline.")
    if not len(asked) == len(before) == len(now):
        sizes = f"of {len(before)} in the baseline and {len(now)} here"
        notes.append(f"{len(asked)} questions are in both, {sizes}.")
    return Gate(table, " ".join(notes))


def _stored(folder: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """What is compared of the record of an evaluation, and its scores by question."""
    try:
        record = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
        scores = pd.read_csv(folder / SCORES, index_col="id", dtype={"id": str, QUESTION: str})
        return {"measures": record["measures"], "collection": record["collection"]}, scores
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise EvaluationError(
            f"{folder} is no whole evaluation ({one_line(error)}); name the folder of one that "
            "`chunkstudy evaluate` wrote, or evaluate again"
        ) from None
