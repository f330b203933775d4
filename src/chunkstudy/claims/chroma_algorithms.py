"""What Chroma's formulas, algorithms and prompt do, computed on inputs stated here.

The project's own chunkers and measures serve, which keep the official code's departures as a
protocol.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chunkstudy.chunkers import semantic
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.verdicts import Outcome, counted, decide, unanswered
from chunkstudy.measures.token_overlap import JudgedSpans, TokenOverlap
from chunkstudy.spans import Chunks

NO_FACTS = "counts of the questions: `chunkstudy study questions`"
BASE_PROMPT, SLICE, SAMPLED, PROMPT = 703, 4_000, 50, 2_000
"""Time & Cost Analysis: tokens of the base prompt, characters of the slice, questions, tokens in
all."""


def iou_charges_redundancy(_: Evidence) -> Outcome:
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
        f"gives {with_sum:.3f}, a set of tokens, as the formula says, {with_union:.3f}",
    )


def cluster_is_optimal(_: Evidence, as_published: bool) -> Outcome:
    """Cluster's chunks against all segmentations of small random texts."""
    generator = np.random.default_rng(0)
    met = []
    for _repeat in range(100):
        vectors = _unit(generator.normal(size=(8, 4)))
        best = max(_reward(vectors, cuts) for cuts in _segmentations(8, 3))
        cuts = semantic.cluster_cuts(vectors, 3, quirks=as_published)
        longest = max(b - a for a, b in zip(cuts, [*cuts[1:], 8], strict=True))
        met.append(longest <= 3 and _reward(vectors, cuts) > best - 1e-9)
    return counted(met, "best of all segmentations of 8 pieces into chunks of at most 3")


def cluster_recomputes_when_data_grows(_: Evidence) -> Outcome:
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


def percentile_threshold_grows_chunks(_: Evidence, largest: bool) -> Outcome:
    """Sentences in a chunk cut at the 95th percentile, by the length of the text."""
    generator = np.random.default_rng(2)
    mean, most = {}, {}
    for n in (100, 1_000, 10_000):
        distances = generator.random(n - 1)
        cuts = np.flatnonzero(distances > np.percentile(distances, 95)) + 1
        sizes = np.diff([0, *cuts.tolist(), n])
        mean[n], most[n] = float(sizes.mean()), int(sizes.max())
    figures = "; ".join(
        f"{n} sentences: mean {mean[n]:.1f}, largest {most[n]} in a chunk" for n in mean
    )
    grows = most[100] < most[1_000] < most[10_000] if largest else mean[10_000] > 1.05 * mean[1_000]
    return decide(grows, figures)


def questions_in_the_prompt(evidence: Evidence) -> Outcome:
    """50 sampled questions in the prompt: what would its length be?"""
    if evidence.study("questions/counts").empty:
        return unanswered(NO_FACTS, "0 questions counted")
    question, rest, _ = _prompt_parts(evidence)
    return unanswered(
        "the official generator, read (its sample size) or run",
        f"a prompt of {PROMPT} tokens leaves room for "
        f"{(PROMPT - BASE_PROMPT - rest) / question:.0f} questions of the mean length; with "
        f"{SAMPLED} it would have {BASE_PROMPT + rest + SAMPLED * question:.0f} tokens",
    )


def prompt_of_two_thousand_tokens(evidence: Evidence, growing: bool) -> Outcome:
    """Do base prompt, slice and 50 questions, or those there were so far, make 2,000 tokens?"""
    if evidence.study("questions/counts").empty:
        return unanswered(NO_FACTS, "0 questions counted")
    question, rest, so_far = _prompt_parts(evidence)
    sampled = so_far if growing else SAMPLED
    length = BASE_PROMPT + rest + sampled * question
    near = round(length, -3) == PROMPT if growing else abs(length / PROMPT - 1) <= 0.05
    return decide(
        near,
        f"{BASE_PROMPT} + {rest:.0f} for {SLICE} characters + {sampled:.0f} questions of "
        f"{question:.1f} = {length:.0f}",
    )


def _prompt_parts(evidence: Evidence) -> tuple[float, float, float]:
    """Tokens of a question and of a slice, and the mean number of questions there were so far.

    Slices are drawn per question, so corpora count by their questions.
    """
    question = float(evidence.study("questions/counts")["mean tokens of a question"].iloc[0])
    corpora = evidence.facts("chroma_counts")
    counts = corpora["queries"]
    rate = (corpora["tokens"] / corpora["characters"] * counts).sum() / counts.sum()
    so_far = sum(min(i, SAMPLED) for n in counts for i in range(n)) / counts.sum()
    return question, SLICE * float(rate), float(so_far)


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
    n = len(vectors)
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    above = similar - similar[np.triu_indices(n, 1)].mean()
    return sum(
        float(np.triu(above[start:end, start:end], 1).sum())
        for start, end in zip(cuts, [*cuts[1:], n], strict=True)
    )
