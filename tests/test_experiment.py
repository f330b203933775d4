"""Conditions, the vector store and records survive what happens to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkstudy.grid import conditions, grids, records
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.run import evaluate
from chunkstudy.grid.store import VectorStore, text_keys
from chunkstudy.spans import Collection, Document, Judgment, Query


class Letters:
    """An encoder that counts letters; ``calls`` shows what it was asked."""

    dimension = 26

    def __init__(self, fail_after: int = 10**9) -> None:
        self.calls = 0
        self.fail_after = fail_after

    def describe(self) -> dict[str, Any]:
        return {"id": "letters"}

    def keys(
        self, texts: Sequence[str], role: Literal["document", "query"] = "document"
    ) -> list[bytes]:
        return text_keys(texts, role)

    def encode(self, texts: Sequence[str], role: str = "document") -> NDArray[np.float32]:
        self.calls += len(texts)
        if self.calls > self.fail_after:
            raise KeyboardInterrupt
        rows = [[text.lower().count(chr(97 + i)) + 1e-3 for i in range(26)] for text in texts]
        vectors = np.asarray(rows, dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


WORDS = ("apple", "bridge", "comet", "dune")
TEXT = " ".join(f"Sentence {word} tells of {word}." for word in WORDS)
SMALL = Collection(
    "builtin",
    (Document("a", TEXT), Document("b", TEXT.upper())),
    (Query("q", "comet"),),
    (Judgment("q", "a", TEXT.index("comet"), TEXT.index("comet") + 5),),
)


def condition(protocol: str = "corrected") -> Condition:
    return Condition("builtin", "recursive-200-0", MINILM, "pre_embedding", protocol)


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


def test_a_store_cut_in_half_is_set_aside_and_computed_anew(tmp_path: Path) -> None:
    store = VectorStore(Letters(), tmp_path)
    texts = [f"text {i}" for i in range(2000)]
    whole = store.encode(texts)
    store.close()
    data = store.path.read_bytes()
    store.path.write_bytes(data[: len(data) // 2])
    np.testing.assert_array_equal(VectorStore(Letters(), tmp_path).encode(texts), whole)


def test_a_killed_encoding_resumes_without_computing_again(tmp_path: Path) -> None:
    texts = [f"text {i}" for i in range(3000)]
    with pytest.raises(KeyboardInterrupt):
        VectorStore(Letters(fail_after=2100), tmp_path).encode(texts)
    resumed = Letters()
    VectorStore(resumed, tmp_path).encode(texts)
    assert resumed.calls < 1100


def test_two_runs_leave_the_same_digests(tmp_path: Path) -> None:
    first = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path / "1"))
    second = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path / "2"))
    assert first.run == second.run
    assert first.scores == second.scores


def test_fewer_chunks_than_the_depth_are_ranked_without_ties(tmp_path: Path) -> None:
    outcome = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path))
    assert outcome.run.counts.ties_at_cut == 0
    assert outcome.run.counts.chunks == 2


def _written(tmp_path: Path) -> Path:
    outcome = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path / "vectors"))
    folder = tmp_path / condition().path
    records.write(folder, outcome.run, outcome.scores, outcome.timing)
    return folder


def test_a_record_is_read_back(tmp_path: Path) -> None:
    folder = _written(tmp_path)
    assert records.complete(folder)
    assert records.read_run(folder).condition == condition()
    assert records.find(tmp_path) == {condition(): folder}


def test_a_score_changed_by_hand_is_refused(tmp_path: Path) -> None:
    folder = _written(tmp_path)
    path = folder / "per_query.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("0.", "1.", 1), encoding="utf-8")
    with pytest.raises(records.RecordError, match="not what its"):
        records.read_scores(folder)
    assert not records.complete(folder)


def test_a_record_cut_short_is_not_complete(tmp_path: Path) -> None:
    folder = _written(tmp_path)
    data = (folder / "run.json").read_bytes()
    (folder / "run.json").write_bytes(data[: len(data) // 2])
    assert not records.complete(folder)


def test_a_placeholder_is_refused(tmp_path: Path) -> None:
    folder = _written(tmp_path)
    content = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    content["platform"] = "unknown"
    (folder / "run.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(records.RecordError, match="placeholder"):
        records.read_run(folder)


def test_a_record_in_another_conditions_folder_is_refused(tmp_path: Path) -> None:
    folder = _written(tmp_path)
    elsewhere = tmp_path / condition("as_published-chroma").path
    elsewhere.parent.mkdir(parents=True, exist_ok=True)
    folder.rename(elsewhere)
    with pytest.raises(records.RecordError, match="not where it lies"):
        records.read_run(elsewhere)


def test_all_results_stay_small_enough_to_clone() -> None:
    files = [path for path in (Path(__file__).parents[1] / "results").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 40_000_000
