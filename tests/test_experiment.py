"""Conditions and the vector store survive what happens to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.runs import conditions, grids
from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from tests.small_study import SMALL, Letters, condition


def test_a_condition_is_parsed_back_from_its_path() -> None:
    grid = grids.grid()
    assert [conditions.parse(str(one)) for one in grid] == grid
    assert len({str(one) for one in grid}) == len(grid)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nowhere/recursive-200-0/none/none/corrected", "unknown collection"),
        ("chroma/recursiv-200-0/none/none/corrected", "unknown chunker"),
        ("chroma/recursive-200-200/none/none/corrected", "overlap"),
        ("chroma/recursive-200-0/no-model/pre_embedding/corrected", "unknown encoder"),
        ("chroma/recursive-200-0/none/none/as_i_like", "unknown protocol"),
        ("chroma/cluster-200/none/none/corrected", "needs an encoder"),
        ("chroma/recursive-200-0", "is not a condition"),
    ],
)
def test_an_impossible_condition_is_refused_in_one_sentence(path: str, sentence: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=sentence):
        conditions.parse(path)


def test_the_store_computes_a_text_once(tmp_path: Path) -> None:
    encoder = Letters()
    store = VectorStore(encoder, tmp_path)
    first = store.encode(["a", "b", "a"])
    again = VectorStore(encoder, tmp_path).encode(["b", "a", "a"])
    assert encoder.calls == 2
    np.testing.assert_array_equal(first, again[[1, 0, 2]])


def test_two_runs_leave_the_same_digests(tmp_path: Path) -> None:
    first = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path / "1"))
    second = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path / "2"))
    assert first.run == second.run
    pd.testing.assert_frame_equal(first.scores, second.scores)


def test_fewer_chunks_than_the_depth_are_ranked_without_ties(tmp_path: Path) -> None:
    outcome = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path))
    assert outcome.run.counts.ties_at_cut == 0
    assert outcome.run.counts.chunks == 2
