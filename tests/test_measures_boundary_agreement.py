"""Pk, WindowDiff and boundary similarity: by hand, by steps, and as segeval has them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.studies.one_post.boundary_agreement import (
    boundary_similarity,
    pk,
    window_diff,
    window_size,
)

UNITS = 12


def masses(boundaries: list[int], units: int = UNITS) -> tuple[int, ...]:
    return tuple(b - a for a, b in pairwise([0, *boundaries, units]))


def test_by_hand() -> None:
    """Twelve units in three fours against one boundary a unit off and one lacking: windows of 2."""
    reference, other = [4, 8], [5]
    assert window_size(reference, UNITS) == 2
    assert window_diff(reference, other, UNITS) == 4 / 10
    assert pk(reference, other, UNITS) == 4 / 10
    assert boundary_similarity(reference, other, UNITS) == 1 - (1 + 0.5) / 2
    assert boundary_similarity([5], reference, UNITS) == 0.25


def test_the_same_cuts_agree_in_full_and_no_cut_agrees_with_none() -> None:
    for one in ([], [3], [1, 2, 11]):
        assert window_diff(one, one, UNITS) == pk(one, one, UNITS) == 0
        assert boundary_similarity(one, one, UNITS) == 1
    assert boundary_similarity([], [6], UNITS) == 0


def test_windowdiff_sees_a_boundary_too_many_where_pk_does_not() -> None:
    assert window_diff([6], [5, 6], UNITS, window=4) > 0
    assert pk([6], [6, 7], UNITS, window=4) < window_diff([6], [6, 7], UNITS, window=4)


@pytest.mark.parametrize("wrong", [[0], [UNITS], [5, 3], [4, 4], [-1]])
def test_a_boundary_outside_of_the_text_is_refused(wrong: list[int]) -> None:
    for measure in (window_diff, pk, boundary_similarity):
        with pytest.raises(ValueError, match="must ascend and lie within 1 and 11"):
            measure([6], wrong, UNITS)


cuts = st.sets(st.integers(1, UNITS - 1)).map(sorted)


def slow(reference: list[int], other: list[int], window: int, counts: bool) -> float:
    """Window by window, gap by gap."""
    wrong = 0
    for start in range(UNITS - window):
        gaps = range(start + 1, start + window + 1)
        ours, theirs = (sum(gap in one for gap in gaps) for one in (reference, other))
        wrong += ours != theirs if counts else (ours > 0) != (theirs > 0)
    return wrong / (UNITS - window)


@settings(max_examples=300)
@given(cuts, cuts, st.integers(1, UNITS - 1))
def test_windows_by_steps(reference: list[int], other: list[int], window: int) -> None:
    expected = slow(reference, other, window, counts=True)
    assert window_diff(reference, other, UNITS, window) == pytest.approx(expected)
    expected = slow(reference, other, window, counts=False)
    assert pk(reference, other, UNITS, window) == pytest.approx(expected)


def fewest_mistakes(ours: frozenset[int], theirs: frozenset[int]) -> tuple[float, int]:
    """Over all ways to pair boundaries that are next to each other: mistakes, and what counts."""
    both = ours & theirs
    left, right = ours - both, theirs - both
    best = (float(len(left) + len(right)), len(left) + len(right))
    for one in left:
        for neighbour in (one - 1, one + 1):
            if neighbour in right:
                rest, count = fewest_mistakes(left - {one}, right - {neighbour})
                best = min(best, (rest + 0.5, count + 1))
    return best


@settings(max_examples=200)
@given(cuts, cuts)
def test_near_misses_are_paired_as_well_as_they_can_be(one: list[int], two: list[int]) -> None:
    mistakes, count = fewest_mistakes(frozenset(one), frozenset(two))
    total = count + len({*one} & {*two})
    expected = 1 - mistakes / total if total else 1
    assert boundary_similarity(one, two, UNITS) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=100)
@given(cuts, cuts)
def test_segeval_says_the_same(one: list[int], two: list[int]) -> None:
    import segeval

    reference, other = masses(one), masses(two)
    for ours, theirs in ((pk, segeval.pk), (window_diff, segeval.window_diff)):
        assert ours(one, two, UNITS) == pytest.approx(float(theirs(other, reference)))
    if one or two:  # without any boundary it fails
        expected = float(segeval.boundary_similarity(reference, other))
        assert boundary_similarity(one, two, UNITS) == pytest.approx(expected)


def test_segeval_says_the_same_of_its_own_example() -> None:
    """Hearst's text of 1997, which comes with the library: seven readers' cuts of one text."""
    import segeval

    readers = list(segeval.HEARST_1997_STARGAZER["stargazer"].values())
    assert len(readers) == 7
    for first in readers:
        for second in readers:
            units = sum(first)
            one, two = ([sum(m[: i + 1]) for i in range(len(m) - 1)] for m in (first, second))
            assert window_diff(one, two, units) == pytest.approx(
                float(segeval.window_diff(second, first))
            )
            assert pk(one, two, units) == pytest.approx(float(segeval.pk(second, first)))
            assert boundary_similarity(one, two, units) == pytest.approx(
                float(segeval.boundary_similarity(first, second))
            )
