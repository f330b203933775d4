"""Contextualized conditions read each document once and leave records that say how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.encoders.contextualized import Frame, Layout, packed, whole
from chunkstudy.runs import encoding, records
from chunkstudy.runs import run as running
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.conditions import MINILM, Condition, EmbeddingMethod
from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from chunkstudy.studies.taxonomy.packed_windows import beside, fewest

WORD = re.compile(r"\w+|[^\w\s]")


class Words:
    """Tokens are words; a token's state is the mean of its window's ids, turned into a vector, so
    that a chunk's vector shows what stood around it."""

    dimension = 8
    ends = (1, 2)
    prefix_ids = ()

    def __init__(self) -> None:
        self.read = 0

    def describe(self) -> dict[str, Any]:
        return {"id": "words"}

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], NDArray[np.int64]]]:
        found = []
        for text in texts:
            matches = list(WORD.finditer(text))
            ids = [10 + sum(map(ord, match[0])) % 997 for match in matches]
            offsets = np.array([m.span() for m in matches], dtype=np.int64).reshape(-1, 2)
            found.append((ids, offsets))
        return found

    def keys(
        self, texts: Sequence[str], role: Literal["document", "query"] = "document"
    ) -> list[bytes]:
        return [whole((1, *ids, 2)).digest() for ids, _ in self.content(texts)]

    def encode(self, texts: Sequence[str], role: str = "document") -> NDArray[np.float32]:
        layouts = [whole((1, *ids, 2)) for ids, _ in self.content(texts)]
        spans = [np.array([[0, layout.tokens]]) for layout in layouts]
        return np.concatenate(self.pool(layouts, spans))

    def pool(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]:
        found = []
        for layout, places in zip(layouts, spans, strict=True):
            self.read += layout.tokens
            states = []
            for ids, (first, last) in zip(layout.windows, layout.kept, strict=True):
                around = np.cos(np.outer(ids, np.arange(1, 9))).mean(axis=0)
                own = np.cos(np.outer(ids, np.arange(1, 9)))[first:last]
                states.append(own + around)
            sequence = np.concatenate(states) if states else np.zeros((0, 8))
            rows = [sequence[a:b].mean(axis=0) if a < b else np.zeros(8) for a, b in places]
            vectors = np.array(rows).reshape(-1, 8)
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            found.append((vectors / np.where(norms > 0, norms, 1)).astype(np.float32))
        return found


LONG = " ".join(f"Sentence {i} speaks of thing {i * i}." for i in range(40))
DOCUMENTS = (Document("a", LONG), Document("b", "One short text."), Document("c", "x"))
SMALL = Collection(
    "builtin-graded",
    DOCUMENTS,
    (Query("q", "thing 25"), Query("unjudged", "thing 9")),
    (Judgment("q", "a", 0, 10, 2),),
)


