"""Tables as a reader sees them: numbers as text, on a page, in Markdown and in LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.places import Places
from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.runs import records
from chunkstudy.study import latex
from chunkstudy.study.formats import Column, number, whole
from chunkstudy.study.tables import LONG, Table
from chunkstudy.study.titles import named

ROOT = Path(__file__).resolve().parents[1]
MINUS = "\N{MINUS SIGN}"
MEASURES = sorted(
    {name for condition in records.find(Places(ROOT).runs)
     for name in records.read(Places(ROOT).runs, condition).run.measures}
)  # fmt: skip
"""Every measure that a record holds."""
GAINS = pd.DataFrame(
    {"collection": ["scifact", "scifact", "nfcorpus"], "window": [128, 256, 128],
     "difference": [0.01, -0.02, 0.0], "low": [0.0, -0.03, -0.01], "high": [0.02, -0.01, 0.01]}
)  # fmt: skip


@given(st.lists(st.floats(-1, 1), min_size=1), st.floats(1, 1e9))
def test_what_a_column_is_shown_in_does_not_hang_on_its_values(
    values: list[float], other: float
) -> None:
    few = Table.of(pd.DataFrame({"x": values})).text["x"]
    more = Table.of(pd.DataFrame({"x": [*values, other]})).text["x"]
    assert list(few) == list(more)[:-1]


def test_a_column_is_shown_as_its_table_says_else_as_all_tables_do() -> None:
    frame = pd.DataFrame({"other": ["fixed-64"], "x": [0.5], "n": [2.0], "difference": [0.1]})
    told: dict[str, Column | Callable[[Any], str]] = {
        "other": named("chunker"), "x": Column("so much", number), "difference": whole,
    }  # fmt: skip
    assert Table.of(frame, columns=told).text.iloc[0].to_dict() == {
        "other": "Fixed size, 64 tokens", "so much": "0.50", "queries": "2",
        "difference, points": "0",
    }  # fmt: skip


@pytest.mark.parametrize("measure", MEASURES)
def test_a_score_and_its_difference_are_in_the_unit_of_their_measure(measure: str) -> None:
    columns = ["measure", "n", "first", "second", "difference", "low", "high"]
    fractions = [measure, 9, 0.75, 0.5, 0.25, -0.1, 0.3]
    as_fractions = ["9", "75.0", "50.0", f"+25.0 [{MINUS}10.0, +30.0]"]
    counts = [measure, 9, 500.2, 1250.4, -750.4, -800, 0.3]
    as_counts = ["9", "500 tokens", "1,250 tokens",
                 f"{MINUS}750 tokens [{MINUS}800 tokens, +0 tokens]"]  # fmt: skip
    row, expected = (counts, as_counts) if in_tokens(measure) else (fractions, as_fractions)
    alone = Table.of(pd.DataFrame([row], columns=columns)).text
    assert list(alone.iloc[0])[1:] == expected
    assert ("difference, points [95%]" in alone) == (row is fractions)
    beside = pd.DataFrame([["nDCG@10", *fractions[1:]], row], columns=columns)
    table = Table.of(beside)
    both = table.text.drop(columns="measure", errors="ignore")
    assert [list(shown) for _, shown in both.iterrows()] == [as_fractions[1:], expected[1:]]
    assert "9 queries." in table.note


def test_all_scores_but_counts_of_tokens_are_fractions() -> None:
    for path in sorted(Places(ROOT).runs.glob("*/all-MiniLM-L6-v2.parquet")):
        largest = pd.read_parquet(path).select_dtypes("number").max()
        beyond = {name for name, most in largest.items() if most > 1}
        assert beyond == {name for name in largest.index if in_tokens(str(name))}, path


def test_a_bound_that_is_open_on_one_side_says_so() -> None:
    frame = pd.DataFrame(
        {"x least": [0.1, None, 0.3, None], "x most": [0.2, 0.2, None, None]}, dtype=float
    )
    shown = Table.of(frame).text["x, least and most"]
    assert list(shown) == ["[10.0, 20.0]", "at most 20.0", "at least 30.0", ""]


@pytest.mark.parametrize(("rows", "folded"), [(LONG, False), (LONG + 1, True)])
def test_a_long_table_is_folded_behind_its_caption_and_says_how_long(
    rows: int, folded: bool
) -> None:
    shown = Table.of(pd.DataFrame({"chunks": range(rows)})).html("Counts", file="verdicts")
    assert shown.startswith("<details>") == folded
    assert shown.count("<tr>") == rows + 1
    assert (f"{rows} rows, folded" in shown) == folded
    assert ("results/tables/verdicts.csv" in shown) == folded
    assert "Counts" in shown


def test_powers_are_raised_code_is_set_and_text_stays_text() -> None:
    frame = pd.DataFrame({"needs": [f"run `a < b`, 1.0 \N{MULTIPLICATION SIGN} 10^{MINUS}7"]})
    shown = Table.of(frame).html()
    assert "<code>a &lt; b</code>" in shown and f"10<sup>{MINUS}7</sup>" in shown


def test_markdown_has_a_line_a_row() -> None:
    assert Table.of(GAINS, ["collection", "low"]).markdown().splitlines() == [
        "| collection | 95% interval |", "|---|---|", "| SciFact | [+0.0, +2.0] |",
        f"| SciFact | [{MINUS}3.0, {MINUS}1.0] |", f"| NFCorpus | [{MINUS}1.0, +1.0] |",
    ]  # fmt: skip


def in_latex(frame: pd.DataFrame = GAINS, **changes: Any) -> str:
    given: dict[str, Any] = {"span": "column", "once": "collection", "shorter": {}}
    caption = r"Of \val{all/n} more."
    return latex.table(Table.of(frame).text, "gains", caption, **(given | changes))


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    bare = latex.escape(text)
    for command in latex.SPECIAL.values():
        if command[1].isalpha():
            bare = bare.replace(command, "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


def test_a_group_is_said_once_also_where_it_is_said_shorter() -> None:
    assert in_latex().count("SciFact") == 1 and in_latex().count(r"\addlinespace") == 1
    short = in_latex(shorter={"SciFact": "Sci", "NFCorpus": "NF"})
    assert short.count("Sci ") == 1 and "SciFact" not in short and "NF " in short


def test_long_heads_wrap_and_a_table_of_the_appendix_breaks_over_pages() -> None:
    frame = pd.DataFrame({"a": ["long text " * 9] * 2, "queries needed to tell": ["12"] * 2})
    found = latex.table(frame, "x", "", "appendix", "", {})
    assert r"\begin{xltabular}" in found and found.count("arraybackslash}X") == 2
