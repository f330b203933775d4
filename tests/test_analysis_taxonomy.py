"""The taxonomy's tables follow from any records, decided on unrounded values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from chunkstudy.analysis import taxonomy
from chunkstudy.analysis.recorded import BUILTIN, TAXONOMY, blocks
from chunkstudy.analysis.taxonomy import scores, with_marks
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import cells as published_cells
from tests.recorded import CHUNKERS, IELAB, LATE, OWN, PRE, WIDE, library, made

ROOT = Places(Path(__file__).parents[1])
CELLS = published_cells.frame(published_cells.read(ROOT))
Scores = dict[Condition, pd.Series]


def table_of(found: Scores, number: str = "3") -> tuple[Any, Any]:
    """A table's cells by method and collection, and its tests."""
    own, tests = with_marks(blocks(library(found)), TAXONOMY, f"taxonomy_table{number}")
    return own.set_index(["method", "collection"]), tests


def test_superscripts_are_paired_t_tests_against_best_and_worst_of_all_rows() -> None:
    found = made()
    own, _ = table_of(found)
    seen = set()
    for name in ("scifact", "nfcorpus"):
        column = {c.chunker: s for c, s in found.items()
                  if (c.collection, c.ordering) == (name, PRE)}  # fmt: skip
        means = {method: s.mean() for method, s in column.items()}
        best, worst = max(means, key=lambda m: means[m]), min(means, key=lambda m: means[m])
        for method, values in column.items():
            cell = own.loc[method, name]
            expected = "".join(
                letter
                for letter, other in (("a", best), ("b", worst))
                if method != other and stats.ttest_rel(values, column[other]).pvalue < 0.05
            )
            assert (cell["marks"], cell["best"], cell["worst"]) == (
                expected, method == best, method == worst,
            )  # fmt: skip
            assert cell["value"] == pytest.approx(values.mean())
            seen.add(expected)
    assert {"", "a", "b"} <= seen  # the draw shows every kind of mark


def test_documents_without_chunking_can_be_the_best_row_but_enter_no_average_of_methods() -> None:
    found = made()
    for condition in found:
        if condition.chunker == "none":
            found[condition] = found[condition] + 5
    own, _ = table_of(found)
    assert own.loc["none", "scifact"][["best", "marks"]].tolist() == [True, "b"]
    assert own.loc["none", "average"]["best"]
    methods = [own.loc[chunker, "scifact"]["value"] for chunker in CHUNKERS[1:]]
    assert own.loc["average", "scifact"]["value"] == pytest.approx(np.mean(methods))


def test_the_best_of_two_that_print_alike_is_the_higher_one() -> None:
    found = made(("scifact",), ("paragraph", "sentence-5"))
    base = found[Condition("scifact", "paragraph", WIDE, PRE, OWN)]
    found[Condition("scifact", "sentence-5", WIDE, PRE, OWN)] = base + 1e-9
    own, _ = table_of(found)
    assert own.loc["sentence-5", "scifact"]["best"]
    assert own.loc["paragraph", "scifact"]["worst"]


def test_every_test_stands_once_and_holm_is_within_one_encoder_protocol_and_task() -> None:
    both = made(("gutenqa-emma", "scifact")) | made(("scifact",), protocol=IELAB, seed=3)
    _, tests = table_of(both)
    keys = ["protocol", "collection", "method", "other"]
    pairs = tests[keys].to_numpy().tolist()
    assert len(pairs) == len({(p, c, *sorted((m, o))) for p, c, m, o in pairs})
    assert tests["family"].nunique() == 3
    for _, family in tests.groupby("family"):
        assert set(family["family_size"]) == {len(family)} == {7}  # best-worst once, others twice
        expected = multipletests(family["p"], method="holm")[1]
        np.testing.assert_allclose(family["p_holm"], expected)
    assert (tests["low"] <= tests["difference"]).all()


def test_table_4_is_the_change_and_its_average_the_mean_of_changes() -> None:
    found = made()
    own, _ = table_of(found, "4")
    changes = []
    for name in ("scifact", "nfcorpus"):
        late = found[Condition(name, "semantic", WIDE, LATE, OWN)]
        pre = found[Condition(name, "semantic", WIDE, PRE, OWN)]
        cell = own.loc["semantic", name]
        changes.append(late.mean() / pre.mean() - 1)
        assert cell["value"] == pytest.approx(changes[-1])
        assert (cell["marks"] == "*") == (stats.ttest_rel(late, pre).pvalue < 0.05)
        assert not (cell["best"] or cell["worst"])
    assert own.loc["semantic", "average"]["value"] == pytest.approx(np.mean(changes))


def test_a_change_from_zero_is_missing_and_not_infinite() -> None:
    found = made(("scifact",))
    found[Condition("scifact", "semantic", WIDE, PRE, OWN)] *= 0
    own, _ = table_of(found, "4")
    assert np.isnan(own.loc["semantic", "scifact"]["value"])


def test_averages_are_over_the_collections_that_every_method_has() -> None:
    found = made(("scifact", "nfcorpus", "arguana"))
    del found[Condition("arguana", "semantic", WIDE, PRE, OWN)]
    own, _ = table_of(found)
    cell = own.loc["paragraph", "average"]
    both = own.loc["paragraph"].loc[["scifact", "nfcorpus"], "value"]
    assert (cell["n"], cell["value"]) == (2, pytest.approx(both.mean()))
    assert ("paragraph", "arguana") in own.index and ("average", "arguana") not in own.index


def test_an_average_of_one_collection_is_not_taken() -> None:
    own, _ = table_of(made(("scifact",)))
    assert "average" not in own.index.get_level_values("collection")


