"""Statistics over queries: means, intervals, paired tests, correction, correlation, equivalence.

``from chunkstudy import statistics`` and then ``statistics.mean``; ``agreement`` and ``power`` are
modules of their own.
"""

from chunkstudy.statistics.correlations import (
    Correlation,
    correlation,
    fisher_interval,
    inside_fences,
    smallest_significant_r,
)
from chunkstudy.statistics.equivalence_tests import Equivalence, equivalence, two_one_sided
from chunkstudy.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Interval,
    MeanOverCollections,
    bootstrap_interval,
    bootstrap_intervals,
    mean,
    over_collections,
    percentile_interval,
    population_std,
    resampled_sums,
)
from chunkstudy.statistics.paired import PairedDifference, holm, paired_difference

__all__ = [
    "LEVEL",
    "RESAMPLES",
    "Correlation",
    "Equivalence",
    "Interval",
    "MeanOverCollections",
    "PairedDifference",
    "bootstrap_interval",
    "bootstrap_intervals",
    "correlation",
    "equivalence",
    "fisher_interval",
    "holm",
    "inside_fences",
    "mean",
    "over_collections",
    "paired_difference",
    "percentile_interval",
    "population_std",
    "resampled_sums",
    "smallest_significant_r",
    "two_one_sided",
]
