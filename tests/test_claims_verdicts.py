"""What turns a verdict: other rows' values, another cell, another model."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published import cells, side_by_side
from chunkstudy.published.cells import Cell
from chunkstudy.published.claims import chroma_computed
from chunkstudy.published.claims.evidence import Sources, model
from chunkstudy.runs.conditions import MINILM, MPNET, Condition
from tests.claims_settled import COMPARISON, ROOT, SOURCES, TABLES, decided

NAIVE = "pre_embedding"


@pytest.mark.parametrize(
    ("claim", "table", "keys"),
    [
        ("C25", "minilm", {"measure": "SpanRecall@5", "statistic": "mean"}),
        ("C33", "appendix", {"part": "all"}),
    ],
)
def test_published_values_of_other_rows_are_not_reproduced(
    claim: str, table: str, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sides rest on the same questions, so that the sampling error would be no bound."""
    wanted = keys | {
        "work": "chroma",
        "table": table,
        "encoder": model(MINILM),
    }
    rows = [
        (one, float(value))
        for one, value in zip(cells.read(Places(ROOT)), COMPARISON["reproduced"], strict=True)
        if value == value and all(getattr(one, name) == word for name, word in wanted.items())
    ]
    assert len(rows) >= 8
    for shift, expected in ((0, "holds"), (1, "contradicted"), (3, "contradicted")):
        values = [f"{rows[(at + shift) % len(rows)][1]:.1f}" for at in range(len(rows))]
        moved = [
            Cell.model_validate(one.model_dump() | {"published": value, "decimals": 1})
            for (one, _), value in zip(rows, values, strict=True)
        ]
        monkeypatch.setattr(side_by_side, "read", lambda places, moved=moved: moved)
        judged = side_by_side.compare(Places(ROOT), SOURCES.library)
        assert len(judged) == len(rows) and not judged["verdict"].eq("not_run").any()
        found = decided(claim, Sources(SOURCES.library, judged, TABLES))
        assert found == [expected, expected]


def test_a_changed_cell_changes_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """LumberChunker's best score on GutenQA, made its worst."""
    changed = [
        one.model_copy(update={"published": one.published.replace("0.6016", "0.1016")})
        for one in cells.read(Places(ROOT))
    ]
    monkeypatch.setattr(cells, "read", lambda places: changed)
    assert decided("C94", Sources(SOURCES.library, COMPARISON, TABLES)) == ["contradicted"]


def test_one_chunker_with_two_encoders_is_two_cases() -> None:
    """The second used to take the first's place, so that a counterexample was lost."""

    def heard(*precisions: tuple[str, float]) -> Any:
        scores = {"SpanRecall@5": 1.0, "PrecisionOmega": 0.5}
        found = [
            (
                Condition("chroma", "kamradt", encoder, NAIVE, AS_PUBLISHED_CHROMA.name),
                SimpleNamespace(wide=pd.DataFrame(scores | {"SpanPrecision@5": p}, ["a", "b"])),
            )
            for encoder, p in precisions
        ]
        return SimpleNamespace(records=lambda _: iter(found))

    for order in (((MINILM, 0.9), (MPNET, 0.1)), ((MPNET, 0.1), (MINILM, 0.9))):
        found = chroma_computed.omega_bounds_precision(heard(*order), each_query=False)
        assert found.figures.startswith("1 of 2 (not: Kamradt, all-MiniLM-L6-v2)")
