"""Conditions and the vector store survive what happens to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from tests.small_study import SMALL, Letters, condition


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
