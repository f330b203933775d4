"""Tables 3, 4 and 5 follow from any records, set as the paper sets them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from chunkstudy.analysis.taxonomy_layout import BUILTIN, Layout, Table, published_table
from chunkstudy.analysis.taxonomy_rendering import plain, to_html, to_latex, values
from chunkstudy.analysis.taxonomy_tables import change_table, groups, scores_table
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.library import Library, Record
from chunkstudy.places import Places
from chunkstudy.published.compare import read_published

ROOT = Path(__file__).parents[1]
CELLS = read_published(Places(ROOT))
WIDE = f"{MINILM}-w512"
OWN, IELAB = "corrected", "as_published-ielab"
PRE, LATE = "pre_embedding", "contextualized-512"
CHUNKERS = ("none", "paragraph", "sentence-5", "fixed-256", "semantic")
NAMES = {"none": "No chunking", "paragraph": "Paragraph", "sentence-5": "Sentence",
         "fixed-256": "Fixed-size", "semantic": "Semantic"}  # fmt: skip
MODEL = "MiniLM, corrected"


class Recorded(Library):
    """Records that were never written: scores per query by condition."""

    def __init__(self, scores: dict[Condition, pd.Series]) -> None:
        self.scores = scores

    def __iter__(self) -> Iterator[Condition]:
        return iter(self.scores)

    def get(self, condition: Condition) -> Record | None:
        if condition not in self.scores:
            return None
        measure = "nDCG@10" if condition.task == "in_corpus" else "DCG@10"
        return cast(Record, SimpleNamespace(wide=self.scores[condition].to_frame(measure)))


def made(
    collections: tuple[str, ...] = ("scifact", "nfcorpus"),
    chunkers: tuple[str, ...] = CHUNKERS,
    protocol: str = OWN,
    encoder: str = WIDE,
    late: str = LATE,
    queries: int = 40,
    seed: int = 0,
) -> dict[Condition, pd.Series]:
    """Record whose methods differ by a little, so that some tests are significant."""
    drawn = np.random.default_rng(seed)
    ids = [f"q{i}" for i in range(queries)]
    found = {}
    for name in collections:
        base = drawn.random(queries)
        for place, chunker in enumerate(chunkers):
            for ordering in (PRE, late):
                noise = 0.15 * drawn.standard_normal(queries) + 0.03 * place
                condition = Condition(name, chunker, encoder, ordering, protocol)
                found[condition] = pd.Series(base + noise, index=ids)
    return found


def test_superscripts_are_paired_t_tests_against_best_and_worst() -> None:
    scores = made()
    table = scores_table(Recorded(scores), late=False)
    seen = set()
    for name in ("scifact", "nfcorpus"):
        column = {NAMES[c.chunker]: s for c, s in scores.items()
                  if (c.collection, c.ordering) == (name, PRE)}  # fmt: skip
        means = {method: s.mean() for method, s in column.items() if method != "No chunking"}
        best, worst = max(means, key=lambda m: means[m]), min(means, key=lambda m: means[m])
        for method, values_ in column.items():
            cell = table.rows[MODEL, method][name]
            expected = "".join(
                letter
                for letter, other in (("a", best), ("b", worst))
                if method != other and stats.ttest_rel(values_, column[other]).pvalue < 0.05
            )
            assert (cell.marks, cell.bold, cell.underline) == (
                expected, method == best, method == worst,
            )  # fmt: skip
            assert cell.value == pytest.approx(values_.mean())
            seen.add(expected)
    assert {"", "a", "b"} <= seen  # the draw shows every kind of mark


def test_no_chunking_is_tested_but_never_best_worst_or_averaged() -> None:
    scores = made()
    for condition in scores:
        if condition.chunker == "none":
            scores[condition] = scores[condition] + 5
    table = scores_table(Recorded(scores), late=False)
    cell = table.rows[MODEL, "No chunking"]["scifact"]
    assert (cell.marks, cell.bold) == ("ab", False)
    methods = [table.rows[MODEL, NAMES[c]]["scifact"].value for c in CHUNKERS[1:]]
    assert table.rows[MODEL, "Avg"]["scifact"].value == pytest.approx(np.mean(methods))


def test_every_test_stands_once_and_holm_is_over_the_whole_table() -> None:
    table = scores_table(Recorded(made()), late=False)
    pairs = table.tests[["collection", "method", "other"]].to_numpy().tolist()
    assert len(pairs) == len({(c, *sorted((m, o))) for c, m, o in pairs})
    assert len(pairs) == 2 * (3 + 2 + 2)  # best-worst once, two others twice, no chunking twice
    expected = multipletests(table.tests["p"], method="holm")[1]
    np.testing.assert_allclose(table.tests["p (Holm)"], expected)
    assert (table.tests["low"] <= table.tests["difference"]).all()


def test_table_4_is_the_change_and_its_average_the_mean_of_percentages() -> None:
    scores = made()
    table = change_table(Recorded(scores))
    changes = []
    for name in ("scifact", "nfcorpus"):
        late = scores[Condition(name, "semantic", WIDE, LATE, OWN)]
        pre = scores[Condition(name, "semantic", WIDE, PRE, OWN)]
        cell = table.rows[MODEL, "Semantic"][name]
        changes.append(100 * (late.mean() / pre.mean() - 1))
        assert cell.value == pytest.approx(changes[-1])
        assert (cell.marks == "*") == (stats.ttest_rel(late, pre).pvalue < 0.05)
        assert not (cell.bold or cell.underline)
    assert table.rows[MODEL, "Semantic"]["average"].value == pytest.approx(np.mean(changes))


def test_averages_are_over_the_collections_that_every_method_has() -> None:
    scores = made(("scifact", "nfcorpus", "arguana"))
    del scores[Condition("arguana", "semantic", WIDE, PRE, OWN)]
    table = scores_table(Recorded(scores), late=False)
    assert table.averaged[MODEL] == 2
    row = table.rows[MODEL, "Paragraph"]
    assert row["average"].value == pytest.approx((row["scifact"].value + row["nfcorpus"].value) / 2)
    assert "arguana" in row and "arguana" not in table.rows[MODEL, "Avg"]


def test_an_average_of_one_collection_is_not_printed() -> None:
    table = scores_table(Recorded(made(("scifact",))), late=False)
    assert "average" not in table.columns
    assert table.averaged[MODEL] == 0


def test_in_document_scores_stand_apart_from_the_average() -> None:
    scores = made(("gutenqa-emma", "scifact", "nfcorpus"))
    row = scores_table(Recorded(scores), late=False).rows[MODEL, "Sentence"]
    assert row["average"].value == pytest.approx((row["scifact"].value + row["nfcorpus"].value) / 2)


def test_a_model_appears_once_per_protocol_with_its_widest_window() -> None:
    narrow = made(encoder=f"{MINILM}-w128", late="contextualized-128", seed=1)
    scores = made() | narrow | made(protocol=IELAB, seed=2)
    found = groups(Recorded(scores))
    assert [(g.protocol, g.encoder, g.late) for g in found] == [
        (IELAB, WIDE, LATE),
        (OWN, WIDE, LATE),
    ]


def test_one_method_alone_makes_no_table() -> None:
    assert groups(Recorded(made(chunkers=("paragraph",)))) == []
    assert scores_table(Recorded({}), late=False).rows == {}
    assert plain(scores_table(Recorded({}), late=False)).empty


def test_only_queries_that_both_methods_scored_are_compared() -> None:
    scores = made(("scifact",), ("paragraph", "sentence-5"))
    condition = Condition("scifact", "paragraph", WIDE, PRE, OWN)
    scores[condition] = scores[condition].iloc[::-1].iloc[:30]  # another order, ten fewer
    tests = scores_table(Recorded(scores), late=False).tests
    assert tests["n"].tolist() == [30]
    other = scores[Condition("scifact", "sentence-5", WIDE, PRE, OWN)]
    expected = stats.ttest_rel(scores[condition], other[scores[condition].index]).pvalue
    assert tests["p"].iloc[0] == pytest.approx(expected)


@pytest.mark.parametrize("number", ["3", "4", "5"])
def test_a_published_table_is_set_as_it_was_printed(number: str) -> None:
    table = published_table(CELLS, number)
    shown = plain(table).set_index(["model", "method"])
    printed = CELLS[(CELLS["work"] == "taxonomy") & (CELLS["table"] == number)]
    assert len(table.rows) == 28 and len(printed) == 28 * len(table.columns)
    numbers = shown[table.columns].to_numpy().ravel().tolist()
    bare = [re.sub(r"[*_^ab]", "", one).lstrip("+") for one in numbers]
    theirs = printed["printed"].str.lstrip("+").tolist()
    assert sorted(map(float, bare)) == sorted(map(float, theirs))
    marks = "+".join(printed["marks"])
    assert sum("**" in one for one in numbers) == marks.count("bold")
    assert sum(one.startswith("_") for one in numbers) == marks.count("underline")


def test_published_and_reproduced_stand_in_one_table() -> None:
    both = published_table(CELLS, "3").beside(scores_table(Recorded(made()), late=False))
    assert both.columns[0] == "gutenqa" and both.columns[-1] == "average"
    models = list(dict.fromkeys(model for model, _ in both.rows))
    assert models == ["Jina-v2", "Jina-v3", "Nomic", "E5-Large", MODEL]
    assert values(both).loc[("Jina-v3", "Paragraph"), "fiqa"] == 0.4747


def _tables() -> list[Table]:
    library = Library(Places(ROOT))
    return [
        published_table(CELLS, "3").beside(scores_table(library, late=False)),
        change_table(library),
        scores_table(library, late=True, layout=BUILTIN),
    ]


def test_latex_is_whole_and_repeats_itself() -> None:
    for table in _tables():
        text = to_latex(table, "A & B", "tab:x")
        assert text == to_latex(table, "A & B", "tab:x")
        assert r"\toprule" in text and r"\bottomrule" in text and r"A \& B" in text
        assert text.count("{") == text.count("}")
        body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len(rows) == len(table.rows)
        assert {line.count(" & ") for line in rows} == {len(table.columns) + 1}


def test_html_is_whole_and_escapes_what_it_is_given() -> None:
    for table in _tables():
        text = to_html(table, "a < b")
        assert text == to_html(table, "a < b")
        assert "a &lt; b" in text
        assert text.count("<tr>") == len(table.rows) + 2
        assert text.count("<sup>") == text.count("</sup>")


def test_the_built_in_collection_has_its_records_in_both_orderings() -> None:
    library = Library(Places(ROOT))
    for late in (False, True):
        table = scores_table(library, late, BUILTIN)
        present = {method for _, method in table.rows}
        assert {"No chunking", "Paragraph", "Sentence", "Fixed-size", "Semantic"} <= present


def test_a_layout_takes_any_collection_and_protocol() -> None:
    layout = Layout(("arguana",), protocols=(IELAB,))
    scores = made(("arguana",), protocol=IELAB) | made(("scifact",))
    table = scores_table(Recorded(scores), late=False, layout=layout)
    assert table.columns == ["arguana"]
    assert {model for model, _ in table.rows} == {"MiniLM, as_published-ielab"}


def test_scores_are_shown_with_four_decimals_and_changes_with_their_sign() -> None:
    library: Any = Recorded(made())
    assert plain(scores_table(library, late=False))["scifact"].str.contains(r"\d\.\d{4}").all()
    assert plain(change_table(library))["scifact"].str.match(r"[+-]\d+\.\d\d(\^\*)?$").all()
