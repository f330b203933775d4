"""Late vectors come from one reading of the document, whatever is returned; chunks that a chunker
rewrote are read for themselves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkstudy import Study, chunk, encode, evaluate
from chunkstudy.chunkers import contexts
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import ChunkIndex, Chunks, Collection, Document, Judgment, Query
from chunkstudy.encoders import transformer
from chunkstudy.encoders.contextualized import packed
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.notebook import runs as study_runs
from chunkstudy.pipeline import engine
from chunkstudy.pipeline import run as running
from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.user_data.evaluate import prepared
from tests import small_training
from tests.small_study import Letters

LATE = "contextualized-48"
TEXTS = [
    "\n\n".join(
        " ".join(f"Field {i} of farm {farm} has {i * k} rows of {crop}." for i in range(7))
        for k, crop in enumerate(("rye", "oats", "millet"), start=1)
    )
    for farm in range(2)
]
FARMS = Collection(
    "builtin-graded",
    tuple(Document(f"farm{i}", text) for i, text in enumerate(TEXTS)),
    (Query("q", "rows of oats"),),
    (Judgment("q", "farm0", 0, 10, 1),),
)
Vector = tuple[float, ...]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> TransformerEncoder:
    return small_training.encoder(tmp_path_factory.mktemp("bert"))


def by_span(chunks: Chunks, vectors: Any) -> dict[tuple[int, int, int], Vector]:
    spans = zip(chunks.document.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True)
    return dict(zip(spans, map(tuple, vectors.tolist()), strict=True))


def rewrite(text: str) -> list[tuple[int, int, str]]:
    """Two statements about each half of a text, in words that it does not hold."""
    half = len(text) // 2
    spans = [(0, half), (0, half), (half, len(text)), (half, len(text))]
    return [(*span, f"Statement {i} about crops.") for i, span in enumerate(spans)]


def assert_same_sentences(found: Sequence[dict[tuple[int, int, int], Vector]]) -> None:
    alone, *others = found
    for other in others:
        shared = alone.keys() & other.keys()
        assert len(shared) > len(alone) / 2
        assert all(alone[span] == other[span] for span in shared)


def test_late_vectors_of_a_sentence_do_not_depend_on_what_is_returned(
    encoder: TransformerEncoder, tmp_path: Path
) -> None:
    found = []
    for returned in (None, "paragraph", "none", 1, 2):
        chunks: Any = chunk(FARMS, "sentence-2", returned=returned)
        store = VectorStore(encoder, tmp_path / str(returned))
        vectors = encode(FARMS, chunks, store, embedding=LATE).chunks
        matched = chunks.matched if isinstance(chunks, ChunkIndex) else chunks
        assert len(vectors) == len(matched) and not matched.rewritten
        found.append(by_span(matched, vectors))
    assert_same_sentences(found)


def test_a_run_of_the_study_leaves_the_late_vectors_that_small_to_large_matches(
    encoder: TransformerEncoder, tmp_path: Path
) -> None:
    store = VectorStore(encoder, tmp_path)
    condition = Condition("builtin-graded", "sentence-2", MINILM, LATE, CORRECTED.name)
    running.evaluate(condition, FARMS, store)
    computed = store.computed
    encode(FARMS, chunk(FARMS, "sentence-2", returned=2), store, embedding=LATE)
    encode(FARMS, chunk(FARMS, "sentence-2", returned="none"), store, embedding=LATE)
    assert store.computed == computed


@pytest.mark.parametrize("ordering", ["late", "plain"])
def test_evaluate_matches_the_same_vectors_whatever_is_returned(
    tmp_path: Path, little_model: Path, monkeypatch: pytest.MonkeyPatch, ordering: str
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path))
    texts = {f"farm{i}": text for i, text in enumerate(TEXTS)}
    asked = [{"question": "Who sows oats?", "excerpts": ["Field 1 of farm 0 has 2 rows of oats."]}]
    pipeline, systems, _ = prepared(
        texts,
        asked,
        ["sentence-2", "sentence-2+paragraph", "sentence-2+window-2", "sentence-2+none"],
        [str(little_model)],
        orderings=[ordering],
        only_vectors=True,
    )
    assert len(systems) == 4
    found = []
    for system in systems:
        index = pipeline.chunk(system)
        vectors = pipeline.encode(system, index, ["oats"])
        assert vectors is not None
        found.append(by_span(index.matched, vectors.chunks))
        assert index.is_small_to_large == bool(system.chunker.neighbours or "+" in system.files)
    assert_same_sentences(found)


@pytest.mark.parametrize("chunker", ["proposition-sentences", rewrite], ids=["table", "function"])
def test_rewritten_chunks_are_packed_for_themselves_under_late_chunking(
    encoder: TransformerEncoder, tmp_path: Path, chunker: Any
) -> None:
    store = VectorStore(encoder, tmp_path)
    chunks = chunk(FARMS, chunker)
    assert chunks.rewritten and chunks.only(np.array([0, 1])).rewritten
    texts = chunks.texts(FARMS.documents)
    frame = encoder.frame(48)
    limits = np.searchsorted(chunks.document, range(len(TEXTS) + 1)).tolist()
    plans = [
        packed([ids for ids, _ in encoder.content(texts[a:b])], frame)
        for a, b in itertools.pairwise(limits)
    ]
    expected = store.pool([layout for layout, _ in plans], [spans for _, spans in plans])
    found = encode(FARMS, chunks, store, embedding=LATE).chunks
    assert np.array_equal(found, expected)
    around = encode(FARMS, chunk(FARMS, chunker, returned=1), store, embedding=LATE).chunks
    assert np.array_equal(around, expected)


def test_spans_with_their_own_text_are_not_rewritten(
    encoder: TransformerEncoder, tmp_path: Path
) -> None:
    pairs = chunk(FARMS, lambda text: [(0, 40), (40, len(text))])
    triples = chunk(FARMS, lambda text: [(0, 40, text[:40]), (40, len(text), text[40:])])
    assert not triples.rewritten
    first, second = (
        encode(FARMS, chunks, VectorStore(encoder, tmp_path / name), embedding=LATE).chunks
        for name, chunks in (("pairs", pairs), ("triples", triples))
    )
    assert np.array_equal(first, second)


def test_a_matched_sentence_has_its_own_context_whatever_is_returned() -> None:
    text = "# Mill\n\nIt is old.\n\n## Roof\n\nIt is of slate. It was mended twice.\n"
    collection = Collection("made", (Document("d", text),), (), ())
    index = chunk(collection, "sentence-1", returned="none")
    before = contexts.of("headings", collection, index.matched)
    found = dict(zip(index.matched.texts(collection.documents), before, strict=True))
    assert found["It was mended twice."] == "Mill > Roof"


def test_the_study_runs_a_function_that_rewrites_its_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    monkeypatch.delenv("CHUNKSTUDY_VECTORS", raising=False)
    model = Letters()
    monkeypatch.setattr(transformer, "TransformerEncoder", lambda *_, **__: model)
    for module in (running, study_runs):
        monkeypatch.setattr(module, "load_collection", lambda _: FARMS)
    monkeypatch.setattr(running, "load_store", lambda *_: VectorStore(model, tmp_path / "v"))
    (tmp_path / "results").mkdir()
    (tmp_path / "notebooks").mkdir()
    seen: list[str] = []
    encoded = model.encode

    def watched(texts: Sequence[str], *args: Any) -> Any:
        seen.extend(texts)
        return encoded(texts, *args)

    monkeypatch.setattr(model, "encode", watched)
    runs = Study("trial", compute="missing").runs("builtin-graded", [rewrite])
    assert {text for text in seen if "Statement" in text} == {
        f"Statement {i} about crops." for i in range(4)
    }
    assert not any(text in source for text in seen[:-1] for source in TEXTS)
    (found,) = runs
    assert found.run.counts.chunks == 8 and len(runs.scores(k=10).frame) == 1


def test_evaluate_scores_the_spans_of_a_function_that_rewrites_its_chunks(tmp_path: Path) -> None:
    documents = {f"d{i}": f"Gate {i} is red.\n\nNobody knows why." for i in range(6)}

    def split(text: str) -> list[tuple[int, int, str]]:
        number = text.split()[1]
        end = text.index("\n\n")
        return [
            (0, end, f"porta{number} rossa"),
            (0, end, f"colour of porta{number}"),
            (end + 2, len(text), f"reason unknown {number}"),
        ]

    questions = [
        {"question": f"porta{i}", "excerpts": [f"Gate {i} is red."]} for i in range(len(documents))
    ]
    found = evaluate(documents, questions, {"mine": split}, ["bm25"], k=1, output=tmp_path / "out")
    row = found.table.iloc[0]
    assert row["score"] == 1.0 and row["chunks"] == 12
    other = [{**one, "question": "reason unknown"} for one in questions]
    missed = evaluate(documents, other, {"mine": split}, ["bm25"], k=1, output=tmp_path / "other")
    assert missed.table.iloc[0]["score"] == 0.0


def test_the_digest_of_an_index_holds_what_is_returned() -> None:
    alone = chunk(FARMS, "sentence-2")
    index = engine.small_to_large.index_chunks(alone)
    assert index.digest() == alone.digest() and not index.is_small_to_large
    around = chunk(FARMS, "sentence-2", returned=1)
    shifted = replace(around, returned_index=around.returned_index[::-1])
    assert len({alone.digest(), around.digest(), shifted.digest()}) == 3
