"""Chunkers that place boundaries by embeddings: Kamradt's, Chroma's change of it, cluster, and
LlamaIndex's percentile splitter.

Sources: Chroma's report, "Chunking Algorithms"; Chroma's kamradt_modified_chunker.py and
cluster_semantic_chunker.py; for the unmodified Kamradt chunker, which Chroma's repository lacks,
LangChain's SemanticChunker. Each joins base pieces by a space, as the official code does. Only
similarities of neighbours are computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunkstudy.chunkers.structure import PIECE_SIZE, check_sizes, joined, pieces, sentences, stops
from chunkstudy.core.spans import Drawn, RewrittenSpan, Span, stripped
from chunkstudy.core.tokens import Embed, TokenCounter, Vectors

if TYPE_CHECKING:
    from nltk.tokenize import PunktSentenceTokenizer


def kamradt(text: str, *, embed: Embed, scripts: str = "latin") -> Drawn[RewrittenSpan]:
    """Cut where the distance of neighbouring sentence windows is above a percentile (Chroma's
    report, KamradtSemanticChunker).

    LangChain's SemanticChunker with its defaults.
    """
    spans = sentences(text, scripts)
    distances = window_distances(_texts(text, spans), embed, buffer=1)
    return joined(text, spans, _starts(_above(distances)))


def kamradt_modified(
    text: str, *, embed: Embed, size: int, count: TokenCounter, quirks: bool
) -> Drawn[RewrittenSpan]:
    """Cut at as many of the largest distances as chunks of ``size`` tokens need on average.

    Pieces are not sentences but recursive ones of 50 tokens, and ``size`` is an average, not the
    upper bound that Chroma's report promises (kamradt_modified_chunker.py:62-66, 161, 169). With
    ``quirks`` the cuts stand above the last midpoint of a bisection of [0, 1] to 1e-6 (:173-188),
    which may lie below the distance it closes in on and then cuts there too; without, exactly the
    largest distances are taken, earlier ones first in a tie.

    Raises:
        ValueError: if the size is not positive.
    """
    check_sizes(size)
    spans = pieces(text, count)
    texts = _texts(text, spans)
    distances = window_distances(texts, embed, buffer=3)
    wanted = sum(count.count_many(texts)) // size
    if quirks:
        cuts = np.flatnonzero(distances > bisected_threshold(distances, wanted))
    else:
        cuts = np.sort(np.argsort(-distances, kind="stable")[:wanted])
    return joined(text, spans, _starts(cuts))


@lru_cache(maxsize=1024)
def punkt_sentences(text: str, scripts: str = "latin") -> tuple[Span, ...]:
    """Sentences by NLTK's untrained Punkt, each with the white space up to the next; of ``any``
    script cut behind the full stops of others too.

    What LlamaIndex's splitter takes for sentences (node_parser/text/utils.py,
    split_by_sentence_tokenizer); white space before the first is lost. A text is asked for several
    times: for its windows, and under each model and protocol.
    """
    starts = [start for start, _ in punkt().span_tokenize(text)]
    if starts and scripts == "any" and (others := stops(text)):
        ends = {stripped(text, end, end + 100)[0] for _, end in others}
        starts = sorted({*starts, *(end for end in ends if starts[0] < end < len(text))})
    return tuple(pairwise([*starts, len(text)])) if starts else ()


@cache
def punkt(abbreviations: tuple[str, ...] = ()) -> PunktSentenceTokenizer:
    """NLTK's untrained Punkt; a full stop behind one of the abbreviations ends no sentence."""
    # takes seconds, and most commands cut nothing
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    known = PunktParameters()
    known.abbrev_types = set(abbreviations)
    return PunktSentenceTokenizer(known)


def percentile(
    text: str, *, embed: Embed, form: str = "own", scripts: str = "latin"
) -> Drawn[RewrittenSpan]:
    """Cut where the distance of neighbouring sentence windows is above a percentile.

    LlamaIndex's SemanticSplitterNodeParser with its defaults, which Jina's first post and the
    taxonomy use. Among 2 to 20 distinct distances exactly one is above the 95th percentile, so most
    abstracts fall into two. An empty document gives them an empty chunk.
    """
    if not text and form != "own":
        return Drawn([(0, 0, "")], 0)
    distances = np.zeros(0)
    if windows := percentile_windows(text, scripts):
        vectors = embed(windows).astype(np.float64)
        norms = np.linalg.norm(vectors, axis=1)
        distances = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:]) / (norms[:-1] * norms[1:])
    return joined(text, punkt_sentences(text, scripts), _starts(_above(distances)), between="")


def percentile_windows(text: str, scripts: str = "latin") -> list[str]:
    """What :func:`percentile` embeds: each sentence with its neighbours on either side."""
    sentences = punkt_sentences(text, scripts)
    if len(sentences) < 2:
        return []
    last = len(sentences) - 1
    return [
        text[sentences[max(0, i - 1)][0] : sentences[min(last, i + 1)][1]]
        for i in range(len(sentences))
    ]


