"""What is decided at a limit: a p just below and above .05, an interval of 95%, ties between
segmentations, the better of two where less is better, equal ids, and how deep a search goes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy.chunkers import semantic
from chunkstudy.core.protocols import (
    AS_PUBLISHED_CHROMA,
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    CORRECTED,
    Protocol,
)
from chunkstudy.core.spans import Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.evaluation.statistics.testing import clustered_means
from chunkstudy.notebook.scores import Scores
from chunkstudy.pipeline import scoring

N = 40
MEASURE = "DCG@10"
UNIT = np.resize([-1.0, 1.0], N)
"""Mean 0; its standard error is that of what it is multiplied by."""
ERROR = UNIT.std(ddof=1) / math.sqrt(N)


def compared(*changes: np.ndarray) -> pd.DataFrame:
    """Return the comparisons of a family: zeros plus each change, against zeros."""
    base = pd.Series(0.0, index=[f"q{i}" for i in range(N)])
    pairs = [Pair({"i": i, "measure": MEASURE}, base + one, base) for i, one in enumerate(changes)]
    return differences(pairs, "one family", "ours", "theirs")


def differing(p: float) -> np.ndarray:
    """Return changes whose two-sided t-test has this p."""
    spread = 0.5
    return spread * UNIT + spread * ERROR * stats.t.isf(p / 2, N - 1)


def alike(p: float) -> np.ndarray:
    """Return changes of mean 0 whose test of equivalence has this p."""
    margin = float(compared(UNIT)["margin"].iloc[0])
    return margin / ERROR / stats.t.isf(p, N - 1) * UNIT


@pytest.mark.parametrize(("p", "shown"), [(0.0495, "higher"), (0.0505, "not shown")])
def test_a_difference_is_significant_below_five_percent(p: float, shown: str) -> None:
    row = compared(differing(p)).iloc[0]
    assert row["p_holm"] == pytest.approx(p) and row["shown"] == shown


@pytest.mark.parametrize(("p", "shown"), [(0.0495, "equivalent"), (0.0505, "not shown")])
def test_systems_are_equivalent_below_five_percent(p: float, shown: str) -> None:
    row = compared(alike(p)).iloc[0]
    assert row["p_equivalent_holm"] == pytest.approx(p) and row["shown"] == shown


def test_equivalence_is_decided_after_holms_correction() -> None:
    assert compared(alike(0.03))["shown"].tolist() == ["equivalent"]
    table = compared(alike(0.03), alike(0.03), alike(0.03))
    assert table["p_equivalent"].tolist() == pytest.approx([0.03] * 3)
    assert table["shown"].tolist() == ["not shown"] * 3


def test_a_difference_is_decided_after_holms_correction() -> None:
    assert compared(differing(0.03))["shown"].tolist() == ["higher"]
    assert compared(differing(0.03), differing(0.03))["shown"].tolist() == ["not shown"] * 2


def test_intervals_cover_ninety_five_percent() -> None:
    values = np.random.default_rng(3).standard_normal(2_000)
    half = stats.norm.ppf(0.975) * values.std() / math.sqrt(len(values))
    groups = pd.Series(np.arange(len(values)))
    (clustered,) = clustered_means([(pd.Series(values), groups)])
    (difference,) = statistics.mean_differences([values])
    for found in (
        statistics.bootstrap_interval(values), clustered.interval, difference.interval
    ):  # fmt: skip
        assert (found.high - found.low) / (2 * half) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("n", "largest", "starts"),
    [(5, 2, [0, 1, 3]), (7, 3, [0, 1, 4]), (6, 3, [0, 3]), (4, 1, [0, 1, 2, 3]), (3, 5, [0])],
)
@pytest.mark.parametrize("rows", ["equal", "orthogonal"])
def test_ties_of_the_cluster_chunker_go_to_fewer_chunks_then_to_the_longer_last_one(
    rows: str, n: int, largest: int, starts: list[int]
) -> None:
    vectors = np.eye(8, dtype=np.float32)[:n] if rows == "orthogonal" else np.ones((n, 1))
    assert semantic.cluster_cuts(vectors.astype(np.float32), largest, quirks=False) == starts


def test_the_best_chunker_reads_fewest_tokens_and_scores_highest() -> None:
    frame = pd.DataFrame(
        {
            "chunker": ["recursive-200-0", "recursive-400-0"],
            "part": "all",
            "query_id": "q",
            "TokensRead@5": [200.0, 400.0],
            "SpanRecall@5": [0.4, 0.8],
        }
    )
    runs = dict.fromkeys(frame["chunker"], "path")

    def best(*measures: str) -> str:
        return Scores(frame, measures, runs, 5).best

    assert "200" in best("TokensRead@5", "SpanRecall@5")
    assert "400" in best("SpanRecall@5", "TokensRead@5")


@pytest.mark.parametrize(
    ("protocol", "own_id", "drops"),
    [
        (CORRECTED, False, False),
        (CORRECTED, True, True),
        (AS_PUBLISHED_CHROMA, False, False),
        (AS_PUBLISHED_JINA, False, True),
        (AS_PUBLISHED_IELAB, False, True),
    ],
    ids=str,
)
def test_a_query_never_finds_the_document_of_its_id_where_the_rules_drop_it(
    protocol: Protocol, own_id: bool, drops: bool
) -> None:
    documents = tuple(Document(f"d{i}", f"Text {i}.") for i in range(3))
    collection = Collection(
        "made", documents, (Query("d0", "?"),), (Judgment("d0", "d1", 0, 4),), skips_own_id=own_id
    )
    chunks = chunk_documents(lambda text: [(0, len(text))], documents)
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    scored = scoring.in_corpus(collection, chunks, (vectors[:1], vectors), protocol)
    assert scored.scores.loc["d0", "nDCG@10"] == pytest.approx(1 if drops else 1 / np.log2(3))


def test_a_search_goes_on_until_what_it_found_is_enough() -> None:
    def search(depth: int) -> Ranking:
        order = np.arange(depth, dtype=np.int64)[None, :]
        return Ranking(order, -order.astype(np.float32))

    def found(least: int) -> int:
        ranking = small_to_large.search_groups(
            search,
            np.arange(100) // 2,
            1,
            lambda ranked: bool(((ranked.chunk != NO_CHUNK).sum(axis=1) >= least).all()),
            first=2,
        )
        return int((ranking.chunk != NO_CHUNK).sum())

    assert found(1) == 1
    assert 5 <= found(5) < 50
    assert found(50) == 50 == found(51)
