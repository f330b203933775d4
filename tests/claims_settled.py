"""The committed sources of claims, and claims settled from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published.claims import ledger
from chunkstudy.published.claims.evidence import Sources
from chunkstudy.runs.library import Library

ROOT = Path(__file__).parents[1]
TABLES = {
    path.stem: pd.read_csv(path) if path.stat().st_size > 1 else pd.DataFrame()
    for path in (ROOT / "results" / "tables").glob("*.csv")
}
COMPARISON = pd.read_csv(ROOT / "results" / "comparison.csv", dtype={"published": str})
SOURCES = Sources(Library(Places(ROOT)), COMPARISON, TABLES)
CLAIMS = [claim for work in ledger.works() for claim in work.claims]


def made(decide: Any, models: Any = ("a/b",), sources: Sources = SOURCES) -> pd.DataFrame:
    """The rows of one claim that a test's function decides."""
    work = ledger.Claims("chroma", models)
    work.claim("Z1", "Section 1", "claims")(decide)
    return ledger.settle([work], sources)


def settled(id: str, sources: Sources = SOURCES) -> pd.DataFrame:
    """A claim's rows of the ledger, the fair reading first."""
    works = [
        ledger.Claims(work.name, work.models, [claim for claim in work.claims if claim.id == id])
        for work in ledger.works()
    ]
    return ledger.settle(works, sources)


def decided(id: str, sources: Sources = SOURCES) -> list[str]:
    """The verdicts of a claim's readings, the fair one first."""
    return settled(id, sources)["verdict"].tolist()
