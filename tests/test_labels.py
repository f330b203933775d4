"""Chunk labels against Python's own sets, the tutorial's rules at their edges and its worked
example, and sums written out over what the study left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import Study
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.evaluation import statistics
from chunkstudy.pipeline import experiment_tables
from chunkstudy.studies import labels
from chunkstudy.studies.labels import averages
from chunkstudy.studies.labels.chunk_labels import (
    GOLD_RULES,
    GoldRule,
    count_ids,
    gold_chunks,
    macro,
    micro,
    rates,
)
from chunkstudy.studies.labels.worked_example import worked_example

PLACES = Project(Path(__file__).parents[1])
Pair = tuple[set[int], list[int]]  # gold chunks, retrieved chunks
CHUNKS = 8
queries = st.lists(
    st.tuples(
        st.sets(st.integers(0, CHUNKS - 1)),
        st.lists(st.integers(0, CHUNKS - 1), max_size=6),  # repetitions too
    ),
    min_size=1,
    max_size=6,
)
places = st.tuples(st.integers(0, 1), st.integers(0, 12), st.integers(0, 12)).map(
    lambda p: (p[0], min(p[1:]), max(p[1:]))
)
spans = places.filter(lambda p: p[1] < p[2])


def written_out(gold: set[int], retrieved: set[int]) -> tuple[int, ...]:
    return len(gold & retrieved), len(retrieved - gold), len(gold - retrieved)


def scores_of(tp: int, fp: int, fn: int) -> tuple[float, float, float]:
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


@given(queries)
def test_counts_and_scores_are_those_of_sets(pairs: list[Pair]) -> None:
    counts = count_ids(*zip(*pairs, strict=True))
    slow = [written_out(gold, set(retrieved)) for gold, retrieved in pairs]
    assert list(counts.itertuples(index=False, name=None)) == slow
    each = [scores_of(*row) for row in slow]
    assert np.allclose(rates(counts), each)
    assert np.allclose(macro(counts), np.mean(each, axis=0))
    pooled = scores_of(*(sum(column) for column in zip(*slow, strict=True)))
    assert np.allclose(micro(counts), pooled)


def slow_gold(
    chunks: list[tuple[int, int, int]], judged: list[tuple[int, int, int]], rule: GoldRule
) -> set[int]:
    def positions(place: tuple[int, int, int]) -> set[tuple[int, int]]:
        return {(place[0], i) for i in range(*place[1:])}

    found: set[int] = set()
    for span in judged:
        shared = [len(positions(span) & positions(chunk)) for chunk in chunks]
        length = len(positions(span))
        touched = {i for i, n in enumerate(shared) if n}
        whole = {i for i, n in enumerate(shared) if n == length}
        most = {i for i, n in enumerate(shared) if n > length / 2}
        found |= {
            "any": touched, "majority": most, "whole": whole, "tutorial": whole or touched,
        }[rule]  # fmt: skip
    return found


@given(
    st.lists(places, max_size=8),
    st.lists(st.lists(spans, max_size=4), min_size=1, max_size=3),
    st.sampled_from(GOLD_RULES),
)
def test_gold_chunks_are_those_of_sets_of_positions(
    chunk_spans: list[tuple[int, int, int]],
    judged: list[list[tuple[int, int, int]]],
    rule: GoldRule,
) -> None:
    collection = collection_of(judged)
    chunks = Chunks(*np.array(chunk_spans, dtype=np.int64).reshape(-1, 3).T)
    gold = gold_chunks(collection, chunks, rule)
    assert gold == [slow_gold(chunk_spans, of_query, rule) for of_query in judged]


def collection_of(judged: list[list[tuple[int, int, int]]]) -> Collection:
    documents = tuple(Document(f"d{n}", "abcdefghijkl") for n in range(2))
    return Collection(
        "letters",
        documents,
        tuple(Query(f"q{n}", "?") for n in range(len(judged))),
        tuple(
            Judgment(f"q{n}", f"d{d}", start, end)
            for n, of_query in enumerate(judged)
            for d, start, end in of_query
        ),
    )


def test_every_number_of_the_worked_example_is_met() -> None:
    found = worked_example(PLACES)
    assert len(found) == 22
    assert set(found["agrees"]) == {"yes"}
    macro = found[found["query"] == "macro"]
    assert macro["published"].tolist() == ["0.611", "0.611"]
    assert macro["computed"].tolist() == pytest.approx([11 / 18, 11 / 18], abs=1e-15)


@pytest.mark.parametrize(("rule", "cut"), [("whole", 3), ("any", 10)])
def test_scores_are_sums_over_the_rows_written_out(rule: GoldRule, cut: int) -> None:
    records = averages.read(Study("a script"), "chroma", labels.CHUNKERS, rule, cut)
    scores = averages.scores(records).set_index("chunker")
    for chunker, rows in experiment_tables.read(PLACES, "labels", "queries").groupby("chunker"):
        tp, gold = rows[f"TP@{cut} ({rule})"], rows[f"gold ({rule})"]
        recall = [t / g if g else 0 for t, g in zip(tp, gold, strict=True)]
        low, high = statistics.bootstrap_interval(recall)
        expected = {
            "precision": (tp / cut).mean(),
            "recall": np.mean(recall),
            "recall low": low,
            "recall high": high,
            "SpanRecall": rows[f"SpanRecall@{cut}"].mean(),
        }
        for name, value in expected.items():
            assert scores.at[chunker, name] == pytest.approx(value, abs=1e-12), name
