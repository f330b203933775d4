"""Statistics over queries: means, intervals, paired tests, correction, correlation, equivalence.

``from chunkstudy import statistics`` and then ``statistics.mean``; ``agreement`` and ``power`` are
modules of their own.
"""

from chunkstudy.evaluation.statistics.correlations import (
    fisher_interval,
    inside_fences,
    smallest_significant_r,
)
from chunkstudy.evaluation.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Interval,
    Tested,
    bootstrap_interval,
    bootstrap_intervals,
    mean,
    over_collections,
    percentile_interval,
    population_std,
    resampled_sums,
    with_interval,
)
from chunkstudy.evaluation.statistics.paired import (
    effect,
    holm,
    mean_differences,
    paired_difference,
    two_one_sided,
)

__all__ = [
    "LEVEL",
    "RESAMPLES",
    "Interval",
    "Tested",
    "bootstrap_interval",
    "bootstrap_intervals",
    "effect",
    "fisher_interval",
    "holm",
    "inside_fences",
    "mean",
    "mean_differences",
    "over_collections",
    "paired_difference",
    "percentile_interval",
    "population_std",
    "resampled_sums",
    "smallest_significant_r",
    "two_one_sided",
    "with_interval",
]
