"""An evaluation compared with an accepted one: is any system worse?

A system is *worse* if its mean is significantly lower (paired t-test, Holm) or lower by more than
``max_drop`` points. It is *not worse* if the 95% interval of the difference is above ``-max_drop``
points, or no question scores lower. Anything else is *undecided*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import pandas as pd

from chunkstudy.core.errors import UserError
from chunkstudy.display.formats import estimate, percent, whole
from chunkstudy.evaluation.statistics.differences import HIGHER, SIGNIFICANT, Pair, differences
from chunkstudy.user_data.baseline import (
    Baseline,
    Setting,
    SystemKey,
    first_accepted,
    load_baseline,
    scores_by_system,
    system_labels,
)
from chunkstudy.user_data.comparison import Evaluation
from chunkstudy.user_data.question_identity import Pairing, printable_id
from chunkstudy.user_data.record import FIRST_ACCEPTED

WORSE, NOT_WORSE, UNDECIDED = "worse", "not worse", "undecided"
RELATIONS = {WORSE: "worse than", NOT_WORSE: "not worse than", UNDECIDED: "undecided against"}
MAX_DROP = 5.0
"""Points by which a mean may fall."""
ROUNDING = 1e-9
TOO_MANY_QUESTIONS = 100_000


@dataclass(frozen=True)
class Gate:
    """The outcome for every system that both evaluations have.

    Attributes:
        table: one row per system: the columns of :func:`differences` (``n`` questions, means
            ``now`` and ``baseline``, difference with interval as fractions, p with Holm's
            correction), ``outcome``, ``questions needed`` to decide, and the ``first accepted``
            mean.
        notes: what the two evaluations do not share, a sentence each.
        first_accepted: the first accepted mean of every system now, for its record.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]
    first_accepted: dict[SystemKey, float]

    @property
    def outcome(self) -> str:
        """Return the outcome of all systems: one that is worse decides."""
        found = set(self.table["outcome"])
        return next(outcome for outcome in (WORSE, UNDECIDED, NOT_WORSE) if outcome in found)

    def passes(self, *, allow_undecided: bool = False) -> bool:
        """Return True if the evaluation may replace the accepted one."""
        return self.outcome == NOT_WORSE or (allow_undecided and self.outcome == UNDECIDED)

    def __str__(self) -> str:
        rows = (row for _, row in self.table.iterrows())
        return "\n".join([*self.notes, *map(_sentence, rows)])


def check_max_drop(points: float) -> None:
    """Refuse a margin that is not between 0 and 100 points.

    Raises:
        UserError: with the value.
    """
    if not 0 <= points <= 100:
        raise UserError(f"--max-drop must be between 0 and 100 points, got {points:g}")


def compare_to_baseline(
    evaluation: Evaluation,
    baseline: str | Path | Baseline,
    *,
    max_drop: float = MAX_DROP,
    allow_missing: bool = False,
) -> Gate:
    """Compare an evaluation with an accepted one by the measure that decides both.

    Args:
        evaluation: the new one.
        baseline: the accepted one, or its folder. Load it with :func:`load_baseline` before you
            evaluate if the new evaluation is written to the same folder.
        max_drop: points by which a mean may fall.
        allow_missing: whether questions of the baseline may be gone.

    Raises:
        UserError: if the two cannot be compared.
    """
    check_max_drop(max_drop)
    if not isinstance(baseline, Baseline):
        baseline = load_baseline(baseline)
        if baseline.folder == evaluation.folder.resolve():
            raise UserError(
                f"Baseline '{baseline.name}' was overwritten by this evaluation; use load_baseline "
                "before you evaluate"
            )
    current = Setting.from_record(evaluation.record)
    pairing = baseline.check_comparable(current, allow_missing=allow_missing)
    scores = {
        key: column.rename(index=printable_id)
        for key, column in scores_by_system(
            evaluation.record, {str(name): column for name, column in evaluation.scores.items()}
        ).items()
    }
    common = [key for key in scores if key in baseline.scores]
    pairs = _pairs(common, scores, baseline, pairing, current)
    table = differences(
        pairs, "against the baseline", "now", "baseline", seed=evaluation.record["seed"]
    )
    margin = max_drop / 100
    drops = [bool((pair.first - pair.second < 0).any()) for pair in pairs]
    table["outcome"] = [
        _outcome(row, margin, dropped)
        for (_, row), dropped in zip(table.iterrows(), drops, strict=True)
    ]
    table["questions needed"] = [
        questions_needed(row, margin) if row["outcome"] == UNDECIDED else math.nan
        for _, row in table.iterrows()
    ]
    table["first accepted"] = [baseline.first_accepted[key] for key in common]
    first = {key: baseline.first_accepted.get(key, float(scores[key].mean())) for key in scores}
    return Gate(table, _notes(baseline, pairing, scores), first)