@pytest.mark.parametrize("protocol", [AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB, CORRECTED], ids=str)
@pytest.mark.parametrize("window", [16, 4096])
def test_stored_vectors_are_those_of_reading_again(
    tmp_path: Path, protocol: Any, window: int
) -> None:
    chunks = chunk_documents(build_chunker("sentence-5", protocol), DOCUMENTS)
    ordering = EmbeddingMethod(window, window // 4)
    store = VectorStore(Words(), tmp_path)
    first, _ = encoding.encode(store, DOCUMENTS, chunks, ordering, protocol)
    again = VectorStore(words := Words(), tmp_path)
    second, _ = encoding.encode(again, DOCUMENTS, chunks, ordering, protocol)
    np.testing.assert_array_equal(first, second)
    assert words.read == 0
    assert np.isfinite(first).all()


def test_all_chunkers_are_pooled_from_one_reading(tmp_path: Path) -> None:
    store = VectorStore(words := Words(), tmp_path)
    ordering = EmbeddingMethod(4096, 0)
    sets = [
        chunk_documents(build_chunker(slug, CORRECTED), DOCUMENTS)
        for slug in ("none", "fixed-64", "sentence-5", "paragraph")
    ]
    many = [encoding.jobs(store, DOCUMENTS, chunks, ordering, CORRECTED) for chunks in sets]
    encoding.read_once(store, many)
    assert words.read == sum(layout.tokens for layout in many[0].layouts)
    for chunks in sets:
        encoding.encode(store, DOCUMENTS, chunks, ordering, CORRECTED)
    plain, _ = encoding.encode(store, DOCUMENTS, sets[0], EmbeddingMethod(), CORRECTED)
    assert words.read == sum(layout.tokens for layout in many[0].layouts)
    np.testing.assert_allclose(plain, Words().encode([d.text for d in DOCUMENTS]), atol=1e-6)


def test_a_chunk_without_tokens_is_counted_and_scores_nothing(tmp_path: Path) -> None:
    document = Document("d", "word      word")
    chunks = Chunks(np.array([0, 0]), np.array([0, 5]), np.array([4, 9]))
    vectors, empty = encoding.encode(
        VectorStore(Words(), tmp_path), [document], chunks, EmbeddingMethod(512, 0), CORRECTED
    )
    assert empty == 1
    assert np.array_equal(vectors[1], np.zeros(8))


@pytest.mark.parametrize("protocol", [AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB, CORRECTED], ids=str)
@pytest.mark.parametrize("ordering", ["pre_embedding", "contextualized-64"])
def test_a_ranked_condition_leaves_a_whole_record(
    tmp_path: Path, protocol: Any, ordering: str
) -> None:
    condition = Condition("builtin-graded", "fixed-64", MINILM, ordering, protocol.name)
    outcome = evaluate(condition, SMALL, VectorStore(Words(), tmp_path))
    assert outcome.run.unscored == ["unjudged"]
    assert outcome.run.counts.queries_scored == 1
    assert (outcome.run.reading is None) == (ordering == "pre_embedding")
    assert outcome.kept is not None
    assert outcome.kept["query"].iloc[0] == 0
    assert list(outcome.scores.columns) == ["nDCG@10", "R@10", "R@100"]


@pytest.mark.parametrize("ordering", ["contextualized-16-packed", "contextualized-16-0"])
def test_a_layouts_record_holds_what_is_compared_and_no_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ordering: str
) -> None:
    where = Places(tmp_path)
    monkeypatch.setattr(running, "load_store", lambda *_, **__: VectorStore(Words(), tmp_path))
    monkeypatch.setattr(running, "load_collection", lambda _: SMALL)
    usual = Condition("builtin-graded", "fixed-64", MINILM, "contextualized-16", CORRECTED.name)
    beside = replace(usual, ordering=ordering)
    for one in (usual, beside):
        running.run(one, where.vectors, where.runs)
    kept = records.read(where.runs, beside)
    assert (kept.run.measures, kept.run.ranking) == (["nDCG@10"], None)
    assert list(kept.scores) == ["nDCG@10"]
    assert records.read(where.runs, usual).run.ranking is not None


@given(st.lists(st.lists(st.integers(10, 99), max_size=12), max_size=20), st.integers(3, 24))
def test_beside_a_chunk_are_those_packed_into_its_window(
    chunks: list[list[int]], window: int
) -> None:
    kept = [ids[: window - 2] for ids in chunks]
    windows: list[list[int]] = []
    for i, ids in enumerate(kept):
        if ids and windows and sum(len(kept[j]) for j in windows[-1]) + len(ids) <= window - 2:
            windows[-1].append(i)
        elif ids:
            windows.append([i])
    others = {i: [j for j in members if j != i] for members in windows for i in members}
    found = beside(*packed(chunks, Frame(window, Words.ends)))
    assert found[:, 0].tolist() == [len(others.get(i, [])) for i in range(len(chunks))]
    special = 2  # those of a window count to its first and its last chunk
    for i, tokens in enumerate(found[:, 1].tolist()):
        content = sum(len(kept[j]) for j in others.get(i, []))
        assert content <= tokens <= content + special


@given(st.lists(st.integers(1, 30), max_size=20), st.integers(3, 24))
def test_chunks_of_one_token_fill_the_fewest_windows_and_larger_ones_never_fewer(
    lengths: list[int], window: int
) -> None:
    layout, _ = packed([[10] * length for length in lengths], Frame(window, Words.ends))
    assert fewest(layout, window) <= len(layout.windows)
    layout, _ = packed([[10]] * sum(lengths), Frame(window, Words.ends))
    assert fewest(layout, window) == len(layout.windows)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(4, 16))
def test_a_chunk_alone_in_its_window_is_read_as_if_it_were_the_whole_text(
    lengths: list[int], window: int
) -> None:
    chunks = [[10 + i] * length for i, length in enumerate(lengths)]
    layout, spans = packed(chunks, Frame(window, Words.ends))
    encoder = Words()
    alone = beside(layout, spans)[:, 0] == 0
    pooled = encoder.pool([layout], [spans])[0]
    plain = [whole((1, *ids[: window - 2], 2)) for ids in chunks]
    expected = encoder.pool(plain, [np.array([[0, one.tokens]]) for one in plain])
    for i in np.flatnonzero(alone):
        assert np.allclose(pooled[i], expected[i][0], atol=1e-6)