def cluster(
    text: str, *, embed: Embed, size: int, count: TokenCounter, quirks: bool
) -> Drawn[RewrittenSpan]:
    """Maximise the similarity within chunks of at most ``size // 50`` pieces (Chroma's report,
    ClusterSemanticChunker).

    The official code always measures pieces in cl100k, whatever length function it is given
    (cluster_semantic_chunker.py:12-16).

    Raises:
        ValueError: if a chunk could not hold one piece.
    """
    check_sizes(size)
    if size < PIECE_SIZE:
        raise ValueError(f"cluster chunks of {size} tokens cannot hold a piece of {PIECE_SIZE}")
    spans = pieces(text, count)
    if not spans:
        return Drawn([], 0)
    vectors = embed(_texts(text, spans))
    return joined(text, spans, cluster_cuts(vectors, size // PIECE_SIZE, quirks=quirks))


def cluster_cuts(vectors: Vectors, max_cluster: int, *, quirks: bool) -> list[int]:
    """The index of the first piece of every chunk, given the pieces' vectors, shape (n, dimension).

    The reward of a chunk is the sum over its pairs of (dot product - mean over all pairs of the
    document); the official code counts each pair twice, which changes no argmax.
    Without ``quirks`` this is the exact optimum; ties go to fewer chunks, then to the longer last
    one. With them the best reward of a position starts at 0 with start 0 instead of at its first
    candidate, so a position that no candidate lifts above 0 takes in everything before it, beyond
    ``max_cluster`` (cluster_semantic_chunker.py:51-83).

    Time and memory are O(n x max_cluster).
    """
    n = len(vectors)
    rewards = _rewards(vectors.astype(np.float64), max_cluster)
    starts = _first_above_zero(rewards) if quirks else _optimum(rewards)
    cuts = []
    end = n
    while end > 0:
        end = starts[end - 1]
        cuts.append(end)
    return cuts[::-1]


def window_distances(texts: Sequence[str], embed: Embed, buffer: int) -> NDArray[np.float64]:
    """Cosine distances of neighbouring windows (a piece and ``buffer`` on each side, joined by a
    space), shape (pieces - 1,)."""
    if len(texts) < 2:
        return np.zeros(0)
    windows = [" ".join(texts[max(0, i - buffer) : i + buffer + 1]) for i in range(len(texts))]
    vectors = embed(windows).astype(np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(norms > 0, norms, 1)
    distances: NDArray[np.float64] = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    return distances


def _optimum(rewards: NDArray[np.float64]) -> list[int]:
    """Start of the last chunk of the best segmentation of every prefix."""
    best = [0.0]
    chunks = [0]
    starts = []
    for i, row in enumerate(rewards.tolist()):
        value, fewest, size = max(
            (best[i + 1 - size] + reward, -chunks[i + 1 - size] - 1, size)
            for size, reward in enumerate(row[: i + 1], start=1)
        )
        best.append(value)
        chunks.append(-fewest)
        starts.append(i + 1 - size)
    return starts


def _first_above_zero(rewards: NDArray[np.float64]) -> list[int]:
    best = [0.0]
    starts = []
    for i, row in enumerate(rewards.tolist()):
        value, start = 0.0, 0
        for size, reward in enumerate(row[: i + 1], start=1):
            if best[i + 1 - size] + reward > value:
                value, start = best[i + 1 - size] + reward, i + 1 - size
        best.append(value)
        starts.append(start)
    return starts


def _rewards(vectors: NDArray[np.float64], max_cluster: int) -> NDArray[np.float64]:
    """Entry (i, size - 1) is the reward of the chunk of ``size`` pieces that ends at piece i."""
    n = len(vectors)
    pairs = n * (n - 1) / 2
    # All dot products of pairs sum to half of |sum of vectors|^2 - sum of |vector|^2.
    total = (np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum()) / 2
    mean = total / pairs if pairs else 0.0
    rewards = np.zeros((n, min(max_cluster, n)))
    to_earlier = np.zeros(n)
    for distance in range(1, rewards.shape[1]):
        similar = np.einsum("ij,ij->i", vectors[distance:], vectors[:-distance])
        to_earlier[distance:] += similar - mean
        rewards[distance:, distance] = rewards[distance - 1 : -1, distance - 1]
        rewards[distance:, distance] += to_earlier[distance:]
    return rewards


def bisected_threshold(distances: NDArray[np.float64], wanted: int) -> float:
    low, high, middle = 0.0, 1.0, 0.5
    while high - low > 1e-6:
        middle = (low + high) / 2
        if np.count_nonzero(distances > middle) > wanted:
            low = middle
        else:
            high = middle
    return middle


def _above(distances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Where distances are above their 95th percentile."""
    if not len(distances):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(distances > np.percentile(distances, 95))


def _starts(cuts_after: Iterable[np.int64]) -> list[int]:
    return [0, *(int(cut) + 1 for cut in cuts_after)]


def _texts(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]
