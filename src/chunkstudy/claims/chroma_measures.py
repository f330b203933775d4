"""Chroma's definitions of its measures and algorithms (S0:183-216, S0:299-323), put to the test.

What a formula or an algorithm does is computed on inputs stated here, with the project's own
chunkers and measures, which keep the official code's departures as a protocol.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers import semantic
from chunkstudy.claims.chroma_rows import MEASURES, RECALL
from chunkstudy.claims.evidence import Evidence, numbers
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)
from chunkstudy.grid.conditions import NONE
from chunkstudy.measures.token_overlap import JudgedSpans, TokenOverlap
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.spans import Chunks

ROUNDING = 5e-6
"""Stored scores have six decimals; a product of two is off by a few of the last."""


def iou_charges_redundancy(_: Evidence) -> Finding:
    """An excerpt of 10 characters in two retrieved chunks of 20 that share 10."""
    zero = np.zeros(1, dtype=np.int64)
    judged = JudgedSpans(1, zero, zero, zero + 10, zero + 20)
    chunks = Chunks(np.zeros(2, dtype=np.int64), np.array([0, 10]), np.array([20, 30]), None)
    overlap = TokenOverlap(judged, chunks, "overlap")
    iou = float(overlap.at(np.array([[0, 1]]), 2)["SpanIoU"][0])
    with_sum, with_union = 10 / (10 + 40 - 10), 10 / 30
    return decide(
        iou == with_sum,
        f"excerpt of 10, two chunks of 20 that share it: {iou:.3f}; the sum of what is retrieved "
        f"gives {with_sum:.3f}, a set of tokens, as S0:191 says, {with_union:.3f}",
    )


def f1_identity(evidence: Evidence) -> Finding:
    """2PR/(P+R) against 2|overlap|/(|excerpts|+|retrieved|) in every record, query by query."""
    furthest, queries = 0.0, 0
    for condition, record in evidence.records("chroma"):
        if condition.encoder == NONE:
            continue
        for cut in ("5", "10", "Min"):
            p, r, f1 = (record.wide[f"Span{name}@{cut}"] for name in ("Precision", "Recall", "F1"))
            harmonic = (2 * p * r / (p + r).where(p + r > 0, 1)).fillna(0)
            furthest = max(furthest, float((harmonic - f1).abs().max()))
            queries += len(f1)
    if not queries:
        return unanswered("records of Chroma's collection", "0 scores")
    return decide(furthest <= ROUNDING, f"largest difference {furthest:.1e} over {queries} scores")


def omega_bounds_precision(evidence: Evidence) -> Readings:
    """Is precision ever above precision Ω where recall is perfect?"""
    above: list[pd.Series] = []
    rates = {}
    for condition, record in evidence.records("chroma"):
        if condition.encoder == NONE or condition.protocol != AS_PUBLISHED_CHROMA.name:
            continue
        perfect = record.wide[record.wide["SpanRecall@5"] >= 1 - ROUNDING]
        more = perfect["SpanPrecision@5"] - perfect["PrecisionOmega"] > ROUNDING
        above.append(more)
        rates[condition.chunker] = 100 * more.mean()
    if not above:
        return unanswered("records of Chroma's collection", "0 scores")
    every = pd.concat(above)
    means = {
        c.chunker: bool(r.wide["SpanPrecision@5"].mean() <= r.wide["PrecisionOmega"].mean())
        for c, r in evidence.records("chroma")
        if c.chunker in rates and c.protocol == AS_PUBLISHED_CHROMA.name and c.encoder != NONE
    }
    most = max(rates, key=lambda name: rates[name])
    figures = (
        f"above it in {every.sum()} of {len(every)} rankings with recall 1 at 5 chunks "
        f"({100 * every.mean():.2f}%), most often with {most} ({rates[most]:.1f}%)"
    )
    return (
        strict("for every query", decide(not every.any(), figures)),
        charitable("for every chunker on average", counted(means, figures)),
    )


def measures_count_tokens(evidence: Evidence) -> Readings:
    """The official code counts characters; what would tokens give?"""
    table = evidence.tables["chroma_token_unit"]
    if table.empty:
        return unanswered("records under the corrected protocol", "0 comparisons")
    table = numbers(table, "difference", "characters")
    table = table[table["measure"].isin(MEASURES)]
    largest = table.iloc[int(table["difference"].abs().argmax())]
    recall = table[table["measure"] == RECALL]["difference"].abs().max()
    wide = table[table["encoder"] != "none"]
    order = [
        g["characters"].corr(g["characters"] - g["difference"], method="spearman")
        for _, g in wide.groupby("measure")
    ]
    figures = (
        f"largest difference of a mean {largest['difference']:+.2f} points "
        f"({largest['chunker']}, {largest['measure']}), of recall {recall:.2f}; rank correlation "
        f"of chunkers {min(order):.3f} or more"
    )
    return (
        strict(
            "the official numbers count tokens",
            decide(AS_PUBLISHED_CHROMA.true_tokens, figures),
        ),
        charitable(
            "counting tokens would order chunkers the same way: rank correlation above 0.99",
            decide(min(order) > 0.99, figures),
        ),
    )


def cluster_is_globally_optimal(_: Evidence) -> Readings:
    """Cluster's chunks against all segmentations of small random texts."""
    generator = np.random.default_rng(0)
    met: dict[bool, list[bool]] = {True: [], False: []}
    for _repeat in range(100):
        vectors = _unit(generator.normal(size=(8, 4)))
        best = max(_reward(vectors, cuts) for cuts in _segmentations(8, 3))
        for quirks in (True, False):
            cuts = semantic.cluster_cuts(vectors, 3, quirks=quirks)
            longest = max(b - a for a, b in zip(cuts, [*cuts[1:], 8], strict=True))
            met[quirks].append(longest <= 3 and _reward(vectors, cuts) > best - 1e-9)
    figures = (
        f"best of all segmentations of 8 pieces into chunks of at most 3: official code "
        f"{sum(met[True])} of {len(met[True])}, corrected {sum(met[False])} of {len(met[False])}"
    )
    return (
        strict("the official code always reaches the optimum", decide(all(met[True]), figures)),
        charitable("the algorithm as described does", decide(all(met[False]), figures)),
    )