def with_first_accepted(evaluation: Evaluation, gate: Gate) -> dict[str, object]:
    """Return the record of an evaluation with the first accepted score of every system."""
    return evaluation.record | {FIRST_ACCEPTED: first_accepted(gate.first_accepted)}


def questions_needed(row: pd.Series, margin: float) -> float:
    """Estimate how many questions like these would decide.

    The difference is assumed to stay, and its standard error and the lower half of its interval to
    shrink with the square root of the number of questions, until the interval is above ``-margin``
    or a negative difference is significant.

    Args:
        row: ``n``, ``difference``, ``low`` and ``p_holm``, as fractions.
        margin: the fraction by which the mean may fall.

    Returns:
        A whole number above ``n``; infinity if no number decides, NaN without an interval.
    """
    n, difference, low, p = (float(row[name]) for name in ("n", "difference", "low", "p_holm"))
    if math.isnan(low):
        return math.nan
    ratios = []
    if difference + margin > ROUNDING:
        ratios.append((difference - low) / (difference + margin))
    errors = NormalDist().inv_cdf(1 - p / 2) if p < 1 else 0.0
    if difference < 0 and errors > ROUNDING:
        ratios.append(NormalDist().inv_cdf(1 - SIGNIFICANT / 2) / errors)
    needed = min((n * ratio**2 for ratio in ratios), default=math.inf)
    return max(n + 1, float(math.ceil(needed))) if math.isfinite(needed) else math.inf


def _pairs(
    systems: list[SystemKey],
    scores: dict[SystemKey, pd.Series],
    baseline: Baseline,
    pairing: Pairing,
    current: Setting,
) -> list[Pair]:
    """Pair the scores of the questions that both evaluations ask, by the ids of now."""
    past, now = (list(ids) for ids in zip(*pairing.pairs, strict=True))
    documents = pd.Series([current.questions[id_].document for id_ in now], index=now)
    names = system_labels(systems)
    return [
        Pair(
            {"system": name},
            scores[key].loc[now],
            baseline.scores[key].loc[past].set_axis(now),
            documents if (documents != "").all() else None,
        )
        for key, name in zip(systems, names, strict=True)
    ]


def _outcome(row: pd.Series, margin: float, any_lower: bool) -> str:
    """Classify a comparison.

    Args:
        row: of :func:`differences`.
        margin: the fraction by which the mean may fall.
        any_lower: whether any question scores lower.
    """
    difference = row["difference"]
    if difference < -margin - ROUNDING or (difference < 0 and row["p_holm"] < SIGNIFICANT):
        return WORSE
    if row["n"] and (not any_lower or row["low"] > -margin):
        return NOT_WORSE
    return UNDECIDED


def _sentence(row: pd.Series) -> str:
    outcome = RELATIONS[row["outcome"]]
    if row["outcome"] == NOT_WORSE and row["shown"] == HIGHER:
        outcome = "better than"
    count = "1 question" if row["n"] == 1 else f"{row['n']} questions"
    change = "no interval" if math.isnan(row["low"]) else f"{estimate(row)} points"
    sentence = (
        f"{row['system']}: {outcome} the baseline, {percent(row['baseline'])}% to "
        f"{percent(row['now'])}%, {change} over {count}; first accepted with "
        f"{percent(row['first accepted'])}%."
    )
    return f"{sentence} {_needed(row)}" if row["outcome"] == UNDECIDED else sentence


def _needed(row: pd.Series) -> str:
    needed = row["questions needed"]
    if math.isnan(needed):
        return "At least 2 questions are needed to decide."
    if needed > TOO_MANY_QUESTIONS:
        return f"More than {TOO_MANY_QUESTIONS:,} questions like these would be needed to decide."
    return f"About {whole(needed)} questions like these would decide."


def _notes(
    baseline: Baseline, pairing: Pairing, scores: dict[SystemKey, pd.Series]
) -> tuple[str, ...]:
    """List what the two evaluations do not share."""
    notes = []
    gone = [key for key in baseline.scores if key not in scores]
    if gone:
        names = "; ".join(", ".join(key) for key in gone)
        notes.append(f"Systems of the baseline that are not evaluated now: {names}.")
    notes += pairing.describe(baseline.texts)
    if pairing.added:
        added = "1 question is" if pairing.added == 1 else f"{pairing.added} questions are"
        notes.append(f"{added} not in the baseline.")
    return tuple(notes)
