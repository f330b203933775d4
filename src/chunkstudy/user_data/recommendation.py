"""The system to take: the cheapest that a test shows to be within a tolerance of the best.

A system is shown to be within the tolerance if a one-sided t-test at ``LEVEL``, corrected by Holm
over all systems compared with the best, rejects that it scores lower by the tolerance or more. The
test is over documents where questions are asked of ``FEWEST_DOCUMENTS`` or more of them, else over
questions; below ``MIN_UNITS`` there is none.

Costs are compared in this order: tokens returned per question under the setting that decides,
tokens reranked per question, tokens encoded. The first in which a system costs at least a tenth
less than the best counts, if it costs no more in those before it. A system that asks a reranker for
more than the best does is never cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from chunkstudy.core.errors import UserError
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS
from chunkstudy.evaluation.statistics.testing import clustered_means

READ = "tokens that a reader gets"
RERANKED = "tokens reranked a question"
ENCODED = "tokens encoded"
COSTS = {
    READ: ("returns {} per question", "returns {}"),
    RERANKED: ("reranks {} per question", "reranks {}"),
    ENCODED: ("encodes {}", "encodes {}"),
}
"""Columns of the table that are costs, the first to be compared first; what a sentence says of the
cheaper system and of the best."""
TOLERANCE = 5.0
"""Points that a recommended system may score lower than the best."""
LEVEL = 0.025
"""Of the one-sided test."""
MIN_UNITS = 20
"""Questions, or documents, below which no cheaper system is recommended."""
SAVING = 0.9
"""Share of the best system's cost from which on another one is cheaper."""


@dataclass(frozen=True)
class Recommendation:
    """The system to take.

    Attributes:
        row: its position in the table, 0 for the best.
        sentence: what is recommended, or that nothing cheaper can be; empty with one system, and
            where questions are too few, which a warning says.
        reason: why this system is in ``chosen.yaml``.
        tests: every other system against the best: difference, p, p by Holm, and whether it is
            ``within tolerance``; empty where there is no test.
    """

    row: int
    sentence: str
    reason: str
    tests: pd.DataFrame


def check_tolerance(tolerance: float) -> None:
    """Raise an UserError unless a tolerance lies between 0 and 100 points."""
    if not isinstance(tolerance, int | float):
        raise UserError(f"tolerance must be a number of points, got {tolerance!r}")
    if not 0 <= tolerance <= 100:
        raise UserError(f"--tolerance must be between 0 and 100 points, got {tolerance:g}")


def too_few(questions: int, compared: bool = True) -> str:
    """Return the warning about too few questions."""
    counted = "1 question is" if questions == 1 else f"{questions} questions are"
    if not compared:
        return f"{counted} too few for a score to be relied on; ask {MIN_UNITS} or more."
    return f"{counted} too few to recommend a cheaper system; {MIN_UNITS} are needed."


def recommend(
    table: pd.DataFrame,
    names: Sequence[str],
    scores: Sequence[pd.Series],
    documents: pd.Series | None,
    tolerance: float = TOLERANCE,
) -> Recommendation:
    """Recommend the cheapest system that is shown to be within a tolerance of the best.

    Args:
        table: a row per system, the best first, with the columns of ``COSTS`` that apply.
        names: display names of the systems.
        scores: per-question scores of the systems, as fractions.
        documents: by question, the one document that it is asked of, if there is one each.
        tolerance: in points.
    """
    best_by_mean = (
        "The best by its mean" if count_ties(table) == 1 else "The first of those that tie"
    )
    if len(table) == 1:
        return Recommendation(0, "", "The only system evaluated.", pd.DataFrame())
    tests = _non_inferiority(names, scores, documents, tolerance)
    if not len(tests):
        questions = len(scores[0].dropna())
        reason = f"{best_by_mean}; not shown to be the best. {too_few(questions)}"
        return Recommendation(0, "", reason, tests)
    eligible = [i for i, within in enumerate(tests["within tolerance"], start=1) if within]
    points = f"{tolerance:g} point{'' if tolerance == 1 else 's'}"
    taken, column = _cheapest(table, eligible)
    if column is None:
        sentence = f"No cheaper system is shown to be within {points} of the best."
        return Recommendation(0, sentence, f"{best_by_mean}. {sentence}", tests)
    shown = f"Cheapest option shown to be within {points} of the best"
    cheaper, best = COSTS[column]
    costs = [_tokens(table[column].iloc[row]) for row in (taken, 0)]
    saving = f"It {cheaper.format(costs[0])} where the best {best.format(costs[1])}."
    unit = tests["unit"].iloc[0]
    test = f"one-sided t-test over {unit} at {100 * LEVEL:g}%, Holm"
    sentence = f"{shown}: {names[taken]}. {saving}"
    return Recommendation(taken, sentence, f"{shown} ({test}). {saving}", tests)


