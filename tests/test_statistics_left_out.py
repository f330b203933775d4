"""Regressions that leave out one group at a time, against fitting each of them anew."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from chunkstudy.studies.moderators.left_out import fit

RNG = np.random.default_rng(11)


ROWS, GROUPS = 120, 9


def made() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    groups = RNG.integers(0, GROUPS, ROWS)
    x = np.column_stack([RNG.normal(size=(ROWS, 3)), np.ones(ROWS)])
    y = x @ [0.5, -1, 0, 2] + RNG.normal(size=GROUPS)[groups] + RNG.normal(size=ROWS)
    return x, y, groups


def test_coefficients_and_predictions_are_those_of_regressions_fitted_anew() -> None:
    x, y, groups = made()
    found = fit(x, y, groups)
    assert found.coefficients == pytest.approx(sm.OLS(y, x).fit().params)
    without = {}
    for group in range(GROUPS):
        own = groups == group
        without[group] = sm.OLS(y[~own], x[~own]).fit().params
        assert found.predicted[own] == pytest.approx(x[own] @ without[group])
    apart = np.stack(list(without.values())) - found.coefficients
    assert found.errors == pytest.approx(np.sqrt((GROUPS - 1) / GROUPS * (apart**2).sum(axis=0)))
    assert found.groups == GROUPS


def test_five_unequal_groups_that_agree_within_themselves_are_covered_where_rows_are_not() -> None:
    sizes = [10, 20, 40, 80, 100]
    groups = np.repeat(np.arange(5), sizes)
    covered = ordinary = 0
    worlds = 300
    for _ in range(worlds):
        moderator = RNG.normal(size=5)[groups] + 0.3 * RNG.normal(size=250)
        y = 0.2 * moderator + RNG.normal(size=5)[groups] + RNG.normal(size=250)
        x = np.column_stack([moderator, np.ones(250)])
        low, high = fit(x, y, groups).intervals()[0]
        covered += low <= 0.2 <= high
        low, high = sm.OLS(y, x).fit().conf_int()[0]
        ordinary += low <= 0.2 <= high
    assert covered > 0.9 * worlds
    assert ordinary < 0.6 * worlds


def test_what_only_one_group_tells_is_taken_to_be_nothing_without_it() -> None:
    groups = np.repeat(["a", "b", "c"], 10)
    only = np.column_stack([groups == name for name in "abc"]).astype(float)
    y = RNG.normal(5, 1, 30)
    found = fit(only, y, groups)
    assert found.coefficients == pytest.approx([y[:10].mean(), y[10:20].mean(), y[20:].mean()])
    assert found.predicted == pytest.approx(np.zeros(30))


def test_one_group_has_no_error_and_missing_numbers_are_refused() -> None:
    x, y, _ = made()
    assert np.isnan(fit(x, y, np.zeros(ROWS)).errors).all()
    y[3] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        fit(x, y, np.zeros(ROWS))
    with pytest.raises(ValueError, match="do not fit"):
        fit(x, y[1:], np.zeros(ROWS))
