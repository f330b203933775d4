"""Tables as a page shows them: numbers as text, long tables folded, notes that stay short."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.evaluation.measures.units import in_tokens
from chunkstudy.show import notebook, table_notes, tables
from chunkstudy.show.formats import Column

ROOT = Path(__file__).resolve().parents[1]
MEASURES = sorted(
    {name for path in Places(ROOT).runs.glob("*/*/*/*/*/run.json")
     for name in json.loads(path.read_text(encoding="utf-8"))["measures"]}
)  # fmt: skip
"""Every measure that a record holds."""


def test_a_score_that_is_whole_everywhere_is_shown_in_percent_all_the_same() -> None:
    shown = tables.present(pd.DataFrame({"Ceiling(DCG@10)": [1, 1], "chunks": [3, 1]}))
    assert list(shown["Best reachable DCG@10"]) == ["100.0", "100.0"]
    assert list(shown["chunks"]) == ["3", "1"]


def test_tokens_read_are_counted_and_no_share() -> None:
    shown = tables.present(pd.DataFrame({"TokensRead@5": [593.02966, 0.4]}))
    assert list(shown["Tokens read at 5"]) == ["593", "0"]


@pytest.mark.parametrize("measure", MEASURES)
def test_a_score_and_its_difference_are_in_the_unit_of_their_measure(measure: str) -> None:
    columns = ["measure", "n", "first", "second", "difference", "low", "high"]
    fractions = [measure, 9, 0.75, 0.5, 0.25, -0.1, 0.3]
    as_fractions = ["9", "75.0", "50.0", "+25.0", "[\N{MINUS SIGN}10.0, +30.0]"]
    counts = [measure, 9, 500.2, 1250.4, -750.4, -800, 0.3]
    as_counts = ["9", "500 tokens", "1,250 tokens", "\N{MINUS SIGN}750 tokens",
                 "[\N{MINUS SIGN}800 tokens, +0 tokens]"]  # fmt: skip
    row, expected = (counts, as_counts) if in_tokens(measure) else (fractions, as_fractions)
    alone = tables.present(pd.DataFrame([row], columns=columns))
    assert list(alone.iloc[0])[1:] == expected
    assert ("difference, points" in alone) == (row is fractions)
    beside = pd.DataFrame([["nDCG@10", *fractions[1:]], row], columns=columns)
    both = tables.present(beside).drop(columns="measure", errors="ignore")
    assert [list(shown) for _, shown in both.iterrows()] == [as_fractions, expected]


def test_all_scores_but_counts_of_tokens_are_fractions() -> None:
    for path in sorted(Places(ROOT).runs.glob("*/recursive-200-0/*/*/*/per_query.parquet")):
        largest = pd.read_parquet(path).drop(columns="query_id").max()
        beyond = {name for name, most in largest.items() if most > 1}
        assert beyond == {name for name in largest.index if in_tokens(str(name))}, path


def test_a_bound_that_is_open_on_one_side_says_so() -> None:
    frame = pd.DataFrame(
        {"x least": [0.1, None, 0.3, None], "x most": [0.2, 0.2, None, None]}, dtype=float
    )
    shown = tables.present(frame)["x, least and most"]
    assert list(shown) == ["[10.0, 20.0]", "at most 20.0", "at least 30.0", ""]


def test_one_name_has_another_title_where_a_table_means_another_thing() -> None:
    frame = pd.DataFrame({"cut": ["5", "Min"]})
    assert list(tables.present(frame)) == ["chunks cut, %"]
    shown = tables.present(frame, kinds={"cut": Column("of the first chunks", str)})
    assert list(shown["of the first chunks"]) == ["5", "as many as touch an excerpt"]


@pytest.mark.parametrize(("rows", "folded"), [(notebook.LONG, False), (notebook.LONG + 1, True)])
def test_a_long_table_is_folded_behind_its_caption_and_says_how_long(
    rows: int, folded: bool
) -> None:
    shown = notebook.show(pd.DataFrame({"chunks": range(rows)}), "verdicts", caption="Counts").data
    assert shown.startswith("<details>") == folded
    assert shown.count("<tr>") == rows + 1
    assert (f"{rows} rows, folded" in shown) == folded
    assert ("results/tables/verdicts.csv" in shown) == folded
    assert "Counts" in shown


def test_powers_are_raised_code_is_set_and_text_stays_text() -> None:
    frame = pd.DataFrame({"needs": ["run `a < b`, 1.0 \N{MULTIPLICATION SIGN} 10^\N{MINUS SIGN}7"]})
    shown = notebook.html(frame)
    assert "<code>a &lt; b</code>" in shown
    assert "10<sup>\N{MINUS SIGN}7</sup>" in shown


def test_many_families_are_counted_on_a_page_and_all_named_elsewhere() -> None:
    sizes = [2, 2, 2, 5]
    frame = pd.DataFrame({"family": list("abcd"), "family_size": sizes})
    short = table_notes.note(frame, most_families=table_notes.FEW)
    assert short == (
        "p corrected by Holm within each of 4 families of 2 to 5 tests, which the file names."
    )
    assert table_notes.note(frame).count(" tests)") == len(sizes)
    few = frame.iloc[: table_notes.FEW]
    assert table_notes.note(few, most_families=table_notes.FEW) == table_notes.note(few)
