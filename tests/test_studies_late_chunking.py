"""Late and plain chunking side by side: choices that no question can make alone, means over the
right chunkers, what a window cuts, and how alike the chunks of a document are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.studies.late_chunking import choosing, similarity, window_holds
from chunkstudy.studies.late_chunking.cut_chunks import beyond, largest
from chunkstudy.studies.late_chunking.gains import by_layout
from chunkstudy.studies.late_chunking.systems import AVERAGED, TODAY, Systems

QUESTIONS = [f"q{i:02}" for i in range(80)]
DOCUMENTS = pd.Series([f"d{i // 2}" for i in range(80)], QUESTIONS)
SIZES = np.array([4, 6, 7, 20])


def systems(late: float, noise: float = 0.0, seed: int = 0) -> Systems:
    """Plain chunks at 0.5, late chunking in both layouts at ``late``, the averaged one above."""
    draw = np.random.default_rng(seed)

    def scores(mean: float) -> pd.DataFrame:
        values = mean + noise * draw.standard_normal((80, 2))
        return pd.DataFrame(values, QUESTIONS, ["fixed-64", "sentence-5"])

    read = {(TODAY, 128): scores(late), (AVERAGED, 128): scores(late + 0.1)}
    plain = {128: scores(0.3), 512: scores(0.5)}
    return Systems("covid-qa-within", "model", "DCG@10", read, plain, DOCUMENTS)


def test_where_late_leads_by_far_every_half_chooses_it_and_is_right() -> None:
    choice = choosing.choice(systems(0.6, noise=0.02), splits=50)
    assert choice["late chosen"] == choice["right"] == 1
    assert float(choice["low"]) > 0.15 and str(choice["late arm"]).startswith(AVERAGED)


def test_arms_that_only_noise_tells_apart_gain_nothing_on_the_other_half() -> None:
    choices = [choosing.choice(systems(0.4, 0.2, seed), splits=40) for seed in range(30)]
    gains = [float(choice["gain"]) for choice in choices]
    assert abs(np.mean(gains)) < 3 * np.std(gains) / np.sqrt(len(gains)) + 0.005


def test_halves_are_of_whole_documents() -> None:
    """A score that is the document's alone is never told from one half to the other."""
    level = systems(0.4)
    own = pd.Series(np.random.default_rng(1).standard_normal(40), [f"d{i}" for i in range(40)])
    by_document = DOCUMENTS.map(own).to_numpy()
    late = {cell: frame.add(by_document, axis=0) for cell, frame in level.late.items()}
    plain = {window: frame.add(by_document, axis=0) for window, frame in level.plain.items()}
    choice = choosing.choice(replace(level, late=late, plain=plain), splits=20)
    assert choice["gain"] == pytest.approx(0.0)
    assert choice["low"] == pytest.approx(choice["high"])


def competing(means: dict[str, float], noise: float = 0.0) -> Systems:
    """Every competing layout at its mean, in two windows, the same noise for all."""
    draw = np.random.default_rng(0)
    shared = draw.standard_normal((80, 3))

    def scores(mean: float) -> pd.DataFrame:
        values = mean + 0.1 * shared + noise * draw.standard_normal((80, 3))
        return pd.DataFrame(values, QUESTIONS, list(choosing.CHUNKERS))

    late = {(name, w): scores(mean) for w in (128, 512) for name, mean in means.items()}
    plain = {w: scores(0.3) for w in (128, 512)}
    return Systems("covid-qa-within", "model", "DCG@10", late, plain, DOCUMENTS)


LEVEL = dict.fromkeys(choosing.COMPETE, 0.5)
TOKENS = dict(zip(choosing.COMPETE, (3, 1, 4, 2), strict=True))


