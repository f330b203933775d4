"""Selections take the cells they name, and predicates decide by what is selected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.predicates import Predicate, asked
from chunkstudy.claims.selection import Selection, Selector, names_of
from chunkstudy.claims.sources import Sources
from chunkstudy.grid.library import Library
from chunkstudy.places import Places

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
KEYS = ["collection", "chunker", "encoder"]
TABLES = {"cells": CELLS, "none": CELLS.head(0)}
EVIDENCE = Evidence(Sources(Library(Places(Path())), pd.DataFrame(), TABLES))
SELECTOR = Selector({"cells": Selection(table="cells", value="score", keys=KEYS)}, EVIDENCE)


def numbers(**fields: Any) -> dict[str, float]:
    found = SELECTOR.select(Selection.model_validate({"of": "cells", **fields}))
    return dict(zip(names_of(found), found["value"].tolist(), strict=True))


def verdict(**fields: Any) -> str:
    predicate = TypeAdapter(Predicate).validate_python({"values": "cells", **fields})
    return asked(predicate, SELECTOR).verdict()


def test_a_missing_number_is_no_cell_and_one_value_settles_a_key() -> None:
    assert len(numbers()) == 7
    assert numbers(where={"collection": "north", "chunker": "fixed"}) == {"small": 1, "large": 2}
    assert set(numbers(where={"chunker": ["fixed"], "collection": "south"})) == {
        "fixed, small", "fixed, large",
    }  # fmt: skip
    assert numbers(without={"chunker": "sentence", "collection": "south"}) == {
        "north, fixed, small": 1, "north, fixed, large": 2,
    }  # fmt: skip


def test_operations_join_on_shared_keys_and_repeat_what_only_one_has() -> None:
    fixed, sentence = {"chunker": "fixed"}, {"chunker": "sentence"}
    assert numbers(where=sentence, minus={"of": "cells", "where": fixed}) == {
        "north, small": 2, "north, large": 0, "south, small": -1,
    }  # fmt: skip
    assert numbers(where=fixed, minus=1)["south, large"] == 5
    small = {"chunker": "fixed", "encoder": "small"}
    assert numbers(where=fixed, change_from={"of": "cells", "where": small}) == {
        "north, small": 0, "north, large": 100, "south, small": 0,
        "south, large": pytest.approx(20),
    }  # fmt: skip


def test_against_sets_each_of_one_against_each_of_the_other() -> None:
    inside = {"collection": "north"}
    other = {"of": "cells", "where": inside}
    found = numbers(where=inside, minus=other, against="chunker")
    assert len(found) == 8 and found["sentence, small, fixed"] == 2


def test_reductions_go_over_the_keys_they_name() -> None:
    assert numbers(mean=["chunker", "encoder"]) == {"north": 2, "south": 5}
    assert numbers(spread=KEYS) == {"": 5}
    assert numbers(rank=["chunker"], pick={"chunker": "fixed"}) == {
        "north, small": 2, "north, large": 1, "south, small": 1, "south, large": 1,
    }  # fmt: skip
    assert numbers(where={"collection": "south"}, minus=5, absolute=True, highest=KEYS[1:]) == {
        "": 1
    }


def test_a_correlation_runs_along_a_key() -> None:
    plain = {"of": "cells", "where": {"encoder": "small"}}
    found = numbers(
        where={"encoder": "small"}, correlated_with={**plain, "divided_by": -1}, along="chunker"
    )
    assert found == {"north": pytest.approx(-1), "south": pytest.approx(-1)}


def test_a_quantifier_says_in_how_many_cells() -> None:
    assert verdict(predicate="every", above=0) == "holds"
    assert verdict(predicate="every", above=1) == "contradicted"
    assert verdict(predicate="every", below=1) == "contradicted"
    assert verdict(predicate="some", at_least=6) == "holds"
    assert verdict(predicate="some", above=6) == "contradicted"
    assert verdict(predicate="count", above=3, least=3) == "holds"
    assert verdict(predicate="count", above=3, least=4) == "contradicted"
    assert verdict(predicate="count", above=3, most=2) == "contradicted"
    assert verdict(predicate="most", above=1.5) == "holds"
    assert verdict(predicate="most", above=3) == "contradicted"
    assert verdict(predicate="share", above=3, least=3 / 7) == "holds"
    assert verdict(predicate="share", above=3, least=0.5) == "contradicted"


def test_range_speaks_of_rounded_numbers_and_of_its_ends() -> None:
    halves = {"of": "cells", "divided_by": 2}
    assert verdict(predicate="range", low=1, high=6) == "holds"
    assert verdict(predicate="range", low=1, high=5) == "contradicted"
    assert verdict(predicate="range", values=halves, low=0, high=3) == "holds"  # 0.5 is 0 here
    assert verdict(predicate="range", values=halves, low=1, high=3, digits=1) == "contradicted"
    assert verdict(predicate="range", low=1, high=6, reached=True) == "holds"
    assert verdict(predicate="range", low=0, high=6, reached=True) == "contradicted"


def test_rank_and_equal() -> None:
    assert verdict(predicate="rank", over="chunker", row="fixed", last=1) == "contradicted"
    assert verdict(predicate="rank", over="chunker", row="fixed", last=2) == "holds"
    assert verdict(predicate="rank", over="chunker", row="fixed", first=2, last=2) == "contradicted"
    north = {"of": "cells", "where": {"collection": "north"}, "mean": ["encoder"]}
    stated = {"stated": {"fixed": 1.5, "sentence": 2.4}, "key": "chunker"}
    assert verdict(predicate="equal", values=north, to=stated) == "contradicted"
    assert verdict(predicate="equal", values=north, to=stated, within=0.1) == "holds"
    assert verdict(predicate="equal", values=north, to=2, digits=0) == "holds"


def test_nothing_selected_is_open_and_never_decides() -> None:
    none = {"table": "none", "value": "score", "keys": KEYS}
    cases: tuple[dict[str, Any], ...] = (
        {"predicate": "every", "above": 0},
        {"predicate": "some", "above": 0},
        {"predicate": "count", "above": 0, "most": 0},
        {"predicate": "range", "low": 0, "high": 1},
        {"predicate": "rank", "over": "chunker", "row": "fixed", "last": 1},
        {"predicate": "equal", "to": 1},
    )
    for fields in cases:
        assert verdict(values=none, **fields) == "open"


@given(st.floats(-1e3, 1e3).filter(lambda x: abs(x) > 1e-6))
def test_a_sum_of_printed_decimals_decides_as_exact_arithmetic_would(step: float) -> None:
    thrice = {"stated": {"a": step + step + step - 3 * step}}
    assert verdict(predicate="every", values=thrice, at_least=0) == "holds"
    assert verdict(predicate="every", values=thrice, above=0) == "contradicted"
