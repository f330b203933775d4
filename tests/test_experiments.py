"""Scoring ranks as deep as ties run, and within documents as ranking by hand does; late conditions
read each document once; the steps of a run give what the run gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkstudy
from chunkstudy import chunk, compare, encode, load_collection, score, search
from chunkstudy.core.errors import UserError
from chunkstudy.core.project import Project, find_project
from chunkstudy.core.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA, CORRECTED, Protocol
from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.encoders.contextualized import Frame, Layout, packed
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline import encoding, engine, records, scoring
from chunkstudy.pipeline import run as running
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import (
    MINILM,
    Condition,
    EmbeddingMethod,
    parse,
    parse_method,
)
from chunkstudy.pipeline.engine import Vectors, collect_words, returned_chunks
from chunkstudy.pipeline.record_store import Library
from chunkstudy.pipeline.run import evaluate
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.studies.taxonomy.packed_windows import beside, fewest
from tests import small_training


@pytest.mark.parametrize("protocol", [CORRECTED, AS_PUBLISHED_JINA])
@pytest.mark.parametrize("documents", [20, 400, 3000])
def test_ties_of_hundreds_of_documents_are_bounded_whole(
    protocol: Protocol, documents: int
) -> None:
    notices = tuple(Document(f"d{i:04}", "All rights reserved.") for i in range(documents))
    collection = Collection(
        "notices", notices, (Query("q", "Alli"),), (Judgment("q", "d0015", 0, 20, 1),)
    )
    chunks = chunk_documents(lambda text: [(0, len(text))], notices)
    same = np.ones((documents, 1), np.float32)
    scored = scoring.in_corpus(collection, chunks, (same[:1], same), protocol)
    value = scored.scores.loc["q"]
    assert (value["nDCG@10"], value["R@10"], value["R@100"]) == (0, 0, 1)
    assert scored.tie_range["nDCG@10"] == (0, 1)
    assert scored.ties_at_cut == 1


SIZE = 10
TWO = Collection(
    "corpora",
    (Document("a", "x" * 60), Document("b", "y" * 40)),
    (Query("0", "?"), Query("1", "?")),
    (Judgment("0", "a", 12, 24), Judgment("1", "b", 0, 10)),
).within_documents()


@given(st.integers(0, 1000))
def test_spans_within_the_own_document_are_scored_as_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    chunks = chunk_documents(
        lambda text: [(at, at + SIZE) for at in range(0, len(text), SIZE)], TWO.documents
    )
    vectors = random.normal(size=(len(chunks), 4)).astype(np.float32)
    asked = random.normal(size=(2, 4)).astype(np.float32)
    scored = scoring.in_document(TWO, chunks, (asked, vectors), CORRECTED, None, False)
    wide = scored.scores
    assert [name for name in map(str, wide) if not name.startswith("DCG")] == [
        "Ceiling(DCG@10)", "SpanRecall@5", "SpanPrecision@5", "SpanIoU@5",
    ]  # fmt: skip
    for row, (document, judged) in enumerate(((0, range(12, 24)), (1, range(10)))):
        order = np.argsort(-(asked @ vectors.T)[row])
        own = [i for i in order if chunks.document[i] == document]
        places = [set(range(chunks.start[i], chunks.end[i])) for i in own]
        rank = next(i for i, one in enumerate(places) if one & set(judged))
        found = wide.loc[str(row)]
        assert found["DCG@10"] == pytest.approx(1 / np.log2(rank + 2))
        assert found["DCG@1"] == float(rank == 0)
        read = set().union(*places[:5])
        hit = len(read & set(judged))
        assert found["SpanRecall@5"] == pytest.approx(hit / len(judged))
        assert found["SpanPrecision@5"] == pytest.approx(hit / len(read))
        assert found["SpanIoU@5"] == pytest.approx(hit / len(read | set(judged)))


ENDS = (1, 2)
LONG = " ".join(f"Sentence {i} speaks of thing {i * i}." for i in range(40))
DOCUMENTS = (Document("a", LONG), Document("b", "One short text."), Document("c", "x"))
SMALL = Collection(
    "builtin-graded",
    DOCUMENTS,
    (Query("q", "thing 25"), Query("unjudged", "thing 9")),
    (Judgment("q", "a", 0, 10, 2),),
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> TransformerEncoder:
    return small_training.encoder(tmp_path_factory.mktemp("bert"))


def test_all_chunkers_are_pooled_from_one_reading(
    encoder: TransformerEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, pool, read = VectorStore(encoder, tmp_path), encoder.pool, list[int]()

    def counted(layouts: Sequence[Layout], spans: Sequence[Any]) -> Any:
        read.extend(layout.tokens for layout in layouts)
        return pool(layouts, spans)

    monkeypatch.setattr(encoder, "pool", counted)
    ordering = EmbeddingMethod(16, 0)
    sets = [
        chunk_documents(build_chunker(slug, CORRECTED), DOCUMENTS)
        for slug in ("none", "fixed-64", "sentence-5", "paragraph")
    ]
    many = [encoding.jobs(store, DOCUMENTS, chunks, ordering, CORRECTED) for chunks in sets]
    encoding.read_once(store, many)
    for chunks in sets:
        encoding.encode(store, DOCUMENTS, chunks, ordering, CORRECTED)
    assert sum(read) == sum(layout.tokens for layout in many[0].layouts)


@pytest.mark.parametrize("protocol", [AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB, CORRECTED], ids=str)
@pytest.mark.parametrize("ordering", ["pre_embedding", "contextualized-16"])
def test_a_ranked_condition_leaves_a_whole_record(
    encoder: TransformerEncoder, tmp_path: Path, protocol: Protocol, ordering: str
) -> None:
    condition = Condition("builtin-graded", "fixed-64", MINILM, ordering, protocol.name)
    outcome = evaluate(condition, SMALL, VectorStore(encoder, tmp_path))
    assert outcome.run.unscored == ["unjudged"]
    assert outcome.run.counts.queries_scored == 1
    assert (outcome.run.reading is None) == (ordering == "pre_embedding")
    assert outcome.kept is not None
    assert outcome.kept["query"].iloc[0] == 0
    assert list(outcome.scores.columns) == ["nDCG@10", "R@10", "R@100"]


@pytest.mark.parametrize("ordering", ["contextualized-16-packed", "contextualized-16-0"])
def test_a_layouts_record_holds_what_is_compared_and_no_ranking(
    encoder: TransformerEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ordering: str
) -> None:
    where = Project(tmp_path)
    monkeypatch.setattr(running, "load_store", lambda *_, **__: VectorStore(encoder, tmp_path))
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
    found = beside(*packed(chunks, Frame(window, ENDS)))
    assert found[:, 0].tolist() == [len(others.get(i, [])) for i in range(len(chunks))]
    special = 2  # those of a window count to its first and its last chunk
    for i, tokens in enumerate(found[:, 1].tolist()):
        content = sum(len(kept[j]) for j in others.get(i, []))
        assert content <= tokens <= content + special


@given(st.lists(st.integers(1, 30), max_size=20), st.integers(3, 24))
def test_chunks_of_one_token_fill_the_fewest_windows_and_larger_ones_never_fewer(
    lengths: list[int], window: int
) -> None:
    layout, _ = packed([[10] * length for length in lengths], Frame(window, ENDS))
    assert fewest(layout, window) <= len(layout.windows)
    layout, _ = packed([[10]] * sum(lengths), Frame(window, ENDS))
    assert fewest(layout, window) == len(layout.windows)


MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WIDE = f"{MODEL.replace('/', '__')}-w512"


@pytest.mark.parametrize(
    ("name", "chunker", "ordering"),
    [
        ("builtin", "recursive-200-0", "pre_embedding"),
        ("builtin-graded", "sentence-5", "contextualized-512"),
    ],
)
def test_steps_give_the_scores_of_the_record(name: str, chunker: str, ordering: str) -> None:
    wide = name == "builtin-graded"
    of = load_collection(name)
    chunks = chunk(of, chunker)
    vectors = encode(of, chunks, MODEL, 512 if wide else None, ordering)
    found = score(of, chunks, vectors)
    slug = WIDE if wide else f"{MODEL.replace('/', '__')}"
    stored = Library(find_project()).get(parse(f"{name}/{chunker}/{slug}/{ordering}/corrected"))
    assert stored is not None
    assert np.abs(found[stored.wide.columns] - stored.wide).max(axis=None) < 0.005


def test_a_run_is_compared_with_itself_and_with_a_function_of_ones_own() -> None:
    of = load_collection()
    mine = chunk(of, lambda text: [text[i : i + 500] for i in range(0, len(text), 500)])
    vectors = encode(of, mine)
    scores = score(of, mine, vectors)
    rows = compare(scores, scores, "SpanRecall@5", "SpanIoU@5")
    assert rows["difference"].tolist() == [0.0, 0.0]
    ranking = search(vectors, 3)
    assert ranking.chunk.shape == (len(of.queries), 3)
    assert (np.diff(ranking.score, axis=1) <= 0).all()


def few() -> tuple[Collection, Chunks, Vectors]:
    """Four documents with what is asked of them, paragraphs, and vectors made up for these."""
    whole = load_collection()
    documents = whole.documents[:4]
    names = {document.id for document in documents}
    judged = {one.query: one for one in whole.judgments if one.document in names}
    queries = tuple(query for query in whole.queries if query.id in judged)
    of = replace(
        whole, documents=documents, queries=queries, judgments=tuple(judged.values()), groups={}
    )
    chunks = chunk(of, "paragraph")
    random = np.random.default_rng(0)
    made = [
        rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for size in (len(queries), len(chunks))
        for rows in [random.normal(size=(size, 8)).astype(np.float32)]
    ]
    return of, chunks, Vectors(*made)


def test_words_and_vectors_are_made_into_one_ranking() -> None:
    of, chunks, vectors = few()
    alone, both = (
        search(None, 5, collect_words(of, chunks)),
        search(vectors, 5, collect_words(of, chunks)),
    )
    assert alone.chunk.shape == both.chunk.shape == (len(of.queries), 5)
    assert (both.chunk != search(vectors, 5).chunk).any()


def test_what_is_matched_is_smaller_than_what_is_returned() -> None:
    of, paragraphs, _ = few()
    small = chunk(of, "sentence-1", returned="paragraph")
    whole = returned_chunks(small)
    assert len(whole) <= len(paragraphs) < len(small)
    assert {*zip(whole.document, whole.start, strict=True)} <= {
        *zip(paragraphs.document, paragraphs.start, strict=True)
    }
    rows = np.eye(len(small), dtype=np.float32)
    ranking = search(Vectors(rows[: len(of.queries)], rows), 3, returned=small)
    assert ranking.chunk.max() < len(whole)
    assert all(len(set(row)) == 3 for row in ranking.chunk.tolist())
    around = chunk(of, "paragraph", returned=1)
    lengths = around.returned.lengths[around.returned_index]
    assert (lengths >= paragraphs.lengths).all() and (lengths > paragraphs.lengths).any()


def test_what_does_not_belong_together_is_said_in_a_sentence() -> None:
    of, chunks, vectors = few()
    whole = load_collection()
    others = chunk(whole, "paragraph")
    with pytest.raises(UserError, match="the chunks are of another collection than builtin"):
        encode(of, others)
    with pytest.raises(UserError, match="the chunks are of another collection than builtin"):
        score(of, others, vectors)
    fewer = Vectors(vectors.queries, vectors.chunks[1:])
    with pytest.raises(
        UserError, match=rf"{len(chunks) - 1} chunks, and builtin has .* encode the"
    ):
        score(of, chunks, fewer)
    with pytest.raises(UserError, match=r"the ranking has 5 chunks .* search with k=20"):
        score(of, chunks, search(vectors, 5))
    with pytest.raises(UserError, match="the ranking is of other chunks or queries"):
        score(of, chunks, search(Vectors(vectors.queries[1:], vectors.chunks), 20))
    with pytest.raises(UserError, match="nothing is given to search by"):
        search(None)
    with pytest.raises(UserError, match=r"and .* are given; search by what is of the same"):
        search(fewer, 5, collect_words(of, chunks))
    with pytest.raises(UserError, match="unknown protocol 'mine'"):
        score(of, chunks, vectors, "mine")
    assert score(of, chunks, search(vectors, 20)).equals(score(of, chunks, vectors))


def test_old_names_of_parameters_are_accepted_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="'of' is now called 'collection'"):
        old: dict[str, Any] = {"of": load_collection("builtin")}
        chunks = chunk(chunker="sentence-5", **old)
    assert len(chunks)
    old |= {"collection": load_collection("builtin")}
    with pytest.raises(TypeError, match="got 'of' and 'collection'; use 'collection'"):
        score(**old, chunks=chunks, ranking=None)


@pytest.mark.parametrize(
    ("name", "slug"), [("plain", "pre_embedding"), ("late-256", "contextualized-256")]
)
def test_embedding_methods_have_the_names_of_output_and_of_records(name: str, slug: str) -> None:
    assert parse_method(name) == parse_method(slug)
    assert str(parse_method(name)) == slug


def test_only_what_is_offered_is_there() -> None:
    assert all(callable(getattr(chunkstudy, name)) for name in chunkstudy.OFFERED)
    assert {name for name in chunkstudy.STEPS if not hasattr(engine, name)} == set()
    with pytest.warns(DeprecationWarning, match="now called chunkstudy.load_collection"):
        assert chunkstudy.collection is engine.load_collection
    with pytest.raises(AttributeError, match="no attribute 'embed'"):
        _ = chunkstudy.embed
