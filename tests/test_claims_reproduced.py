"""Printed values count as reproduced in their own rows, and not once they are shuffled.

Both sides of Chroma's tables with all-MiniLM-L6-v2 rest on the same questions, so the sampling
error over questions is no bound: values of other rows would keep it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.published.claims.evidence import Sources
from chunkstudy.published.side_by_side import compare
from chunkstudy.runs.library import Library
from tests.claims_printed import decided, printed
from tests.test_claims_ledger import COMPARISON, ROOT, TABLES

Keys = list[str]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
KEYS = ["chunker", "part", "cut", "measure", "statistic"]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(Places(ROOT))


def reproduced(table: str, **keys: str) -> tuple[list[dict[str, str]], list[float]]:
    """Rows of a published table, and what was reproduced for each, in its unit."""
    found = COMPARISON[COMPARISON["reproduced"].notna()].astype({"table": str, "cut": str})
    values = found[found["table"] == table].set_index(KEYS)["reproduced"].to_dict()
    rows = printed("chroma", table=table, encoder=MINILM, **keys)
    pairs = [(row, values.get(tuple(row[key] for key in KEYS))) for row in rows]
    return [row for row, value in pairs if value], [value for _, value in pairs if value]


def whole(value: float) -> str:
    return f"{value:.1f}"


@pytest.mark.parametrize(
    ("claim", "table", "keys", "shown"),
    [
        ("C25", "minilm", {"measure": "SpanRecall@5", "statistic": "mean"}, whole),
        ("C33", "appendix", {"part": "all"}, whole),
    ],
)
def test_shuffled_published_values_are_not_reproduced(
    claim: str,
    table: str,
    keys: dict[str, str],
    shown: Callable[[float], str],
    library: Library,
    tmp_path: Path,
) -> None:
    rows, values = reproduced(table, **keys)
    assert len(rows) >= 8
    for shift, expected in ((0, "holds"), (1, "contradicted"), (3, "contradicted")):
        moved = values[shift:] + values[:shift]
        places = Places(tmp_path / str(shift))
        places.published.mkdir(parents=True)
        (places.results / "studies").symlink_to(ROOT / "results" / "studies")
        with (places.published / "chroma.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            for row, value in zip(rows, moved, strict=True):
                writer.writerow(row | {"published": shown(value)})
        judged = compare(places, library)
        assert len(judged) == len(rows) and not judged["verdict"].eq("not_run").any()
        assert decided(claim, Sources(library, judged, TABLES)) == [expected, expected]
