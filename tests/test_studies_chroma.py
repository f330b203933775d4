"""Chroma's judgments at every place of an excerpt, its search run again, and its LLM chunker asked
of a small model."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy.collections import chroma as released
from chunkstudy.core.sources import find
from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.llm.interface import Reply
from chunkstudy.studies.chroma import corrected, graph
from chunkstudy.studies.chroma import llm_chunker as study
from chunkstudy.studies.chroma.search import CELL, cells

FOLDER = Path(__file__).parents[1] / "results" / "chroma_corrected"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def small() -> Collection:
    """One text in which the first excerpt stands three times and the second once."""
    text = "abcd" + "....abcd" + "wxyz" + "....abcd"
    judged = (Judgment("q", "a", 0, 4), Judgment("q", "a", 12, 16), Judgment("r", "b", 0, 2))
    documents = (Document("a", text), Document("b", "zzzz"))
    return Collection("made", documents, (Query("q", "?"), Query("r", "?")), judged)


def scored(every: bool, *chunks: tuple[int, int, int, int]) -> dict[str, list[float]]:
    """Scores of the small collection by chunks ``query, document, start, end``."""
    qrels = corrected.judgments(small())[corrected.QRELS]
    judged = qrels if every else qrels[qrels["occurrence"] == 1]
    ranking = pd.DataFrame(chunks, columns=["query", "document", "start", "end"])
    found = corrected.scores(judged, small(), ranking, 5)
    assert list(found.index) == ["q", "r"]
    return {name.removeprefix("Span"): list(found[name]) for name in corrected.MEASURES}


def test_every_place_of_an_excerpt_is_found_also_where_two_overlap() -> None:
    qrels = corrected.judgments(small())[corrected.QRELS].drop(columns="corpus-id")
    assert qrels.to_numpy().tolist() == [
        ["q", 0, 4, 1, 1], ["q", 8, 12, 1, 2], ["q", 20, 24, 1, 3], ["q", 12, 16, 2, 1],
        ["r", 0, 2, 1, 1], ["r", 1, 3, 1, 2], ["r", 2, 4, 1, 3],
    ]  # fmt: skip


def test_an_excerpt_is_found_where_it_is_covered_best_and_counts_once() -> None:
    half_and_whole = ((0, 0, 0, 2), (0, 0, 6, 12))
    assert scored(False, *half_and_whole)["Recall"] == [2 / 8, 0]
    found = scored(True, *half_and_whole)
    assert found["Recall"] == [4 / 8, 0]
    assert found["Precision"] == [6 / 8, 0]
    assert found["IoU"] == [pytest.approx(6 / (8 + 4)), 0]


def test_where_every_excerpt_stands_once_the_scores_are_the_published_ones() -> None:
    documents = (Document("a", "the quick brown fox jumps over a lazy dog"),)
    judged = (Judgment("q", "a", 4, 9), Judgment("q", "a", 20, 25), Judgment("r", "a", 33, 41))
    collection = Collection("made", documents, (Query("q", "?"), Query("r", "?")), judged)
    start = np.array([0, 3, 22, 30])
    chunks = Chunks(np.zeros(4, dtype=np.int64), start, start + 9)
    ranked = np.array([[0, 1, 2], [2, 3, 0]])
    rows = [(q, 0, start[c], start[c] + 9) for q, of in enumerate(ranked) for c in of]
    ranking = pd.DataFrame(rows, columns=["query", "document", "start", "end"])
    qrels = corrected.judgments(collection)[corrected.QRELS]
    found = corrected.scores(qrels, collection, ranking, 3)
    published = TokenOverlap.of(collection, chunks, "overlap").at(ranked, 3)
    for name in corrected.MEASURES:
        assert found[name].to_numpy() == pytest.approx(published[name])


def test_the_set_is_what_the_released_files_give(chroma_collection: Collection) -> None:
    made = corrected.judgments(chroma_collection)
    assert {path.stem for path in FOLDER.glob("*.tsv")} == made.keys()
    for name, table in made.items():
        text = table.to_csv(sep="\t", index=False, lineterminator="\n")
        assert (FOLDER / f"{name}.tsv").read_bytes() == text.encode()


def test_the_readme_loads_it_beside_the_released_texts_and_no_excerpt_stands_in_another_corpus(
    chroma_collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    questions = find(released.QUESTIONS.path)
    assert questions is not None
    monkeypatch.chdir(FOLDER)
    found: dict[str, Any] = {}
    exec(code.replace("general_evaluation_data", str(questions.parent)), found)
    qrels = found["qrels"]
    assert (qrels.groupby(["query-id", "excerpt"])["text"].nunique() == 1).all()
    assert not any(
        words in text
        for name, text in found["texts"].items()
        for words in qrels["text"][qrels["corpus-id"] != name]
    )
    assert list(found["questions"]) == [query.text for query in chroma_collection.queries]


SIZE, EACH = 10, 30
TEXT = "".join(f"{number:010d}" for number in range(EACH))
NAMES = ("a", "b")


def counted() -> pd.Series:
    """Thirty chunks of ten characters in each of two documents, a question per chunk; in the second
    document every chunk is located ten characters early."""
    questions = [(document, at) for document in NAMES for at in range(EACH)]
    collection = Collection(
        "builtin",
        tuple(Document(name, TEXT) for name in NAMES),
        tuple(Query(f"{name}{at}", "?") for name, at in questions),
        tuple(Judgment(f"{d}{at}", d, SIZE * at, SIZE * at + SIZE) for d, at in questions),
        {f"{name}{at}": name for name, at in questions},
    )
    document = np.repeat(np.arange(2), EACH)
    start = np.tile(SIZE * np.arange(EACH), 2)
    early = np.maximum(start - np.where(document == 1, SIZE, 0), 0)
    chunks = {
        "located": Chunks(document, early, early + SIZE),
        "true": Chunks(document, start, start + SIZE),
    }
    overlaps = {name: TokenOverlap.of(collection, one, "touching") for name, one in chunks.items()}
    values = np.random.default_rng(0).normal(size=(2 * EACH, 16))
    vectors = (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)
    exact = search(vectors, vectors, 20).chunk
    found: pd.Series = cells(collection, overlaps, lambda _: exact).set_index(CELL)["value"]
    return found


def test_every_corpus_is_counted_by_its_own_questions_and_offsets() -> None:
    recall = counted().xs(("SpanRecall@5", "mean"), level=("measure", "statistic"))
    assert recall["true", "all"] == 1 and recall["located", "a"] == 1
    assert recall["located", "b"] < 0.5
    both = recall["located"][["a", "b"]]
    assert recall["located", "all"] == pytest.approx(both.mean())


needs_hnsw = pytest.mark.skipif(
    find_spec("hnswlib") is None, reason="chroma-hnswlib comes ready built for Python 3.11 alone"
)

CHUNKS, QUERIES, DEPTH = 1300, 40, 20


def unit(rows: int, seed: int) -> graph.Vectors:
    values = np.random.default_rng(seed).normal(size=(rows, 24))
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


VECTORS, ASKED = unit(CHUNKS, 1), unit(QUERIES, 2)
ORDER: graph.Ints = np.arange(CHUNKS)[::-1].copy()


def test_every_chunk_comes_once_and_a_set_mixes_a_batch_as_the_seed_says_and_never_two() -> None:
    every = graph.batches(ORDER, seed=3)
    assert [len(batch) for batch in every] == [graph.BATCH, graph.BATCH, CHUNKS - 2 * graph.BATCH]
    for at, batch in enumerate(every):
        own = ORDER[graph.BATCH * at : graph.BATCH * (at + 1)]
        assert sorted(batch.tolist()) == sorted(own.tolist()) and batch.tolist() != own.tolist()
    orders = {tuple(np.concatenate(graph.batches(ORDER, seed))) for seed in (0, 0, 1)}
    assert len(orders) == 2


@needs_hnsw
def test_a_list_as_long_as_the_collection_finds_what_exact_search_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(graph, "SEARCH_LIST", CHUNKS)
    found = graph.nearest(graph.graph(VECTORS, ORDER, seed=0), ASKED, DEPTH)
    assert found.tolist() == search(ASKED, VECTORS, DEPTH).chunk.tolist()


@needs_hnsw
def test_more_may_be_asked_for_than_the_list_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "SEARCH_LIST", 10)
    found = graph.nearest(graph.graph(VECTORS, ORDER, seed=0), ASKED, DEPTH)
    assert found.shape == (QUERIES, DEPTH)
    assert all(len(set(row)) == DEPTH for row in found.tolist())


LENGTHY = "split_after: 9 " * 40


def said(text: str) -> Reply:
    return Reply(text, "length" if text == LENGTHY else "stop", 10, 5, "made", "made")


@pytest.mark.parametrize(
    ("text", "corrected", "official"),
    [
        ("split_after: 9, 12", study.USED, study.USED),
        ("split_after: 9, 12\nThe topic changes.", study.OTHER, study.USED),
        ("The topic changes.", study.OTHER, study.OTHER),
        ("split_after: 9, 9", study.REPEATED, study.USED),
        ("split_after: 12, 9", study.REPEATED, study.REPEATED),
        ("split_after: 9, 99", study.OUTSIDE, study.USED),
        ("split_after: 7", study.OUTSIDE, study.OUTSIDE),
        ("split_after: 3", study.OUTSIDE, study.OUTSIDE),
        (LENGTHY, study.CUT_OFF, study.USED),
    ],
)
def test_each_reply_about_pieces_8_to_20_has_one_outcome_and_the_official_code_takes_more(
    text: str, corrected: str, official: str
) -> None:
    assert study.outcome(said(text), 8, 20) == corrected
    assert study.outcome(said(text), 8, 20, official=True) == official
