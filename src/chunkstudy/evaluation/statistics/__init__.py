"""Statistics over queries: means, intervals, tests, correction, correlation, equivalence.

``from chunkstudy import statistics`` and then ``statistics.mean``; ``power`` is a module apart.
"""

from chunkstudy.evaluation.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Interval,
    bootstrap_interval,
    bootstrap_intervals,
    inside_fences,
    mean,
    percentile_interval,
    population_std,
    resampled_sums,
    with_interval,
)
from chunkstudy.evaluation.statistics.testing import (
    Tested,
    clustered_means,
    effect,
    holm,
    mean_differences,
    two_one_sided,
)
