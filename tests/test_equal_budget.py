"""Overlap and size at an equal budget, from made recalls and from the study where it was run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.base.tokens import cl100k_offsets
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.studies.controls import comparisons as analysis
from chunkstudy.studies.controls import equal_budget as study

QUESTIONS = 200
ARM = {"collection": "chroma", "encoder": "e", "ordering": "pre_embedding"}


def recalls(documents: int = 1, gain: float = 0.0) -> pd.DataFrame:
    """Two sizes with overlap that gains so much over none, at two budgets."""
    random = np.random.default_rng(0)
    parts = []
    for budget in (1_000, 2_000):
        plain = random.uniform(size=QUESTIONS)
        noise = random.normal(scale=0.01, size=QUESTIONS)
        table = pd.DataFrame(
            {
                "query_id": [f"q{i}" for i in range(QUESTIONS)],
                "document": [f"d{i % documents}" for i in range(QUESTIONS)],
                "recursive-400-0": plain,
                "recursive-400-200": plain + gain + noise,
                "sentence-5": plain / 2,
                "token-800-400": np.nan,
            }
        )
        parts.append(table.assign(**ARM, counted="again", budget=budget))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("gain, word", [(0.05, "higher"), (-0.05, "lower"), (0.0, "equivalent")])
def test_each_overlap_is_compared_with_its_own_size_alone(gain: float, word: str) -> None:
    found = analysis.overlaps(recalls(gain=gain))
    found = found[found["chunker"] != analysis.MEAN]
    assert found["chunker"].tolist() == ["recursive-400-200"] * 2
    assert found["other"].tolist() == ["recursive-400-0"] * 2
    assert set(found["shown"]) == {word} and set(found["family_size"]) == {2}


def test_every_chunker_stands_against_the_best_of_its_budget() -> None:
    chunkers = pd.DataFrame(
        {"chunker": ["recursive-400-0", "recursive-400-200", "sentence-5"], "tokens": [4.0, 5, 6]}
    ).assign(**ARM)
    found = analysis.sizes(recalls(gain=0.05), chunkers).set_index(["budget", "chunker"])
    assert len(found) == 6 and set(found["best chunker"]) == {"recursive-400-200"}
    best = found.xs("recursive-400-200", level="chunker")
    assert best["difference"].isna().all() and (best["tokens"] == 5).all()
    assert (found.xs("sentence-5", level="chunker")["shown"] == "lower").all()
    assert (
        (found["recall low"] < found["recall"]) & (found["recall"] < found["recall high"])
    ).all()


TEXT = " ".join(f"Word{i} stands here." for i in range(400))
COLLECTION = Collection(
    "made",
    (Document("a", TEXT), Document("b", TEXT[:900])),
    (Query("q1", "one", "a"), Query("q2", "two", "b"), Query("q3", "none", "a")),
    (Judgment("q1", "a", 100, 900), Judgment("q2", "b", 0, 50)),
)
STARTS = [*range(0, len(TEXT), 300)]
CHUNKS = Chunks(
    np.array([0] * len(STARTS) + [1] * 3),
    np.array([*STARTS, 0, 300, 600]),
    np.array([*(min(s + 400, len(TEXT)) for s in STARTS), 300, 600, 900]),
)


def test_a_question_ranks_the_chunks_of_its_own_document_and_no_others() -> None:
    vectors = np.eye(len(CHUNKS), dtype=np.float32)
    asked = np.ones((3, len(CHUNKS)), dtype=np.float32)
    found = study.ranked(COLLECTION, CHUNKS, asked, vectors)
    assert found.shape == (3, len(STARTS) + 1)
    assert found[0].tolist() == [*range(len(STARTS)), -1]
    assert found[1, :4].tolist() == [len(STARTS), len(STARTS) + 1, len(STARTS) + 2, -1]


def test_recall_at_budgets_stands_beside_recall_of_five_chunks() -> None:
    ranking = np.full((3, len(STARTS) + 1), -1)
    ranking[[0, 2], :-1] = np.arange(len(STARTS))[::-1]
    ranking[1, :3] = [len(STARTS), len(STARTS) + 1, len(STARTS) + 2]
    offsets = [cl100k_offsets(document.text) for document in COLLECTION.documents]
    found, tokens = study.at_budgets(COLLECTION, CHUNKS, ranking, offsets)
    found = found.sort_index()
    judged, in_tokens = to_tokens(JudgedSpans.of(COLLECTION), CHUNKS, offsets)
    five = TokenOverlap(judged, in_tokens, "overlap").at(ranking, 5)["SpanRecall"]
    assert found[study.CHUNKS, 5].tolist() == pytest.approx(five, abs=1e-4)
    assert tokens == in_tokens.lengths.mean()
    assert found["again", 1_000]["q2"] == 1 and found["again", 4_000]["q3"] == 0
    assert (found["once"] >= found["again"]).all()
