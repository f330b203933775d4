"""A verdict follows from the printed string, the reproduced value and the measured noise."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.experiment.places import Places
from chunkstudy.report import latex
from chunkstudy.report.published import compare, measured_noise, read_published, verdict

ROOT = Path(__file__).parents[1]


def cell(printed: str, unit: str = "percent", state: str = "whole") -> pd.Series:
    decimals = str(len(printed.partition(".")[2]))
    return pd.Series({"printed": printed, "decimals": decimals, "unit": unit, "state": state})


@pytest.mark.parametrize(
    ("printed", "value", "noise", "expected"),
    [
        ("29.9", 29.942, 0.0, "exact"),
        ("29.9", 29.96, 0.0, "deviates"),
        ("29.9", 29.96, 0.02, "within_noise"),
        ("29.9", 35.0, 0.02, "deviates"),
        ("29.9", 25.0, 0.02, "deviates"),
    ],
)
def test_a_verdict_is_two_sided(printed: str, value: float, noise: float, expected: str) -> None:
    assert verdict(cell(printed), value, noise) == expected


def test_printed_sizes_may_be_truncated() -> None:
    assert verdict(cell("312", unit="token"), 312.99, 0.0) == "exact"
    assert verdict(cell("312", unit="token"), 314.2, 0.0) == "deviates"


@pytest.mark.parametrize(("printed", "value"), [("8", 83.4), ("1", 100.0), ("9", 9.4)])
def test_of_a_truncated_cell_only_the_leading_digit_counts(printed: str, value: float) -> None:
    assert verdict(cell(printed, state="leading digit"), value, 0.0) == "exact"
    assert verdict(cell(printed, state="leading digit"), 25.0, 0.0) == "deviates"


def test_every_published_cell_has_a_verdict_or_a_reason() -> None:
    comparison = pd.read_csv(ROOT / "results" / "comparison.csv", dtype=str, keep_default_na=False)
    assert len(comparison) == len(read_published(Places(ROOT)))
    not_run = comparison["verdict"] == "not_run"
    assert (comparison.loc[not_run, "reason"] != "").all()
    assert (comparison.loc[~not_run, ["run", "reproduced"]] != "").all().all()
    assert set(comparison["verdict"]) <= {"exact", "within_noise", "deviates", "not_run"}


def test_the_stored_comparison_is_what_the_records_give() -> None:
    made = compare(Places(ROOT)).to_csv(index=False, lineterminator="\n")
    assert made == (ROOT / "results" / "comparison.csv").read_bytes().decode("utf-8")


def test_noise_without_measurements_is_zero(tmp_path: Path) -> None:
    assert measured_noise(Places(tmp_path)) == 0.0


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    escaped = latex.escape(text)
    bare = escaped.replace(r"\textbackslash{}", "").replace(r"\textasciitilde{}", "")
    bare = bare.replace(r"\textasciicircum{}", "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


def test_a_macro_name_holds_letters_only() -> None:
    assert latex.macro_name("tokens state_of_the_union 5") == "TokensStateOfTheUnionFive"
