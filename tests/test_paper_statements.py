"""The paper says what the tables say: a number that turns round stops the build by its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.paper import macros, statements
from chunkstudy.paper.statements import Estimate, Statement, StatementError
from chunkstudy.render import findings
from tests import derived_tables

ROW = pd.DataFrame(
    {"window": [128, 512], "difference": [0.0402, -0.0666], "low": [0.025, -0.0864],
     "high": [0.0552, -0.0466], "n": [472, 1472], "shown": ["higher", "lower"]}
)  # fmt: skip
WRITTEN = statements.read()
TURNED = {"higher": "lower", "lower": "higher", "equivalent": "lower", "not shown": "higher"}


def loss(**changes: Any) -> Statement:
    wide = Estimate(table="gains", where="window == 512", shown="lower")
    return Statement(**({"name": "wide-windows", "estimates": {"wide": wide}} | changes))


def test_an_estimate_brings_its_interval_and_its_count() -> None:
    texts = statements.settle([loss()], [], {"gains": ROW})
    assert texts["wide-windows/wide"] == "−6.7 [−8.6, −4.7]"
    assert texts["wide-windows/wide.alone"] == "−6.7"
    assert texts["wide-windows/wide.n"] == "1,472"
    assert texts["wide-windows"] == ""


def test_tex_reads_a_definition_for_each_number_with_a_real_minus() -> None:
    text = macros.text(statements.settle([loss()], [], {"gains": ROW}))
    assert r"\chunkvalue{wide-windows/wide.alone}{\textminus{}6.7}" in text.splitlines()


def test_a_verdict_that_turns_names_its_statement() -> None:
    turned = ROW.assign(shown=["higher", "not shown"])
    with pytest.raises(StatementError, match="wide-windows: wide is no longer lower"):
        statements.settle([loss()], [], {"gains": turned})


def test_a_condition_sees_the_interval_unrounded() -> None:
    wide = Estimate(table="gains", where="window == 512")
    bound = loss(estimates={"wide": wide}, holds="wide_high < 0")
    statements.settle([bound], [], {"gains": ROW.assign(high=[0.1, -1e-12])})
    with pytest.raises(StatementError, match=r"wide-windows stands only where wide_high < 0"):
        statements.settle([bound], [], {"gains": ROW.assign(high=[0.1, 1e-12])})


def test_every_broken_statement_is_named_at_once() -> None:
    with pytest.raises(StatementError, match=r"2 statements.*wide-windows.*others"):
        statements.settle([loss(), loss(name="others")], [], {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[statement]]\nname = "one"\n', "rests on no condition"),
        ('[[statement]]\nname = "one"\nverdict = "yes"\n', "is not written as it should be"),
        (
            '[[statement]]\nname = "one"\n[statement.estimates]\nx = { table = "gains" }\n',
            "binds x to nothing",
        ),
        ('[[statement]]\nname = "short-tails"\nholds = "1"\n', "stand twice"),
    ],
)
def test_a_badly_written_statement_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "statements.toml"
    path.write_text(text)
    with pytest.raises(StatementError, match=said):
        statements.read(path)


ESTIMATES = [(one, name) for one in WRITTEN for name in one.estimates]


@pytest.mark.parametrize(
    ("statement", "name"), ESTIMATES, ids=[f"{one.name}-{name}" for one, name in ESTIMATES]
)
def test_no_estimate_of_the_paper_survives_being_turned_round(
    statement: Statement, name: str
) -> None:
    """Its sign, its interval and how its test ends, all at once, in every row of its table."""
    estimate = statement.estimates[name]
    tables = dict(derived_tables.every())
    statements.settle([statement], [], tables)
    rows = tables[estimate.table].copy()
    value, low, high = (
        column.strip("`") for column in (estimate.value, estimate.low, estimate.high)
    )
    rows[value], rows[low], rows[high] = -rows[value], -rows[high], -rows[low]
    for column in [one for one in rows.columns if str(one).endswith("shown")]:
        rows[column] = rows[column].map(lambda said: TURNED.get(said, said))
    with pytest.raises(StatementError, match=statement.name):
        statements.settle([statement], [], tables | {estimate.table: rows})


@pytest.mark.parametrize("statement", WRITTEN, ids=lambda one: one.name)
def test_every_condition_of_the_paper_can_break(statement: Statement) -> None:
    names = [*statement.numbers, *(f"{name}{end}" for name in statement.estimates
                                   for end in ("", "_low", "_high", "_n"))]  # fmt: skip
    tries = [range(len(names)), range(len(names), 0, -1), range(0, -len(names), -1)]
    values = [dict(zip(names, map(float, one), strict=True)) for one in tries]
    stands = [bool(pd.eval(statement.holds or "1 == 1", local_dict=one, engine="python"))
              for one in values]  # fmt: skip
    bound = any(one.shown for one in statement.estimates.values())
    assert not all(stands) or bound


def test_a_finding_without_its_number_has_no_name_to_use() -> None:
    assert statements.settle([], findings.read(), {}) == {}


def test_a_findings_numbers_can_be_named_too() -> None:
    texts = statements.settle([], findings.read()[:1], derived_tables.every())
    (name,) = {key.partition("/")[0] for key in texts}
    assert re.fullmatch(r"\d+", texts[f"{name}/lose"])
