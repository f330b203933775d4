"""The area under the ROC curve against counting pairs, and probabilities of what was left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.studies.boundary_signals import roc

PLACES = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30
)


def pairs_counted(scores: list[float], true: list[bool]) -> float:
    """One pair after the other."""
    won = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, first in zip(scores, true, strict=True)
        if first
        for b, second in zip(scores, true, strict=True)
        if not second
    ]
    return sum(won) / len(won) if won else float("nan")


@given(PLACES)
def test_the_area_is_the_share_of_pairs_that_are_won(places: list[tuple[int, bool, int]]) -> None:
    scores, true, groups = (list(column) for column in zip(*places, strict=True))
    expected = pairs_counted(scores, true)
    assert float(roc.pair_counts(scores, true, groups).area()) == pytest.approx(
        expected, nan_ok=True
    )


@given(PLACES)
def test_a_group_that_is_drawn_twice_counts_as_two(places: list[tuple[int, bool, int]]) -> None:
    scores, true, groups = (list(column) for column in zip(*places, strict=True))
    names = sorted(set(groups))
    times = np.arange(len(names), dtype=float)  # the first is not drawn at all
    repeated = [place for place in places for _ in range(int(times[names.index(place[2])]))]
    expected = pairs_counted([p[0] for p in repeated], [p[1] for p in repeated])
    assert float(roc.pair_counts(scores, true, groups).area(times)) == pytest.approx(
        expected, nan_ok=True
    )


def some(boundaries_higher_by: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(30), 20)
    true = np.tile(np.arange(20) == 0, 30)
    return random.normal(size=600) + boundaries_higher_by * true, true, groups


def test_the_jackknife_is_that_of_leaving_each_group_out() -> None:
    scores, true, groups = some(0.5)
    without = np.array(
        [pairs_counted(scores[groups != g].tolist(), true[groups != g].tolist()) for g in range(30)]
    )
    expected = np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())
    assert roc.area(roc.pair_counts(scores, true, groups)).error == pytest.approx(expected)


def test_a_missing_score_is_refused() -> None:
    with pytest.raises(ValueError, match="leave out what was not measured"):
        roc.pair_counts([1.0, float("nan")], [True, False], [0, 1])


def test_what_is_left_out_has_no_say_in_its_own_score() -> None:
    scores, true, groups = some(1.0)
    before = roc.held_out(scores[:, None], true, groups)
    part = groups % roc.FOLDS == 3
    after = roc.held_out(scores[:, None], np.where(part, ~true, true), groups)
    assert np.array_equal(before[part], after[part])
    assert not np.allclose(before[~part], after[~part])


def test_one_group_cannot_be_held_out() -> None:
    with pytest.raises(ValueError, match="give two"):
        roc.held_out([[1.0], [2.0]], [True, False], [0, 0])
