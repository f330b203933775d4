"""A record held against the same condition run here.

The same code on the same kind of processor gives the same digest of scores. On another one the last
bits of a vector differ, so that two neighbours in a ranking may swap: then similarities agree rank
by rank, and means over queries do within a tolerance. What no vector moves agrees everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.runs import records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.run import Outcome

TOLERANCE = 0.005
"""Of a mean over queries: another machine's rounding may swap two neighbours in a ranking."""
OF_A_SIMILARITY = 1e-4
"""Of the similarity at a rank: a thousand times what float32 rounds a cosine to."""
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
        score: the largest difference of a score of one query, a fraction.
        mean: the same of a mean over queries.
        similarity: the same of the similarity at a rank; 0 where no ranking is at hand.
        other: what else the two say differently.
    """

    condition: Condition
    recorded: str
    here: str
    score: float
    mean: float
    similarity: float
    other: tuple[str, ...]

    @property
    def agreement(self) -> Agreement:
        if self.other or self.mean > TOLERANCE or self.similarity > OF_A_SIMILARITY:
            return "different"
        return "equal digest" if self.recorded == self.here else "within tolerance"

    def __str__(self) -> str:
        text = f"{self.agreement}: {self.condition}"
        if self.recorded != self.here:
            text += (
                f", scores {self.recorded[:12]} recorded and {self.here[:12]} here, at most "
                f"{self.score:.6f} apart, means {self.mean:.6f}, similarities {self.similarity:.1e}"
            )
        return f"{text}; other {', '.join(self.other)}" if self.other else text


def compare_to_record(
    condition: Condition, outcome: Outcome, runs: Path, outside: Path
) -> Comparison:
    """Hold what a run found against the record of its condition.

    Raises:
        RecordError: if there is no whole record below ``runs``.
    """
    record, run_here = records.read(runs, condition), outcome.run
    run = record.run
    scores, means = apart(outcome.scores, record.scores)
    equal = run.per_query_sha256 == run_here.per_query_sha256
    drawn = condition.chunking.needs_encoder or condition.chunking.reader
    forgiven = MACHINE | VECTORS | (BOUNDARIES if drawn and not equal else set())
    before, now = _exact(run), _exact(run_here)
    return Comparison(
        condition,
        run.per_query_sha256,
        run_here.per_query_sha256,
        float(np.nanmax(scores.to_numpy())),
        float(means.max()),
        _similarity(record, outcome, outside),
        tuple(name for name in now if now[name] != before[name] and name not in forgiven),
    )


def apart(scores: pd.DataFrame, others: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """How far two scores are apart, by query and measure, and how far their means are, by measure;
    of measures that both have, without what a reader gets in tokens."""
    common = [name for name in scores if name in others and not in_tokens(str(name))]
    ours, theirs = scores[common], others.reindex(scores.index)[common]
    return (ours - theirs).abs(), (ours.mean() - others[common].mean()).abs()


def _exact(run: records.Run) -> dict[str, Any]:
    """What a record says, without ties and the device, which are the processor's."""
    fields = run.model_dump(mode="json")
    del fields["counts"]["ties_at_cut"]
    (fields["model"] or {}).pop("device", None)
    return fields


def _similarity(record: records.Record, outcome: Outcome, outside: Path) -> float:
    """The largest difference of the similarity at a rank; 0 where they rank other chunks, or no
    ranking is at hand."""
    same = record.run.chunks_sha256 == outcome.run.chunks_sha256
    recorded = record.ranking(outside) if same else None
    if recorded is None or outcome.kept is None:
        return 0.0
    return float((recorded["score"] - outcome.kept["score"]).abs().max())
