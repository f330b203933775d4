"""A second encoder's records beside the first's: what each claim that pools encoders makes of
them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published.claims import chroma_computed as chroma
from chunkstudy.runs.conditions import MINILM, MPNET, NONE, Condition

QUERIES = ["a", "b"]


def record(precision: float) -> Any:
    return SimpleNamespace(
        wide=pd.DataFrame(
            {"SpanRecall@5": 1.0, "SpanPrecision@5": precision, "PrecisionOmega": 0.5}, QUERIES
        )
    )


def heard(*precisions: tuple[str, float]) -> Any:
    found = [
        (Condition("chroma", "kamradt", one, "pre_embedding", AS_PUBLISHED_CHROMA.name), record(p))
        for one, p in precisions
    ]
    return SimpleNamespace(records=lambda _: iter(found))


def test_one_chunker_with_two_encoders_is_two_cases() -> None:
    """The second used to take the first's place, so that a counterexample was lost."""
    for order in (((MINILM, 0.9), (MPNET, 0.1)), ((MPNET, 0.1), (MINILM, 0.9))):
        found = chroma.omega_bounds_precision(heard(*order), each_query=False)
        assert found.figures.startswith("1 of 2 (not: Kamradt, all-MiniLM-L6-v2)")
        assert "most often with Kamradt, all-MiniLM-L6-v2" in found.figures


def test_what_all_minilm_shows_beside_a_claim_is_its_own() -> None:
    row = {"chunker": "token-200-0", "measure": "SpanRecall@5", "characters": 0.5}
    other = {"chunker": "token-250-0", "measure": "SpanRecall@5", "characters": 0.6}
    own = [
        one | {"encoder": encoder, "difference": 0.01}
        for encoder in (MINILM, NONE)
        for one in (row, other)
    ]
    second = [row | {"encoder": MPNET, "difference": 0.4}]
    shown = []
    for rows in (own, own + second):
        evidence: Any = SimpleNamespace(frame=lambda *_, rows=rows: pd.DataFrame(rows))
        shown.append(chroma.tokens_against_characters(evidence))
    assert shown[0] == shown[1] and "+1.00 points" in shown[0]
