"""What changing one thing about a system gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.code_retrieval.systems import PLAN, part

SYSTEM = ["chunker", "context", "encoder"]


def make(context: Context, chunkers: Sequence[str]) -> Mapping[str, pd.DataFrame]:
    """All systems of some chunkers."""
    parts = [part(context, system) for system in PLAN if system.chunker in chunkers]
    return {name: pd.concat([tables[name] for tables in parts]) for name in parts[0]}


def gains(
    scores: pd.DataFrame, measures: Sequence[str], changed: str, baseline: str
) -> pd.DataFrame:
    """Every system minus the same with the baseline. Files are drawn, each with all its questions;
    Holm's correction is within a measure, and within a chunker unless that is what changes.

    Args:
        scores: a row a system, question and measure: the ``scores`` of :func:`systems.part` with
            the ``chunker`` and ``context`` of their part.
        measures: of ``systems.MEASURES``.
        changed: one of ``SYSTEM``.
        baseline: one of its values.
    """
    documents = scores.drop_duplicates("query_id").set_index("query_id")["document"]
    values = scores.pivot(index="query_id", columns=["measure", *SYSTEM], values="value")
    pairs = []
    for measure, *names in scores[["measure", *SYSTEM]].drop_duplicates().to_numpy():
        keys = dict(zip(SYSTEM, names, strict=True))
        other = (measure, *(keys | {changed: baseline}).values())
        if measure in measures and keys[changed] != baseline and other in values:
            first, second = values[measure, *names], values[other]
            pairs.append(Pair({"measure": measure} | keys, first, second, documents))
    family = f"{changed}, {{measure}}" + (", {chunker}" if changed != "chunker" else "")
    return differences(pairs, family, "score", "score of the baseline")
