"""Pk, WindowDiff and boundary similarity: as segeval has them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.studies.one_post.cuts import boundary_similarity, window_measures

UNITS = 12


def masses(boundaries: list[int], units: int = UNITS) -> tuple[int, ...]:
    return tuple(b - a for a, b in pairwise([0, *boundaries, units]))


cuts = st.sets(st.integers(1, UNITS - 1)).map(sorted)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=100)
@given(cuts, cuts)
def test_segeval_says_the_same(one: list[int], two: list[int]) -> None:
    import segeval

    reference, other = masses(one), masses(two)
    ours = window_measures(one, two, UNITS)
    for name, theirs in (("Pk", segeval.pk), ("WindowDiff", segeval.window_diff)):
        assert ours[name] == pytest.approx(float(theirs(other, reference)))
    if one or two:  # without any boundary it fails
        expected = float(segeval.boundary_similarity(reference, other))
        assert boundary_similarity(one, two) == pytest.approx(expected)
