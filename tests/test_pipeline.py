"""The steps of a run give what the run gives."""

from __future__ import annotations

import numpy as np
import pytest

import chunkstudy
from chunkstudy import chunk, collection, compare, encode, score, search
from chunkstudy.base import places
from chunkstudy.runs.conditions import LATE_512, MINILM_512, parse
from chunkstudy.runs.library import Library
from chunkstudy.runs.names import PRE_EMBEDDING

MODEL = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("name", "chunker", "ordering"),
    [("builtin", "recursive-200-0", PRE_EMBEDDING), ("builtin-graded", "sentence-5", LATE_512)],
)
def test_steps_give_the_scores_of_the_record(name: str, chunker: str, ordering: str) -> None:
    wide = name == "builtin-graded"
    of = collection(name)
    chunks = chunk(of, chunker)
    vectors = encode(of, chunks, MODEL, 512 if wide else None, ordering)
    found = score(of, chunks, vectors)
    slug = MINILM_512 if wide else f"{MODEL.replace('/', '__')}"
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


def test_only_what_is_offered_is_there() -> None:
    assert all(callable(getattr(chunkstudy, name)) for name in chunkstudy.OFFERED)
    with pytest.raises(AttributeError, match="no attribute 'embed'"):
        _ = chunkstudy.embed
