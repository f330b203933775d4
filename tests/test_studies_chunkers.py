"""What Chroma's chunkers do to texts of stated or growing length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkstudy.base.places import Places
from chunkstudy.runs import study_results
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.chroma import cluster_optimum, percentile_threshold

ROOT = Path(__file__).parents[1]


def test_no_segmentation_within_the_limit_beats_the_best_of_all() -> None:
    found = cluster_optimum.tables(Context(Places(ROOT)), ())["rewards"]
    for name in ("official", "as described"):
        within = found[found[f"{name}, longest"] <= cluster_optimum.LONGEST]
        assert (within[name] <= within["best"] + 1e-6).all()
    assert (found["as described, longest"] <= cluster_optimum.LONGEST).all()
    # The official code leaves the limit exactly where it misses the optimum.
    missed = found["official"] < found["best"] - 1e-6
    assert 0 < missed.sum() < len(found)


def test_one_boundary_in_twenty_is_cut_however_long_the_text() -> None:
    found = study_results.read(Places(ROOT), "percentile-threshold")
    assert len(found) == 5 * len(percentile_threshold.SHARES)
    cuts, boundaries = found["chunks"] - 1, found["sentences"] - 1
    assert (cuts <= np.ceil(0.05 * boundaries)).all()
    assert (cuts >= 0.05 * boundaries - 2).all()
    assert found["mean tokens"].to_numpy() == pytest.approx(
        (found["tokens"] / found["chunks"]).to_numpy(), rel=0.01
    )
