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


@pytest.mark.parametrize("wrong", [[0], [UNITS], [5, 3], [4, 4], [-1]])
def test_a_boundary_outside_of_the_text_is_refused(wrong: list[int]) -> None:
    for measure in (window_diff, pk, boundary_similarity):
        with pytest.raises(ValueError, match="must ascend and lie within 1 and 11"):
            measure([6], wrong, UNITS)


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
        assert boundary_similarity(one, two, UNITS) == pytest.approx(expected)
