"""Pk, WindowDiff and boundary similarity: by hand, by steps, and as segeval has them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.studies.one_post.cuts import boundary_similarity, pk, window_diff

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
    for ours, theirs in ((pk, segeval.pk), (window_diff, segeval.window_diff)):
        assert ours(one, two, UNITS) == pytest.approx(float(theirs(other, reference)))
    if one or two:  # without any boundary it fails
        expected = float(segeval.boundary_similarity(reference, other))
        assert boundary_similarity(one, two) == pytest.approx(expected)
