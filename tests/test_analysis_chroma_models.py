"""Chroma's chunkers by two models: one side by side with the other, and their order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from chunkstudy.analysis import chroma_models
from chunkstudy.analysis.paired import EQUIVALENT, HIGHER, LOWER, NOT_SHOWN
from chunkstudy.grid.conditions import MINILM, MPNET, Condition
from chunkstudy.grid.grids import OWN, PRE, WIDE
from chunkstudy.grid.library import Library
from tests.made_library import made_library

QUERIES = [f"q{i}" for i in range(100)]
Recalls = Mapping[str, float]


def scores(recalls: Mapping[str, Recalls], noise: float = 0.01) -> dict[Condition, pd.DataFrame]:
    """By encoder and chunker, each measure near the recall that is given."""
    random = np.random.default_rng(3)
    return {
        Condition("chroma", chunker, encoder, PRE, OWN): pd.DataFrame(
            recall + noise * random.standard_normal((len(QUERIES), 3)),
            QUERIES,
            list(chroma_models.MEASURES),
        )
        for encoder, of in recalls.items()
        for chunker, recall in of.items()
    }


def world(recalls: Mapping[str, Recalls]) -> Library:
    return made_library(scores(recalls))


def recall(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["measure"] == "SpanRecall@5"]


def order(first: Recalls, second: Recalls) -> pd.DataFrame:
    made = chroma_models.tables(world({MINILM: first, MPNET: second}))
    return recall(made["chroma_models_order"])


THREE = {"token-200-0": 0.5, "recursive-200-0": 0.7, "cluster-200": 0.6}


def test_a_row_is_the_second_model_minus_the_first() -> None:
    second = {**THREE, "token-200-0": 0.7}
    made = chroma_models.tables(world({MINILM: THREE, MPNET: second}))["chroma_models"]
    rows = recall(made).set_index("chunker")
    assert rows["difference"].round(1).tolist() == [0.0, 0.2, 0.0]
    assert rows["shown"].to_dict() == {
        "token-200-0": HIGHER,
        "recursive-200-0": EQUIVALENT,
        "cluster-200": EQUIVALENT,
    }


def test_an_order_that_both_models_show_held_and_one_turned_round_did_not() -> None:
    turned = {"token-200-0": 0.5, "recursive-200-0": 0.6, "cluster-200": 0.7}
    rows = order(THREE, turned).set_index(["chunker", "other chunker"])
    assert rows["held"].to_dict() == {
        ("recursive-200-0", "token-200-0"): "yes",
        ("recursive-200-0", "cluster-200"): "no",
        ("token-200-0", "cluster-200"): "yes",
    }
    assert rows.loc[("recursive-200-0", "cluster-200"), "second model shown"] == LOWER


def test_where_one_model_shows_nothing_the_order_is_open() -> None:
    noisy = scores({MINILM: {"token-200-0": 0.5, "cluster-200": 0.505}}, noise=0.3)
    quiet = scores({MPNET: {"token-200-0": 0.5, "cluster-200": 0.7}})
    both = made_library(noisy | quiet)
    row = recall(chroma_models.tables(both)["chroma_models_order"]).iloc[0]
    assert row["shown"] == NOT_SHOWN and row["held"] == "open"


def test_only_chunkers_and_windows_that_both_models_have_are_compared() -> None:
    first = {**THREE, "kamradt": 0.4, "fixed-64": 0.4, "token-200-0-wordpiece": 0.4}
    second = {**THREE, "fixed-64": 0.4, "token-200-0-wordpiece": 0.4}
    made = chroma_models.tables(world({MINILM: first, MPNET: second, WIDE: {"kamradt": 0.4}}))
    assert set(made["chroma_models"]["chunker"]) == set(THREE)


def test_pairs_of_chunkers_are_corrected_by_measure_and_model() -> None:
    made = chroma_models.tables(world({MINILM: THREE, MPNET: THREE}))
    for name, most in (("chroma_models", 3), ("chroma_models_order", 3)):
        table = made[name]
        assert set(table["family_size"]) == {most}
        assert table.groupby("family")["measure"].nunique().eq(1).all()


def test_without_the_second_model_both_tables_are_empty() -> None:
    made = chroma_models.tables(world({MINILM: THREE}))
    assert all(table.empty for table in made.values())