def count_ties(table: pd.DataFrame) -> int:
    """Return how many systems share the best mean score."""
    means = table["score"].astype(float).round(9)
    return int((means == means.iloc[0]).sum())


def _non_inferiority(
    names: Sequence[str],
    scores: Sequence[pd.Series],
    documents: pd.Series | None,
    tolerance: float,
) -> pd.DataFrame:
    """Test every other system against the best; empty where questions are too few."""
    best, rows = scores[0], []
    for name, other in zip(names[1:], scores[1:], strict=True):
        change = (other - best).dropna().sort_index()
        if len(change) < MIN_UNITS:
            return pd.DataFrame()
        groups = None if documents is None else documents.reindex(change.index)
        if groups is not None and groups.nunique() >= FEWEST_DOCUMENTS:
            unit, units = "documents", int(groups.nunique())
            (test,) = clustered_means([(change, groups)])
        else:
            unit, units = "questions", len(change)
            (test,) = statistics.mean_differences([change.to_numpy()])
        p = lower_tail(test.mean, test.error, test.freedom, tolerance / 100)
        rows.append({"system": name, "unit": unit, "units": units, "difference": test.mean, "p": p})
    table = pd.DataFrame(rows)
    table["p_holm"] = statistics.holm(table["p"])
    table["within tolerance"] = table["p_holm"] < LEVEL
    return table


def lower_tail(mean: float, error: float, freedom: float, tolerance: float) -> float:
    """Return the one-sided p of a mean difference being ``-tolerance`` or lower.

    Args:
        mean: the mean difference.
        error: its standard error; 0 if all differences are the same, which leaves no doubt.
        freedom: degrees of freedom of that error.
        tolerance: in the unit of the mean.
    """
    if error == 0:
        return 0.0 if mean > -tolerance else 1.0
    return float(special.stdtr(freedom, -(mean + tolerance) / error))


def _cheapest(table: pd.DataFrame, eligible: Sequence[int]) -> tuple[int, str | None]:
    """Return the position of the cheapest system and the cost that it saves; 0 and None if none is
    cheaper than the best."""
    costs = {name: table[name].astype(float).fillna(0).round() for name in COSTS if name in table}
    left = list(eligible)
    if (reranked := costs.get(RERANKED)) is not None:
        left = [row for row in left if SAVING * reranked[row] <= reranked[0]]
    for name, cost in costs.items():
        cheaper = [row for row in left if cost[row] <= SAVING * cost[0] and cost[row] < cost[0]]
        if cheaper:
            return min(cheaper, key=lambda row: [*_ranks(costs, cheaper, row), row]), name
        left = [row for row in left if SAVING * cost[row] <= cost[0]]
    return 0, None


def _ranks(costs: dict[str, pd.Series], rows: Sequence[int], row: int) -> list[float]:
    """Return the costs of a row, each rounded up to the least one where it is within a tenth."""
    ranks = []
    for cost in costs.values():
        least = float(cost[list(rows)].min())
        ranks.append(least if SAVING * cost[row] <= least else float(cost[row]))
    return ranks


def _tokens(value: float) -> str:
    """Return a number of tokens in words."""
    count = 0 if np.isnan(value) else round(value)
    return "no tokens" if not count else f"{count:,} token{'' if count == 1 else 's'}"
