"""A finding says what the tables say, or the build fails with its name and its numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.render import findings
from chunkstudy.render.findings import Finding, FindingError, Number

GAINS = pd.DataFrame(
    {"window": [128, 512], "difference": [0.0402, -0.0666], "high": [0.0552, -0.0466]}
)


def finding(**changes: Any) -> Finding:
    number = Number(table="gains", where="window == 512", value="difference", unit="points")
    high = Number(table="gains", where="window == 512", value="high")
    parts: dict[str, Any] = {
        "name": "wide-windows",
        "about": "late chunking",
        "question": "Does it harm?",
        "answer": "Yes, by {loss} points.",
        "holds": "high < 0",
        "page": "which_chunker",
        "table": "gains",
        "numbers": {"loss": number, "high": high},
    }
    return Finding(**(parts | changes))


def test_an_answer_takes_its_numbers_from_the_table() -> None:
    (row,) = findings.settle([finding()], {"gains": GAINS}).to_dict("records")
    assert row["answer"] == "Yes, by \N{MINUS SIGN}6.7 points."


def test_a_number_that_moves_across_the_condition_breaks_the_build_by_name() -> None:
    moved = GAINS.assign(high=[0.0552, 0.0001])
    with pytest.raises(FindingError, match=r"wide-windows stands only where high < 0.*0\.0001"):
        findings.settle([finding()], {"gains": moved})


def test_a_condition_is_decided_on_unrounded_numbers() -> None:
    nearly = GAINS.assign(high=[0.0552, 1e-12])
    with pytest.raises(FindingError, match="wide-windows"):
        findings.settle([finding()], {"gains": nearly})
    findings.settle([finding()], {"gains": GAINS.assign(high=[0.0552, -1e-12])})


@pytest.mark.parametrize(
    "tables", [{}, {"gains": GAINS[GAINS["window"] == 128]}, {"gains": pd.DataFrame()}]
)
def test_a_number_that_no_row_gives_names_the_finding(tables: dict[str, pd.DataFrame]) -> None:
    with pytest.raises(FindingError, match="wide-windows has no number"):
        findings.settle([finding()], tables)


def test_every_broken_finding_is_named_at_once() -> None:
    moved = GAINS.assign(high=1.0)
    both = [finding(), finding(name="narrow-windows")]
    with pytest.raises(FindingError, match=r"2 findings.*wide-windows.*narrow-windows"):
        findings.settle(both, {"gains": moved})


def test_a_placeholder_without_a_number_is_refused() -> None:
    with pytest.raises(FindingError, match="uses gain, which has no place in a table"):
        findings._check(finding(answer="Yes, by {gain}."))


def test_more_numbers_than_a_reader_takes_in_are_refused() -> None:
    number = finding().numbers["loss"]
    numbers = dict.fromkeys("abcd", number)
    with pytest.raises(FindingError, match="carries 4 numbers"):
        findings._check(finding(answer="{a} {b} {c} {d}", numbers=numbers, holds="a < 0"))


def test_a_finding_with_an_unknown_part_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "findings.toml"
    path.write_text('[[finding]]\nname = "one"\nverdict = "yes"\n')
    with pytest.raises(FindingError, match="finding one is not written as it should be"):
        findings.read(path)


def test_the_studys_findings_are_well_written() -> None:
    found = findings.read()
    pages = {path.stem for path in (Path(__file__).parents[1] / "notebooks").glob("*.ipynb")}
    for one in found:
        assert one.page in pages, one.name
        assert len(re.findall(r"[.!?](?:\s|$)", one.answer)) <= 2, f"{one.name}: two sentences"


EQUIVALENT = Number(table="gains", where="shown == 'equivalent'", take="count")
SAYINGS = (
    "There is no difference.",
    "Yes, as nothing is lost.",
    "It stays as it was.",
    "No: plain is as good.",
    "The window makes no odds.",
    "They are less than a point apart.",
)


@pytest.mark.parametrize("answer", SAYINGS)
def test_an_answer_that_sees_no_difference_rests_on_a_test_of_equivalence(answer: str) -> None:
    high = finding().numbers["high"]
    with pytest.raises(FindingError, match="test it, or say that it is not shown"):
        findings._check(finding(answer=answer, holds="high < 0", numbers={"high": high}))
    numbers = {"equivalent": EQUIVALENT}
    findings._check(finding(answer=answer, holds="equivalent == 1", numbers=numbers))


def test_a_number_named_equivalent_must_come_from_the_test() -> None:
    numbers = {"equivalent": finding().numbers["high"]}
    with pytest.raises(FindingError, match="tests no equivalence"):
        findings._check(
            finding(answer="It stays as it was.", holds="equivalent < 0", numbers=numbers)
        )


def test_what_is_equal_as_printed_is_counted_and_not_tested() -> None:
    numbers = {"equal_cells": Number(table="gains", where="difference == 0", take="count")}
    findings._check(finding(answer="It stays as it was.", holds="equal_cells > 0", numbers=numbers))


@pytest.mark.parametrize("answer", ["It is not shown.", "No gain is shown.", "Yes, beyond chance."])
def test_what_is_said_to_be_shown_or_not_rests_on_a_test(answer: str) -> None:
    loss = finding().numbers["loss"]
    with pytest.raises(FindingError, match="its condition tests nothing"):
        findings._check(finding(answer=answer, holds="loss < 0", numbers={"loss": loss}))
    high = finding().numbers["high"]
    findings._check(finding(answer=answer, holds="high < 0", numbers={"high": high}))
