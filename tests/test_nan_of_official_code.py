"""A document without text in the taxonomy's late chunking: its score is NaN, which disorders the
ranking (docs/protocols.md, empty documents)."""

from __future__ import annotations

import math

import numpy as np
import pytest
import pytrec_eval

from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import Frame, packed
from chunkstudy.encoders.transformer import TransformerEncoder

DOCUMENTS = [f"d{i:03}" for i in range(400)]
GUARDED = -1.0
"""What BEIR's own search puts in the place of NaN."""


def cosine(query: np.ndarray, chunks: np.ndarray) -> np.ndarray:
    """As the official evaluator divides by lengths (evaluators/beir_evaluator.py:47-53)."""
    with np.errstate(invalid="ignore"):
        return (chunks / np.linalg.norm(chunks, axis=1, keepdims=True)) @ query


def best_ten_come_first(best_first: list[str], score: float) -> bool:
    """Whether pytrec_eval ranks the best ten first when an empty document has this score."""
    run = {document: 1 - rank / 400 for rank, document in enumerate(best_first)} | {"d200e": score}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": dict.fromkeys(best_first[:10], 1)}, {"P.10"})
    return float(evaluator.evaluate({"q": run})["q"]["P_10"]) == 1


def test_a_chunk_without_tokens_has_no_cosine() -> None:
    encoder = TransformerEncoder(models.spec("sentence-transformers/all-MiniLM-L6-v2"), window=512)
    layout, spans = packed([[], [2061]], Frame(512, encoder.ends))
    (vectors,) = encoder.pool([layout], [spans])
    scores = cosine(vectors[1], vectors)
    assert math.isnan(scores[0]) and scores[1] == pytest.approx(1)


def test_nan_lets_documents_from_below_rise_and_a_guard_does_not() -> None:
    orders = [np.random.default_rng(seed).permutation(DOCUMENTS).tolist() for seed in range(20)]
    assert not all(best_ten_come_first(order, math.nan) for order in orders)
    assert all(best_ten_come_first(order, GUARDED) for order in orders)
