"""A record held against the same condition run here.

The same code on the same kind of processor gives the same digest of scores. On another one the last
bits of a vector differ, so that two neighbours in a ranking may swap: then means over queries agree
within a tolerance. What no vector moves agrees everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.runs import records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.run import Outcome

TOLERANCE = 0.005
"""Of a mean over queries: another machine's rounding may swap two neighbours in a ranking."""
MACHINE = {"packages", "python", "platform"}
VECTORS = {"per_query_sha256", "ranking", "tie_range"}
BOUNDARIES = {"chunks_sha256", "sizes", "counts"}
"""What else vectors move where they draw the boundaries."""
Agreement = Literal["equal digest", "within tolerance", "different"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far a record and the same condition run here are apart.

    Attributes:
        recorded, here: the two digests of the scores.
        mean: the largest difference of a mean over queries, a fraction.
        other: what else the two say differently.
    """

    condition: Condition
    recorded: str
    here: str
    mean: float
    other: tuple[str, ...]

    @property
    def agreement(self) -> Agreement:
        if self.other or self.mean > TOLERANCE:
            return "different"
        return "equal digest" if self.recorded == self.here else "within tolerance"

    def __str__(self) -> str:
        text = f"{self.agreement}: {self.condition}"
        if self.recorded != self.here:
            text += (
                f", scores {self.recorded[:12]} recorded and {self.here[:12]} here, means at most "
                f"{self.mean:.6f} apart"
            )
        return f"{text}; other {', '.join(self.other)}" if self.other else text


def compare_to_record(condition: Condition, outcome: Outcome, runs: Path) -> Comparison:
    """Hold what a run found against the record of its condition.

    Raises:
        RecordError: if there is no whole record below ``runs``.
    """
    record, run_here = records.read(runs, condition), outcome.run
    run = record.run
    equal = run.per_query_sha256 == run_here.per_query_sha256
    drawn = condition.chunking.needs_encoder or condition.chunking.reader
    forgiven = MACHINE | VECTORS | (BOUNDARIES if drawn and not equal else set())
    before, now = _exact(run), _exact(run_here)
    return Comparison(
        condition,
        run.per_query_sha256,
        run_here.per_query_sha256,
        apart(outcome.scores, record.scores),
        tuple(name for name in now if now[name] != before[name] and name not in forgiven),
    )


def apart(scores: pd.DataFrame, others: pd.DataFrame) -> float:
    """The largest difference of a mean over queries, of measures that both have, without what a
    reader gets in tokens."""
    common = [name for name in scores if name in others and not in_tokens(str(name))]
    return float((scores[common].mean() - others[common].mean()).abs().max())


def _exact(run: records.Run) -> dict[str, Any]:
    """What a record says, without ties and the device, which are the processor's."""
    fields = run.model_dump(mode="json")
    del fields["counts"]["ties_at_cut"]
    (fields["model"] or {}).pop("device", None)
    return fields
