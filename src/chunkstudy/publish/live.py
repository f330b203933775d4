"""The built-in collection run live, compared with its stored scores.

Every stage takes part: chunkers with and without a model, plain chunks and late chunking, search,
and the measures of two tasks. Every other kind of condition is run by ``make check-runs``.
"""

from __future__ import annotations

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.runs import records
from chunkstudy.runs.against_record import TOLERANCE, compare_to_record
from chunkstudy.runs.conditions import LATE_512, MINILM, MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.runs.run import read_together, run

PLAIN = ("recursive-200-0", "token-250-125", "cluster-200")
LATE = ("none", "sentence-5")


def units() -> list[tuple[Condition, ...]]:
    """The conditions run live, in parts that share vectors."""
    protocol = CORRECTED.name
    return [
        tuple(Condition("builtin", name, MINILM, PRE_EMBEDDING, protocol) for name in PLAIN),
        tuple(Condition("builtin-graded", name, MINILM_512, LATE_512, protocol) for name in LATE),
    ]


def compare(places: Places, unit: tuple[Condition, ...]) -> str:
    """Run conditions into ``build`` and compare the means over queries with the stored ones.

    Raises:
        RecordError: if there is no record, or a mean is further from its stored value than the
            tolerance.
    """
    read_together(unit, places.vectors)
    compared = []
    for condition in unit:
        outcome = run(condition, places.vectors, places.build / "runs")
        compared.append(compare_to_record(condition, outcome, places.runs))
        if compared[-1].mean > TOLERANCE:
            raise records.RecordError(
                f"{condition} gives scores that differ by {compared[-1].mean:.4f} from the stored "
                "ones; check that requirements.lock is installed as it stands"
            )
    name, worst = unit[0].collection, max(comparison.mean for comparison in compared)
    return f"{name}, {len(unit)} conditions, largest difference of a mean {worst:.6f}"
