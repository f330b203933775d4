"""The steps of a run give what the run gives, and say what does not belong together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import chunkstudy
from chunkstudy import chunk, collection, compare, encode, score, search
from chunkstudy.base import places
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.runs import steps
from chunkstudy.runs.conditions import ConditionError, parse
from chunkstudy.runs.library import Library
from chunkstudy.runs.steps import StepError, Vectors, handed_over, words

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
    of = collection(name)
    chunks = chunk(of, chunker)
    vectors = encode(of, chunks, MODEL, 512 if wide else None, ordering)
    found = score(of, chunks, vectors)
    slug = WIDE if wide else f"{MODEL.replace('/', '__')}"
    stored = Library(places.find()).get(parse(f"{name}/{chunker}/{slug}/{ordering}/corrected"))
    assert stored is not None
    assert np.abs(found[stored.wide.columns] - stored.wide).max(axis=None) < 0.005


def test_a_run_is_compared_with_itself_and_with_a_function_of_ones_own() -> None:
    of = collection()
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
    whole = collection()
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
    alone, both = search(None, 5, words(of, chunks)), search(vectors, 5, words(of, chunks))
    assert alone.chunk.shape == both.chunk.shape == (len(of.queries), 5)
    assert (both.chunk != search(vectors, 5).chunk).any()


def test_what_is_matched_is_smaller_than_what_is_returned() -> None:
    of, paragraphs, _ = few()
    small = chunk(of, "sentence-1", returned="paragraph")
    whole = handed_over(small)
    assert len(whole) <= len(paragraphs) < len(small)
    assert {*zip(whole.document, whole.start, strict=True)} <= {
        *zip(paragraphs.document, paragraphs.start, strict=True)
    }
    rows = np.eye(len(small), dtype=np.float32)
    ranking = search(Vectors(rows[: len(of.queries)], rows), 3, returned=small)
    assert ranking.chunk.max() < len(whole)
    assert all(len(set(row)) == 3 for row in ranking.chunk.tolist())
    around = chunk(of, "paragraph", returned=1)
    assert (around.end - around.start >= paragraphs.end - paragraphs.start).all()


def test_what_does_not_belong_together_is_said_in_a_sentence() -> None:
    of, chunks, vectors = few()
    whole = collection()
    others = chunk(whole, "paragraph")
    with pytest.raises(StepError, match="the chunks are of another collection than builtin"):
        encode(of, others)
    with pytest.raises(StepError, match="the chunks are of another collection than builtin"):
        score(of, others, vectors)
    fewer = Vectors(vectors.queries, vectors.chunks[1:])
    with pytest.raises(
        StepError, match=rf"{len(chunks) - 1} chunks, and builtin has .* encode the"
    ):
        score(of, chunks, fewer)
    with pytest.raises(StepError, match=r"the ranking has 5 chunks .* search with k=20"):
        score(of, chunks, search(vectors, 5))
    with pytest.raises(StepError, match="the ranking is of other chunks or queries"):
        score(of, chunks, search(Vectors(vectors.queries[1:], vectors.chunks), 20))
    with pytest.raises(StepError, match="nothing is given to search by"):
        search(None)
    with pytest.raises(StepError, match=r"and .* are given; search by what is of the same"):
        search(fewer, 5, words(of, chunks))
    with pytest.raises(ConditionError, match="unknown protocol 'mine'"):
        score(of, chunks, vectors, "mine")
    assert score(of, chunks, search(vectors, 20)).equals(score(of, chunks, vectors))


def test_only_what_is_offered_is_there() -> None:
    assert all(callable(getattr(chunkstudy, name)) for name in chunkstudy.OFFERED)
    assert {name for name in chunkstudy.STEPS if not hasattr(steps, name)} == set()
    with pytest.raises(AttributeError, match="no attribute 'embed'"):
        _ = chunkstudy.embed
