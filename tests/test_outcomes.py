"""What the derived tables say of each comparison: one outcome, and over what it was corrected;
what the advice on chunkers follows from is what the records say."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.core.errors import RecordError
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.display.formats import number
from chunkstudy.display.tables import Table, as_text
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER
from chunkstudy.notebook.random_order import COLUMN, RandomOrder
from chunkstudy.pipeline.conditions import MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.pipeline.record_store import Library
from chunkstudy.studies.which_chunker.advice import GROUP, advice
from chunkstudy.studies.which_chunker.ranking import READ, by_words, ranking, with_random_order

DIFFERENCE = ("difference", "a minus b", "late - plain")
OTHER_WAY = {HIGHER: LOWER, LOWER: HIGHER}
PLACES = Project(Path(__file__).parents[1])


@pytest.fixture(scope="module")
def compared() -> dict[str, pd.DataFrame]:
    """Every derived table of tests for and against a difference, without rows that stand for
    none, the difference in the column of that name."""
    paths = [path for path in sorted(PLACES.tables.glob("*.csv")) if path.stat().st_size > 1]
    tested = {
        name: table.dropna(subset="p_equivalent_holm").rename(
            columns=dict.fromkeys(DIFFERENCE, "difference")
        )
        for name, table in ((path.stem, pd.read_csv(path, low_memory=False)) for path in paths)
        if "p_equivalent_holm" in table and set(DIFFERENCE) & set(table)
    }
    assert len(tested) > 30
    return tested


def test_no_comparison_has_two_outcomes(compared: dict[str, pd.DataFrame]) -> None:
    """The same two systems over the same questions have the same number of questions, difference
    and uncorrected p in every table, whichever of the two is the first."""
    found: dict[tuple[object, ...], list[tuple[str, str]]] = defaultdict(list)
    for name, table in compared.items():
        if {"n", "p"} <= set(table):
            for row in table[table["p"] < 1].to_dict("records"):
                same = row["n"], f"{row['p']:.6g}", f"{abs(row['difference']):.6g}"
                turned = row["difference"] < 0
                outcome = OTHER_WAY.get(row["shown"], row["shown"]) if turned else row["shown"]
                found[same].append((outcome, f"{name}, {row['family']}"))
    repeated = [told for told in found.values() if len(told) > 1]
    assert len(repeated) > 50
    assert [told for told in repeated if len({outcome for outcome, _ in told}) > 1] == []


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


def test_where_an_outcome_is_shown_its_family_and_size_stand_below(
    compared: dict[str, pd.DataFrame],
) -> None:
    for name, table in compared.items():
        found = Table.of(table, columns={"*": number})
        note, shown, families = found.note, found.text, table["family"].nunique()
        assert "shown" in shown and not {"p", "p, Holm"} & {*map(str, shown)}, name
        assert "p, Holm" in as_text(table, [*map(str, table)], {"*": number}), name  # for papers
        named = note.count(" tests)") + note.count(" test)")
        assert named >= families or f"each of {families} families" in note, name
        assert "less than a point" in note or "less than 0.1 points" in note, name


ROOT = Project(Path(__file__).parents[1])
LIBRARY, MODEL = Library(ROOT), parse_encoder(MINILM_512).model


@pytest.fixture(scope="module")
def searched() -> pd.DataFrame:
    return by_words(ROOT)


@pytest.fixture(scope="module")
def table(searched: pd.DataFrame) -> pd.DataFrame:
    return ranking(LIBRARY, searched, [MODEL])


def test_a_score_is_the_mean_of_its_record_or_of_its_search(
    table: pd.DataFrame, searched: pd.DataFrame
) -> None:
    rows = table[(table["collection"] == "covid-qa-within") & (table["chunker"] == "sentence-5")]
    scores = rows.set_index(["ordering", "window"])["score"]
    condition = Condition(
        "covid-qa-within", "sentence-5", MINILM_512, PRE_EMBEDDING, CORRECTED.name
    )
    record = LIBRARY.get(condition)
    assert record is not None
    assert scores[PRE_EMBEDDING, 512] == pytest.approx(record.wide["DCG@10"].mean())
    found = searched[(searched["collection"] == "covid-qa-within")]
    found = found[(found["chunker"] == "sentence-5") & (found["system"] == "words")]
    assert len(found) == record.run.counts.queries_scored
    assert scores["words", 0] == pytest.approx(found["value"].mean())
    assert ("both", 512) in scores.index


def test_the_best_trails_nothing_and_a_reader_gets_five_chunks(table: pd.DataFrame) -> None:
    best = table.groupby(GROUP, sort=False).head(1)
    assert (best["difference"] == 0).all() and (best["shown"] != "lower").all()
    others = table.drop(best.index)
    assert (others["difference"] <= 0).all()
    assert ((others["shown"] == "lower") == (others["p_holm"] < 0.05)).all()
    windows = table[(table["task"] == "excerpts") & (table["chunker"] == "token-250-0")]
    assert windows[READ].to_numpy() == pytest.approx(1250, rel=0.02)
    summed = advice(table)
    assert summed["worse"].sum() == (others["shown"] == "lower").sum()
    assert summed["others"].sum() == len(others)


def test_a_model_without_records_ends_in_one_sentence(searched: pd.DataFrame) -> None:
    with pytest.raises(RecordError, match=f"records of nobody/model .*name one of .*{MODEL}"):
        ranking(LIBRARY, searched, ["nobody/model"])


def test_a_chunker_without_a_plain_record_competes_where_it_was_searched_by_words(
    table: pd.DataFrame,
) -> None:
    """It was dropped, so that the best chunks of all were not the best."""
    scifact = table[(table["collection"] == "scifact") & (table["ordering"] == "both")]
    assert "recursive-200-0" in set(scifact["chunker"])
    of_vectors = table[(table["collection"] == "scifact") & (table["ordering"] == PRE_EMBEDDING)]
    assert "recursive-200-0" not in set(of_vectors["chunker"])


def test_the_score_of_a_random_order_stands_beside_dcg_and_nothing_else(
    table: pd.DataFrame,
) -> None:
    shown = with_random_order(table, RandomOrder.load(ROOT)).set_index(["collection", "chunker"])
    within = shown[shown["task"] == "in-document"][COLUMN]
    large, small = (
        within.loc[("evidence-inference-within", name)].iloc[0]
        for name in ("fixed-256", "fixed-64")
    )
    assert large > 2 * small > 0  # chance alone favours large chunks
    assert shown.loc[shown["task"] != "in-document", COLUMN].isna().all()
