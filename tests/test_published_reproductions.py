"""How closely the taxonomy reproduces others, what late chunking changes in its tables, and what
the paper quotes of late chunking within documents: counted by a loop, on made-up tables."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import Study
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, NOT_SHOWN
from chunkstudy.show.faults import StudyError
from chunkstudy.studies.late_within import quoted
from chunkstudy.studies.late_within.reading import EVERY, MINILM
from chunkstudy.studies.taxonomy import late, reproduction

METHODS = ("paragraph", "sentence-5", "fixed-256", "semantic")
SCORES = st.floats(0.05, 0.95).map(lambda value: round(value, 4))
ORDERINGS = ("pre_embedding", "contextualized")


def cells(of: st.DataObject, **values: tuple[str, ...]) -> pd.DataFrame:
    """Every combination once, with a drawn value each, all of them different."""
    keys = list(product(*values.values()))
    drawn = of.draw(st.lists(SCORES, min_size=len(keys), max_size=len(keys), unique=True))
    return pd.DataFrame(keys, columns=list(values)).assign(value=drawn)


@given(st.data())
def test_the_lead_and_the_order_of_methods_are_those_of_a_loop(data: st.DataObject) -> None:
    table = cells(data, chunker=METHODS, statistic=("original", "reproduced"))
    values = {(row["chunker"], row["statistic"]): row["value"] for row in table.to_dict("records")}
    leads = reproduction.leads(table)
    for whose in ("original", "reproduced"):
        best, second = sorted((values[one, whose] for one in METHODS), reverse=True)[:2]
        assert leads[whose] == pytest.approx(best - second) and leads[whose] > 0
    pairs = [
        np.sign(values[a, "original"] - values[b, "original"])
        * np.sign(values[a, "reproduced"] - values[b, "reproduced"])
        for a, b in combinations(METHODS, 2)
    ]
    assert reproduction.agreement_of_orders(table) == pytest.approx(np.mean(pairs))


@given(st.data())
def test_gaps_and_gains_of_every_pair_are_those_of_a_loop(data: st.DataObject) -> None:
    keys = {"collection": ("scifact", "fiqa"), "chunker": METHODS[2:], "ordering": ORDERINGS}
    table = cells(data, **keys, statistic=("original", "reproduced"))
    value = {tuple(row[:-1]): row[-1] for row in table.itertuples(index=False)}
    gaps = reproduction.gaps(table)
    assert len(gaps) == 8 and gaps["gap"].abs().is_monotonic_decreasing
    for row in gaps.to_dict("records"):
        first, second = (value[(*(row[k] for k in keys), one)] for one in reproduction.WHOSE)
        assert row["gap"] == pytest.approx(second - first, abs=1e-6)
    for row in reproduction.gains(table).to_dict("records"):
        where = row["collection"], row["chunker"]
        old, new = (
            [value[(*where, ordering, one)] for ordering in ORDERINGS] for one in reproduction.WHOSE
        )
        assert row["original gain"] == pytest.approx(old[1] - old[0])
        assert row["effect ratio"] == pytest.approx((new[1] - new[0]) / (old[1] - old[0]))
        apart = (old[1] - old[0]) / old[0] - (new[1] - new[0]) / new[0]
        assert row["difference of relative improvements"] == pytest.approx(apart)


@given(st.data())
def test_a_mean_of_changes_stands_beside_the_change_of_means(data: st.DataObject) -> None:
    keys = {"encoder": ("one", "other"), "chunker": (*METHODS, "average")}
    where = {"collection": ("scifact", "fiqa", "average")}
    plain, after, change = (cells(data, **keys, **where) for _ in range(3))
    at = [
        {tuple(row[:-1]): row[-1] for row in one.itertuples(index=False)}
        for one in (plain, after, change)
    ]
    found = late.averages(plain, change, after)
    assert len(found) == 2 * len(METHODS)
    apart = (found["published"] - found["between averages"]).abs()
    assert apart.is_monotonic_decreasing
    for row in found.to_dict("records"):
        key = row["encoder"], row["chunker"], "average"
        assert row["published"] == at[2][key]
        expected = 100 * (at[1][key] - at[0][key]) / at[0][key]
        assert row["between averages"] == pytest.approx(expected)
    moved = late.moved(plain, after)
    assert len(moved) == 2 * len(METHODS) * 2
    for row in moved.to_dict("records"):
        key = row["encoder"], row["chunker"], row["collection"]
        assert "average" not in key and (row["plain"], row["late"]) == (at[0][key], at[1][key])


def rows(shown: dict[int, str], **keys: Any) -> pd.DataFrame:
    """A comparison a window, with the word that it ends in."""
    sign = {HIGHER: 1, LOWER: -1, NOT_SHOWN: 0.1}
    return pd.DataFrame(
        {"window": window, "shown": word, "difference": 0.02 * sign[word], "n": 40, **keys,
         "low": 0.02 * sign[word] - 0.01, "high": 0.02 * sign[word] + 0.01}
        for window, word in shown.items()
    )  # fmt: skip


WORDS = {128: HIGHER, 256: NOT_SHOWN, 512: LOWER}
WITHIN: dict[str, Any] = {"collection": quoted.CORPORA, "measure": quoted.DCG, "model": MINILM,
                          "over": EVERY, "documents": 5, "chunkers": 5}  # fmt: skip


def test_every_number_is_quoted_of_its_own_row_and_no_other() -> None:
    study = Study("trial")
    other = rows(dict.fromkeys(WORDS, NOT_SHOWN), **WITHIN | {"over": "chunks of 64 tokens"})
    quoted.of_windows(study, pd.concat([other, rows(WORDS, **WITHIN)]))
    kept = {name: text for name, text in study._numbers.items() if "." not in name}
    assert kept == {
        "late-minilm/narrow": "+2.0 [+1.0, +3.0]",
        "late-minilm/middle": "+0.2 [\N{MINUS SIGN}0.8, +1.2]",
        "late-minilm/wide": "\N{MINUS SIGN}2.0 [\N{MINUS SIGN}3.0, \N{MINUS SIGN}1.0]",
    }


@pytest.mark.parametrize("window", WORDS)
def test_a_test_that_ends_otherwise_stops_the_page(window: int) -> None:
    study = Study("trial")
    study.default = True
    study._keep = lambda: None  # type: ignore[method-assign]
    turned = WORDS | {window: HIGHER if WORDS[window] != HIGHER else LOWER}
    with pytest.raises(StudyError, match=r"late-minilm/.* no longer holds"):
        quoted.of_windows(study, rows(turned, **WITHIN))


def test_a_second_model_that_shows_the_opposite_stops_the_page() -> None:
    study = Study("trial")
    quoted.of_held(study, pd.DataFrame({"held": ["yes", "open", "yes"]}))
    assert study._numbers == {
        "held-for-a-second-model/asked": "3", "held-for-a-second-model/held": "2",
    }  # fmt: skip
    study.default = True
    study._keep = lambda: None  # type: ignore[method-assign]
    with pytest.raises(StudyError, match="held-for-a-second-model/asked"):
        quoted.of_held(study, pd.DataFrame({"held": ["yes", "no"]}))