def test_in_document_scores_stand_apart_from_the_average() -> None:
    own, _ = table_of(made(("gutenqa-emma", "scifact", "nfcorpus")))
    row = own.loc["sentence-5"]["value"]
    assert row["average"] == pytest.approx((row["scifact"] + row["nfcorpus"]) / 2)


def test_every_encoder_has_its_rows_under_each_protocol() -> None:
    narrow = made(encoder=f"{MINILM}-w128", late="contextualized-128", seed=1)
    other = "nomic-ai__nomic-embed-text-v1"
    found = made() | narrow | made(protocol=IELAB, seed=2) | made(encoder=other, seed=4)
    assert [(b.encoder, b.protocol, b.ordering) for b in blocks(library(found))] == [
        (other, OWN, LATE),
        (f"{MINILM}-w128", OWN, "contextualized-128"),
        (WIDE, IELAB, LATE),
        (WIDE, OWN, LATE),
    ]


def test_boundaries_that_another_model_drew_are_still_the_method() -> None:
    by = "semantic-by-jinaai__jina-embeddings-v2-small-en"
    own, _ = table_of(made(("scifact",), ("paragraph", by)))
    assert own.loc["semantic", "scifact"]["chunker"] == by


def test_boundaries_of_another_language_model_or_of_none_are_not_the_papers_lumberchunker() -> None:
    by = "lumberchunker-by-local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
    names = ("paragraph", by, "lumberchunker-released", "lumberchunker-last")
    (block,) = blocks(library(made(("gutenqa-emma",), names)))
    assert {one.name for one in block.plain.values()} == {"paragraph", "lumberchunker-released"}


def test_of_several_chunkers_of_one_method_the_first_is_taken() -> None:
    names = ("paragraph", "lumberchunker-released", "lumberchunker")
    own, _ = table_of(made(("gutenqa-emma",), names))
    assert own.loc["lumberchunker", "gutenqa-emma"]["chunker"] == "lumberchunker"


def test_one_method_alone_makes_no_table() -> None:
    assert blocks(library(made(chunkers=("paragraph",)))) == []
    own, tests = table_of({})
    assert own.empty and tests.empty


def test_only_queries_that_both_methods_scored_are_compared() -> None:
    found = made(("scifact",), ("paragraph", "sentence-5"))
    condition = Condition("scifact", "paragraph", WIDE, PRE, OWN)
    found[condition] = found[condition].iloc[::-1].iloc[:30]  # another order, ten fewer
    _, tests = table_of(found)
    assert tests["n"].tolist() == [30]
    other = found[Condition("scifact", "sentence-5", WIDE, PRE, OWN)]
    expected = stats.ttest_rel(found[condition], other[found[condition].index]).pvalue
    assert tests["p"].iloc[0] == pytest.approx(expected)


@pytest.mark.parametrize("number", ["1", "2", "3", "4", "5"])
def test_every_published_cell_stands_in_its_table_with_its_marks(number: str) -> None:
    table = taxonomy.published(CELLS, number)
    printed = CELLS[(CELLS["work"] == "taxonomy") & (CELLS["table"] == number)]
    scale = 100 if number == "4" else 1
    np.testing.assert_allclose(scale * table["value"], printed["value"])
    assert int(table["best"].sum()) == int(printed["marks"].str.contains("bold").sum())
    assert set("".join(table["marks"])) <= set("ab*")


def test_the_reproduction_stands_beside_its_originals_and_the_records() -> None:
    found = made(("scifact",), ("fixed-256", "semantic"), IELAB)
    tables = taxonomy.tables(library(found), CELLS)
    second = tables["taxonomy_table2"]
    here = second[(second["collection"] == "scifact") & (second["method"] == "semantic")]
    late = here[here["ordering"].str.startswith("contextualized")].set_index("source")["value"]
    assert late["original"] == 0.650 and late["reproduced"] == 0.650
    own = found[Condition("scifact", "semantic", WIDE, LATE, IELAB)]
    assert late["records"] == pytest.approx(own.mean())
    assert set(tables["taxonomy_table1"]["source"]) == {"original", "reproduced"}


def test_marks_are_counted_and_with_them_how_many_hold_corrected() -> None:
    tables = taxonomy.tables(library(made()), CELLS)
    counted = tables["taxonomy_superscripts"].set_index(["table", "encoder"])
    marks = CELLS.loc[(CELLS["table"] == "3") & CELLS["encoder"].str.endswith("-v3"), "marks"]
    letters = marks.str.replace("bold|underline", "", regex=True)
    row: Any = counted.loc["taxonomy_table3", "jinaai/jina-embeddings-v3"]
    assert row["a"] == letters.str.contains("a").sum()
    ours: Any = counted.loc["taxonomy_table3", WIDE]
    tests = tables["taxonomy_tests"]
    tests = tests[tests["table"] == "taxonomy_table3"]
    assert ours["significant"] == (tests["p"] < 0.05).sum() >= ours["significant after Holm"]


def test_with_no_records_the_published_tables_remain() -> None:
    tables = taxonomy.tables(library({}), CELLS)
    assert len(tables["taxonomy_table4"]) == 28 * 8
    assert tables["taxonomy_builtin_table3"].empty and tables["taxonomy_tests"].empty
    assert tables["taxonomy_table5"]["value"].notna().all()


def test_the_built_in_collection_has_its_records_in_both_orderings() -> None:
    recorded = blocks(Library(ROOT), BUILTIN)
    for late in (False, True):
        assert set(scores(recorded, late)["method"]) == set(BUILTIN.methods)
