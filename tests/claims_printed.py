"""The printed files read plainly, and single claims settled, for tests of verdicts."""

from __future__ import annotations

import csv

import pandas as pd

from chunkstudy.published.claims import ledger
from chunkstudy.published.claims.evidence import Sources
from tests.test_claims_ledger import ROOT, SOURCES

Row = dict[str, str]


def printed(work: str, **keys: str) -> list[Row]:
    """Published cells with these keys."""
    rows: list[Row] = []
    for path in sorted((ROOT / "results" / "published").glob(f"{work}*.csv")):
        with path.open(encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return [row for row in rows if all(row[k] == v for k, v in keys.items())]


def number(work: str, **keys: str) -> float:
    """The one cell with these keys."""
    (row,) = printed(work, **keys)
    return float(row["published"])


def decided(id: str, sources: Sources = SOURCES) -> list[str]:
    """The verdicts of a claim's readings, the strict one first."""
    return settled(id, sources)["verdict"].tolist()


def settled(id: str, sources: Sources = SOURCES) -> pd.DataFrame:
    """A claim's rows of the ledger, the strict reading first."""
    works = [
        ledger.Work(work.name, work.models, [claim for claim in work.claims if claim.id == id])
        for work in ledger.works()
    ]
    return ledger.settle(works, sources).iloc[::-1].reset_index(drop=True)