@pytest.mark.parametrize(
    "means, noise, chosen",
    [
        (dict(zip(choosing.COMPETE, (0.40, 0.45, 0.50, 0.55), strict=True)), 0.0, "packed"),
        (LEVEL, 0.05, "no overlap"),
        (LEVEL | {"no overlap": 0.2}, 0.05, "packed"),
    ],
    ids=["the highest where it is sure", "of tied ones the cheapest", "the cheapest trails"],
)
def test_the_registered_choice(means: dict[str, float], noise: float, chosen: str) -> None:
    assert choosing.chosen(competing(means, noise), TOKENS) == chosen


def test_chunkers_are_compared_by_what_the_window_holds_and_every_model_has() -> None:
    """One that is cut in one collection or has few chunks in one is left out of both."""
    rows = [
        ("here", "fixed-64", 90, 0.0),
        ("here", "paragraph", 90, 0.01),
        ("there", "fixed-64", 90, 0.0),
        ("there", "paragraph", 90, 0.04),
        ("there", "semantic", 10, np.nan),
        ("there", "cluster-200", 30, 0.0),
    ]
    columns = ["collection", "chunker", "chunks a document", "unread"]
    read = {(AVERAGED, 512): pd.DataFrame(columns=["fixed-64", "paragraph", "semantic"])}
    some = Systems("here", "model", "DCG@10", read, {512: pd.DataFrame()}, None)
    judged = window_holds.judged(pd.DataFrame(rows, columns=columns), [some])
    assert window_holds.holds(judged) == ["fixed-64"]
    assert window_holds.holds(judged, (window_holds.CUT,)) == ["paragraph"]
    assert window_holds.holds(judged, (window_holds.FEW,)) == ["semantic"]
    assert window_holds.holds(judged, (window_holds.SOME,)) == ["cluster-200"]


def test_the_mean_is_over_the_chunkers_named_and_of_layouts_that_have_them_all() -> None:
    all_read = systems(0.6)
    packed = {("packed", 128): all_read.late[TODAY, 128][["fixed-64"]]}
    some = replace(all_read, late={**all_read.late, **packed})
    both = by_layout([some], ["fixed-64", "sentence-5", "not here"])
    assert set(both["layout"]) == {TODAY, AVERAGED} and set(both["chunkers"]) == {2}
    assert "packed" in set(by_layout([some], ["fixed-64"])["layout"])
    assert by_layout([some], ["not here"]).empty


@pytest.mark.parametrize("window, cut, unread", [(8, 2, 1 + 14), (9, 1, 13), (22, 0, 0)])
def test_a_window_holds_two_special_tokens_and_leaves_the_rest_unread(
    window: int, cut: int, unread: int
) -> None:
    assert beyond(SIZES, window) == {"window": window, "cut": cut / 4, "unread": unread / 37}


def test_a_question_is_as_large_as_the_largest_chunk_that_touches_its_answer() -> None:
    documents = (Document("one", "a" * 30), Document("two", "b" * 30))
    chunks = Chunks(
        np.array([0, 0, 0, 1]), np.array([0, 10, 20, 0]), np.array([10, 20, 30, 30]), None
    )
    judgments = (
        Judgment("across", "one", 8, 12, 1),
        Judgment("inside", "one", 10, 20, 1),
        Judgment("twice", "one", 0, 1, 1),
        Judgment("twice", "two", 5, 6, 1),
    )
    queries = tuple(Query(name, name) for name in ("across", "inside", "twice"))
    collection = Collection("small", documents, queries, judgments)
    assert largest(collection, chunks, SIZES) == {"across": 6, "inside": 6, "twice": 20}


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 99))
def test_likeness_within_documents_is_the_mean_over_pairs(sizes: list[int], seed: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(sum(sizes), 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    document = np.repeat(np.arange(len(sizes)), sizes)
    expected = []
    for d, n in enumerate(sizes):
        part = vectors[document == d].astype(np.float64)
        if n > 1:
            expected.append((np.sum(part @ part.T) - np.trace(part @ part.T)) / (n * (n - 1)))
    alike = similarity.per_document(vectors, document)
    np.testing.assert_allclose(alike["all"], expected, atol=1e-9)