def cluster_recomputes_when_data_grows(_: Evidence) -> Finding:
    """Do chunks of a text change when more text follows it?"""
    generator = np.random.default_rng(1)
    changed = []
    for _repeat in range(50):
        vectors = _unit(generator.normal(size=(60, 8)))
        before = semantic.cluster_cuts(vectors[:40], 4, quirks=False)
        after = [cut for cut in semantic.cluster_cuts(vectors, 4, quirks=False) if cut < 40]
        changed.append(before != after)
    return decide(
        any(changed),
        f"boundaries among the first 40 pieces change in {sum(changed)} of {len(changed)} random "
        "texts when 20 pieces follow",
    )


def percentile_threshold_grows_chunks(_: Evidence) -> Readings:
    """Sentences in a chunk cut at the 95th percentile, by the length of the text."""
    generator = np.random.default_rng(2)
    mean, largest = {}, {}
    for n in (100, 1_000, 10_000):
        distances = generator.random(n - 1)
        cuts = np.flatnonzero(distances > np.percentile(distances, 95)) + 1
        sizes = np.diff([0, *cuts.tolist(), n])
        mean[n], largest[n] = float(sizes.mean()), int(sizes.max())
    figures = "; ".join(
        f"{n} sentences: mean {mean[n]:.1f}, largest {largest[n]} in a chunk" for n in mean
    )
    return (
        strict(
            "the mean chunk grows with the text, by more than 5% for ten times the text",
            decide(mean[10_000] > 1.05 * mean[1_000], figures),
        ),
        charitable(
            "the largest chunk grows with the text",
            decide(largest[100] < largest[1_000] < largest[10_000], figures),
        ),
    )


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _segmentations(n: int, longest: int) -> list[list[int]]:
    every = ([0, *cuts] for k in range(n) for cuts in combinations(range(1, n), k))
    return [
        cuts
        for cuts in every
        if max(b - a for a, b in zip(cuts, [*cuts[1:], n], strict=True)) <= longest
    ]


def _reward(vectors: NDArray[np.float32], cuts: list[int]) -> float:
    """Sum over the pairs within chunks of similarity minus the mean over all pairs."""
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    n = len(vectors)
    upper = np.triu_indices(n, 1)
    above = similar - similar[upper].mean()
    total = 0.0
    for start, end in zip(cuts, [*cuts[1:], n], strict=True):
        total += float(np.triu(above[start:end, start:end], 1).sum())
    return total
