"""Numbers take the cells they name, and predicates decide by what is selected."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.published.claims import predicates
from chunkstudy.published.claims.numbers import (
    correlation,
    each,
    keyed,
    names_of,
    over,
    pick,
    ranks,
    spread,
    stated,
    together,
    without,
)
from chunkstudy.published.claims.outcomes import ClaimError
from chunkstudy.published.claims.predicates import equal, every, most, ranked, reaches, some, within

CELLS = pd.DataFrame(
    [
        ("north", "fixed", "small", 1.0),
        ("north", "sentence", "small", 3.0),
        ("north", "fixed", "large", 2.0),
        ("north", "sentence", "large", 2.0),
        ("south", "fixed", "small", 5.0),
        ("south", "sentence", "small", 4.0),
        ("south", "fixed", "large", 6.0),
        ("south", "sentence", "large", None),
    ],
    columns=["collection", "chunker", "encoder", "score"],
)
KEYS = ("collection", "chunker", "encoder")
SCORES = keyed(CELLS, KEYS, "score", {})


def named(numbers: pd.Series) -> dict[str, float]:
    return dict(zip(names_of(numbers.dropna()), numbers.dropna().tolist(), strict=True))


def test_a_missing_number_is_no_cell_and_one_value_settles_a_key() -> None:
    assert len(SCORES) == 7
    north = pick(SCORES, collection="north", chunker="fixed")
    assert named(north) == {"small": 1, "large": 2}
    assert set(named(pick(SCORES, chunker=["fixed"], collection="south"))) == {
        "fixed, small", "fixed, large",
    }  # fmt: skip
    assert named(without(SCORES, chunker="sentence", collection="south")) == {
        "north, fixed, small": 1, "north, fixed, large": 2,
    }  # fmt: skip
    assert pick(north, encoder="small") == 1 and pd.isna(pick(north, encoder="none"))


def test_numbers_without_keys_are_one_number() -> None:
    where = {"collection": "north", "chunker": "fixed", "encoder": "small"}
    assert keyed(CELLS, (), "score", where) == 1
    assert pd.isna(keyed(CELLS.head(0), (), "score", where))
    assert keyed(pd.DataFrame(), KEYS, "score", where).empty


@pytest.mark.parametrize(
    ("keys", "value", "where", "said"),
    [
        (("town",), "score", {}, "no column town"),
        (("collection",), "score", {"town": "x"}, "no column town"),
        (("collection",), "score", {}, "name several cells; add a key"),
        ((), "score", {}, "the keys none name several cells"),
        (KEYS, "chunker", {}, "does not hold numbers"),
    ],
)
def test_what_names_no_number_or_several_is_refused(
    keys: tuple[str, ...], value: str, where: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimError, match=said):
        keyed(CELLS, keys, value, where)
    with pytest.raises(ClaimError, match="no level town"):
        over(SCORES, "town")


def test_arithmetic_meets_on_shared_levels() -> None:
    fixed, sentence = (pick(SCORES, chunker=name) for name in ("fixed", "sentence"))
    assert named(sentence - fixed) == {"north, small": 2, "north, large": 0, "south, small": -1}
    assert named(SCORES - over(SCORES, "encoder").max())["north, fixed, small"] == -1


def test_each_sets_every_one_against_every_other() -> None:
    north = pick(SCORES, collection="north")
    assert len(each(north, north)) == 8 and named(each(north, north))["sentence, small, fixed"] == 2


def test_reductions_go_over_the_levels_they_name() -> None:
    assert named(over(SCORES, "chunker", "encoder").mean()) == {"north": 2, "south": 5}
    assert spread(SCORES, *KEYS) == 5
    assert named(pick(ranks(SCORES), chunker="fixed")) == {
        "north, small": 2, "north, large": 1, "south, small": 1, "south, large": 1,
    }  # fmt: skip


def test_what_stands_together_is_named_last() -> None:
    fixed = pick(SCORES, chunker="fixed", collection="north")
    assert named(together("rule", {"a": fixed, "b": 2 * fixed})) == {
        "small, a": 1, "large, a": 2, "small, b": 2, "large, b": 4,
    }  # fmt: skip
    assert named(together("rule", {"a": 1.0})) == {"a": 1}


def test_a_correlation_runs_along_a_level() -> None:
    small = pick(SCORES, encoder="small")
    assert named(correlation(small, -small, "chunker")) == {
        "north": pytest.approx(-1), "south": pytest.approx(-1),
    }  # fmt: skip


def test_a_quantifier_says_in_how_many_cells() -> None:
    assert every(SCORES, above=0).verdict == "holds"
    assert every(SCORES, above=1).verdict == "contradicted"
    assert every(SCORES, below=1).verdict == "contradicted"
    assert some(SCORES, at_least=6).verdict == "holds"
    assert some(SCORES, above=6).verdict == "contradicted"
    assert most(SCORES, above=1.5).verdict == "holds"
    assert most(SCORES, above=3).verdict == "contradicted"


def test_range_speaks_of_rounded_numbers_and_of_its_ends() -> None:
    assert within(SCORES, 1, 6).verdict == "holds"
    assert within(SCORES, 1, 5).verdict == "contradicted"
    assert within(SCORES / 2, 0, 3).verdict == "holds"  # 0.5 is 0 here
    assert within(SCORES / 2, 1, 3, digits=1).verdict == "contradicted"
    assert reaches(SCORES, 1, 6).verdict == "holds"
    assert reaches(SCORES, 0, 6).verdict == "contradicted"


def test_rank_and_equal() -> None:
    assert ranked(SCORES, "fixed", last=1).verdict == "contradicted"
    assert ranked(SCORES, "fixed", last=2).verdict == "holds"
    assert ranked(SCORES, "fixed", first=2, last=2).verdict == "contradicted"
    north = over(pick(SCORES, collection="north"), "encoder").mean()
    told = stated({"fixed": 1.5, "sentence": 2.4}, "chunker")
    assert equal(north, told).verdict == "contradicted"
    assert equal(north, told, allowed=0.1).verdict == "holds"
    assert equal(north, 2, digits=0).verdict == "holds"


def test_nothing_selected_is_open_and_never_decides() -> None:
    none = SCORES.head(0)
    found = [
        every(none, above=0), some(none, above=0), most(none, above=0), within(none, 0, 1),
        reaches(none, 0, 1), ranked(none, "fixed", last=1), equal(none, 1), every(float("nan")),
    ]  # fmt: skip
    assert {one.verdict for one in found} == {"open"}
    assert all(one.needs == predicates.NEEDED for one in found)


@given(st.floats(-1e3, 1e3).filter(lambda x: abs(x) > 1e-6))
def test_a_sum_of_printed_decimals_decides_as_exact_arithmetic_would(step: float) -> None:
    thrice = step + step + step - 3 * step
    assert every(thrice, at_least=0).verdict == "holds"
    assert every(thrice, above=0).verdict == "contradicted"
