"""Every test of a difference stands in one family, and a family is one question."""

from __future__ import annotations

import pandas as pd
import pytest

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import (
    EQUIVALENT,
    HIGHER,
    LOWER,
    NOT_SHOWN,
    SIGNIFICANT,
)
from chunkstudy.runs.conditions import NONE
from chunkstudy.runs.names import parse_encoder
from chunkstudy.show import table_notes
from chunkstudy.show.tables import Table
from tests import derived_tables

DIFFERENCE = ("difference", "a minus b", "late - plain")


@pytest.fixture(scope="module")
def compared() -> dict[str, pd.DataFrame]:
    """Every derived table of tests for and against a difference, without rows that stand for
    none."""
    tested = {
        name: table.dropna(subset="p_equivalent_holm")
        for name, table in derived_tables.every().items()
        if "p_equivalent_holm" in table and set(DIFFERENCE) & set(table)
    }
    assert len(tested) > 30
    return tested


def test_every_test_is_corrected_within_its_family_and_no_other(
    compared: dict[str, pd.DataFrame],
) -> None:
    for name, table in compared.items():
        assert len(table) and table["family"].notna().all(), name
        for family, group in table.groupby("family"):
            assert set(group["family_size"]) == {len(group)}, (name, family)
            if "p" in group:
                holm = statistics.holm(group["p"])
                assert group["p_holm"].tolist() == pytest.approx(list(holm)), (name, family)


def test_a_family_stands_in_one_table(compared: dict[str, pd.DataFrame]) -> None:
    named = [family for table in compared.values() for family in set(table["family"])]
    assert len(named) == len(set(named))


def test_a_family_mixes_no_measures_protocols_or_models(compared: dict[str, pd.DataFrame]) -> None:
    for name, table in compared.items():
        table = table[~table["family"].str.contains("two models")]
        if "encoder" in table:
            with_model = table["encoder"] != NONE
            table = table[with_model].assign(
                encoder=[
                    one if "/" in one else parse_encoder(one).model
                    for one in table["encoder"][with_model]
                ]
            )
        for column in {"measure", "protocol", "encoder", "model", "table", "task"} & set(table):
            assert (table.groupby("family")[column].nunique() == 1).all(), (name, column)


def test_the_word_follows_from_the_two_corrected_p(compared: dict[str, pd.DataFrame]) -> None:
    for name, table in compared.items():
        difference = table[next(column for column in DIFFERENCE if column in table)]
        tested = (table[f"{p}_holm"] for p in ("p", "p_equivalent"))
        for change, p, equal, word in zip(difference, *tested, table["shown"], strict=True):
            if p < SIGNIFICANT:
                expected = HIGHER if change > 0 else LOWER
            else:
                expected = EQUIVALENT if equal < SIGNIFICANT else NOT_SHOWN
            assert word == expected, name


def test_where_a_p_is_shown_its_family_and_size_stand_below(
    compared: dict[str, pd.DataFrame],
) -> None:
    for name, table in compared.items():
        found = Table.of(table)
        note, shown, families = found.note, found.text, table["family"].nunique()
        assert {"p, Holm", "p of equivalence, Holm", "shown"} <= set(shown), name
        assert "p" not in shown, name  # before its correction it decides nothing
        named = note.count(" tests)") + note.count(" test)")
        assert named >= families or f"each of {families} families" in note, name
        assert "less than a point" in note or "less than 0.1 points" in note, name


def test_what_all_families_share_is_said_once() -> None:
    frame = pd.DataFrame(
        {"family": ["a, window 1, here", "b, window 1, here", "b, window 1, here"],
         "family_size": [1, 2, 2]}
    )  # fmt: skip
    expected = "p corrected by Holm within: window 1, here: a (1 test); b (2 tests)."
    assert table_notes.note(frame, []) == expected
    alone = "p corrected by Holm within: a, window 1, here (1 test)."
    assert table_notes.note(frame.iloc[:1], []) == alone
