"""Chunkers that place boundaries by embeddings: Kamradt's, Chroma's change of it, and cluster.

Sources: S0 "Chunking Algorithms"; kamradt_modified_chunker.py, cluster_semantic_chunker.py; for
the unmodified Kamradt chunker, which the official repository lacks, LangChain's SemanticChunker.
Each returns groups of base pieces as (first, last) indices; a chunk is the span from the first
piece's start to the last one's end. Only neighbouring similarities are ever computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkstudy.chunkers.structure import recursive, sentences
from chunkstudy.spans import Span
from chunkstudy.tokens import TokenCounter

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Groups = list[tuple[int, int]]
PIECE_SIZE = 50


def kamradt(
    text: str, *, embed: Embed, percentile: float = 95, buffer: int = 1
) -> tuple[list[Span], Groups]:
    """Cut where the distance of neighbouring sentence windows is above a percentile (S0:297-299)."""
    pieces = sentences(text)
    distances = window_distances(_texts(text, pieces), embed, buffer)
    if not len(distances):
        return pieces, _groups([], len(pieces))
    cuts = np.flatnonzero(distances > np.percentile(distances, percentile))
    return pieces, _groups(cuts.tolist(), len(pieces))


def kamradt_modified(
    text: str, *, embed: Embed, size: int, count: TokenCounter, buffer: int = 3, quirks: bool
) -> tuple[list[Span], Groups]:
    """Cut at as many of the largest distances as chunks of ``size`` tokens need on average.

    Pieces are not sentences but recursive ones of 50 tokens, and ``size`` is an average, not the
    upper bound that S0:305 promises (kamradt_modified_chunker.py:62-66, 161, 169). With
    ``quirks`` the threshold is found by bisection to 1e-6 and cuts stand above the last midpoint
    (:179-186); without, exactly the largest distances are taken, earlier ones first in a tie.
    """
    pieces = recursive(text, size=PIECE_SIZE, count=count)
    texts = _texts(text, pieces)
    distances = window_distances(texts, embed, buffer)
    wanted = sum(count.count_many(texts)) // size
    if quirks:
        cuts = np.flatnonzero(distances > _bisect(distances, wanted))
    else:
        cuts = np.sort(np.argsort(-distances, kind="stable")[:wanted])
    return pieces, _groups(cuts.tolist(), len(pieces))


def cluster(
    text: str, *, embed: Embed, size: int, count: TokenCounter, quirks: bool
) -> tuple[list[Span], Groups]:
    """Maximise the sum of similarities within chunks of at most ``size // 50`` pieces (S0:311)."""
    pieces = recursive(text, size=PIECE_SIZE, count=count)
    if not pieces:
        return [], []
    return pieces, cluster_groups(embed(_texts(text, pieces)), size // PIECE_SIZE, quirks=quirks)


def cluster_groups(
    vectors: NDArray[np.float32], largest: int, *, quirks: bool
) -> Groups:
    """The segmentation of n pieces, given their vectors, shape (n, dimension).

    The reward of a chunk is the sum over its pairs of (dot product - mean over all pairs of the
    document). Without ``quirks`` this is the exact optimum; ties go to the longer last chunk.
    With them the best reward starts at 0 instead of the first candidate, so that a position
    without positive reward keeps start 0 and swallows everything before it
    (cluster_semantic_chunker.py:57-78).

    Time and memory are O(n x largest).
    """
    if largest < 1:
        raise ValueError(f"cluster chunks must hold at least one piece of {PIECE_SIZE} tokens")
    n = len(vectors)
    rewards = _rewards(vectors.astype(np.float64), largest)
    best = [0.0] * (n + 1)
    starts = [0] * n
    for i in range(n):
        top = 0.0 if quirks else -np.inf
        for size, reward in enumerate(rewards[i, : i + 1].tolist(), start=1):
            candidate = best[i + 1 - size] + reward
            if candidate > top or (not quirks and candidate == top):
                top = candidate
                starts[i] = i - size + 1
        best[i + 1] = top
    groups = []
    last = n - 1
    while last >= 0:
        groups.append((starts[last], last))
        last = starts[last] - 1
    return groups[::-1]


def window_distances(texts: Sequence[str], embed: Embed, buffer: int) -> NDArray[np.float64]:
    """Cosine distances of neighbouring windows (a piece and ``buffer`` on each side, joined by a
    space), shape (pieces - 1,)."""
    if len(texts) < 2:
        return np.zeros(0)
    joined = [
        " ".join(texts[max(0, i - buffer) : i + buffer + 1]) for i in range(len(texts))
    ]
    vectors = embed(joined).astype(np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(norms > 0, norms, 1)
    distances: NDArray[np.float64] = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    return distances


def _rewards(vectors: NDArray[np.float64], largest: int) -> NDArray[np.float64]:
    """Entry (i, size - 1) is the reward of the chunk of ``size`` pieces that ends at piece i."""
    n = len(vectors)
    pairs = n * (n - 1) / 2
    total = (np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum()) / 2
    mean = total / pairs if pairs else 0.0
    rewards = np.zeros((n, min(largest, n)))
    to_earlier = np.zeros(n)
    for distance in range(1, rewards.shape[1]):
        band = np.einsum("ij,ij->i", vectors[distance:], vectors[:-distance]) - mean
        to_earlier[distance:] += band
        rewards[distance:, distance] = rewards[distance - 1 : -1, distance - 1]
        rewards[distance:, distance] += to_earlier[distance:]
    return rewards


def _bisect(distances: NDArray[np.float64], wanted: int) -> float:
    low, high, middle = 0.0, 1.0, 0.5
    while high - low > 1e-6:
        middle = (low + high) / 2
        if np.count_nonzero(distances > middle) > wanted:
            low = middle
        else:
            high = middle
    return middle


def _texts(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _groups(cuts_after: Sequence[int], pieces: int) -> Groups:
    if not pieces:
        return []
    starts = [0, *(cut + 1 for cut in cuts_after if cut + 1 < pieces)]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), pieces - 1], strict=True))
