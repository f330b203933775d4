"""The taxonomy's tables follow from any scores, decided on unrounded values."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from chunkstudy.runs.conditions import Condition
from chunkstudy.studies.taxonomy.tables import marked
from chunkstudy.study.scores import Scores
from tests.made_library import PRE, made

Found = dict[Condition, pd.Series]


def scores(found: Found) -> list[Scores]:
    """As runs of plain chunks give them, of a collection each."""
    wanted = [one for one in found if one.ordering == PRE]
    made = []
    for _, group in groupby(wanted, key=lambda one: one.collection):
        own = list(group)
        measure = "nDCG@10" if own[0].task == "in_corpus" else "DCG@10"
        rows = [
            pd.DataFrame({"chunker": one.chunker, "part": "all", "query_id": found[one].index,
                          measure: found[one].to_numpy()})
            for one in own
        ]  # fmt: skip
        paths = {one.chunker: str(one) for one in own}
        made.append(Scores(pd.concat(rows, ignore_index=True), (measure,), paths, 10))
    return made


def table_of(found: Found) -> tuple[Any, Any]:
    """A table's cells by method and collection, and its tests."""
    own, tests = marked(scores(found))
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


def test_every_test_stands_once_and_holm_is_within_one_task() -> None:
    _, tests = table_of(made(("gutenqa-emma", "scifact")))
    pairs = tests[["collection", "method", "other"]].to_numpy().tolist()
    assert len(pairs) == len({(c, *sorted((m, o))) for c, m, o in pairs})
    assert tests["family"].nunique() == 2
    for _, family in tests.groupby("family"):
        assert set(family["family_size"]) == {len(family)} == {7}  # best-worst once, others twice
        np.testing.assert_allclose(family["p_holm"], multipletests(family["p"], method="holm")[1])
