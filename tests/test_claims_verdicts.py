"""Verdicts of Chroma's claims recomputed from the printed files by other means."""

from __future__ import annotations

from chunkstudy.base.places import Places
from chunkstudy.runs import facts
from tests.claims_printed import decided, number, printed
from tests.test_claims_ledger import COMPARISON, ROOT


def test_c01_the_gap_of_recall() -> None:
    cells = printed("chroma", table="main", measure="SpanRecall@5", statistic="mean")
    recall = [float(row["published"]) for row in cells]
    gap = max(recall) - min(recall)
    assert gap < 8.5 and 9 <= 100 * gap / min(recall) < 10
    assert decided("C01") == ["contradicted", "holds"]


def test_c22_a_mean_above_the_limit_breaks_it() -> None:
    size = number("chroma", table="main", chunker="kamradt-modified-300", measure="chunk size")
    assert size > 300
    assert decided("C22") == ["contradicted"]


def test_c07_the_caption_counts_other_queries() -> None:
    queries = facts.read(Places(ROOT), "chroma")
    assert len(queries) == 472
    assert decided("C07") == ["contradicted"]


def test_c02_precision_omega_of_sixteen_cells() -> None:
    cells = COMPARISON[
        (COMPARISON["measure"] == "PrecisionOmega")
        & (COMPARISON["table"] == "main")
        & COMPARISON["chunker"].str.contains("recursive|token")
    ]
    apart = (cells["reproduced"].astype(float) - cells["published"].astype(float)).abs()
    assert len(cells) == 16 and apart.max() <= 0.0501
    assert decided("C02") == ["holds"]
