"""What search takes as a collection grows: a model of the measured costs, its error, and beyond.

Exact search reads every vector once for all questions that are asked together, and multiplies it
with each; what is kept of the scores costs by chunk and question. The largest measured sizes take
no part in the fits: what the model misses them by is its error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import nnls

from chunkstudy.encoders import models
from chunkstudy.evaluation.statistics.intervals import Floats
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.estimate import DEVICES, TWO_CORES
from chunkstudy.runs.names import parse_encoder

SIZES = tuple(10**power for power in range(4, 9))
TOGETHER = 1_000
"""Questions asked together."""
LARGEST_FITTED = 30_000
NETWORK = 10e9 / 8
"""Bytes a second of a network of 10 Gbit/s."""
LINKS = 4 * (2 * 16 + 1) + 8 + 4 * (16 + 1) / 15
"""Bytes a chunk takes in the graph beside its vector: links and their number in the lowest layer, a
label, and the upper layers, which one chunk in 16 reaches, one of those in 16, ... (hnswlib,
hnswalg.h: size_data_per_element_, size_links_per_element_)."""
CHUNK_TOKENS = 200


@dataclass(frozen=True)
class Fit:
    """Non-negative shares of some terms, and the largest relative error on sizes left out."""

    shares: Floats
    error: float


def exact_terms(chunks: Floats, dimension: Floats, queries: Floats) -> Floats:
    """Shape (rows, 3): reading the vectors, multiplying them, keeping the best."""
    return np.stack([chunks * dimension, chunks * dimension * queries, chunks * queries], axis=1)


def fit(terms: Floats, seconds: Floats, kept: NDArray[np.bool_]) -> Fit:
    """Least squares of relative errors over the rows that are kept; the others test it."""
    shares, _ = nnls(terms[kept] / seconds[kept, None], np.ones(int(kept.sum())))
    misses = np.abs(terms[~kept] @ shares / seconds[~kept] - 1)
    return Fit(shares, float(misses.max()))


def exact_fit(exact: pd.DataFrame) -> Fit:
    terms = exact_terms(*(exact[one].to_numpy(float) for one in ("chunks", "dimension", "queries")))
    return fit(terms, exact["seconds"].to_numpy(), (exact["chunks"] <= LARGEST_FITTED).to_numpy())


def building_fit(graph: pd.DataFrame) -> Fit:
    """Seconds to build a graph, as chunks and as chunks times their logarithm."""
    drawn = _drawn(graph).groupby("chunks")["building seconds"].mean().reset_index()
    chunks = drawn["chunks"].to_numpy(float)
    terms = np.stack([chunks, chunks * np.log2(chunks)], axis=1)
    return fit(terms, drawn["building seconds"].to_numpy(), chunks <= LARGEST_FITTED)


def forecast(exact: pd.DataFrame, memory: pd.DataFrame, graph: pd.DataFrame) -> pd.DataFrame:
    """A row per size and dimension, one thread: what exact search and the graph take.

    ``vectors`` and ``while encoding`` and ``graph`` in GB, ``network`` in seconds to move the
    vectors, ``encoding hours`` of MiniLM on two cores.
    """
    search, building = exact_fit(exact), building_fit(graph)
    spec = models.spec(parse_encoder(MINILM).model)
    rate = DEVICES[TWO_CORES].rate / spec.flops_per_token(CHUNK_TOKENS)
    rows = []
    largest = memory.drop_duplicates("dimension", keep="last")
    for width, held in zip(largest["dimension"], largest["bytes a chunk"], strict=True):
        for chunks in SIZES:
            one, many = (
                float((exact_terms(*np.array([[chunks], [width], [n]])) @ search.shares)[0])
                for n in (1.0, float(TOGETHER))
            )
            logarithm = np.array([chunks, chunks * np.log2(chunks)])
            rows.append(
                {
                    "dimension": width,
                    "chunks": chunks,
                    "vectors": 4 * width * chunks / 1e9,
                    "while encoding": held * chunks / 1e9,
                    "one question": one,
                    "a thousand together": many,
                    "network": 4 * width * chunks / NETWORK,
                    "graph": (4 * width + LINKS) * chunks / 1e9,
                    "building hours": float(logarithm @ building.shares) / 3600
                    if width == spec.dimension
                    else float("nan"),
                    "encoding hours": chunks * CHUNK_TOKENS / rate / 3600
                    if width == spec.dimension
                    else float("nan"),
                }
            )
    return pd.DataFrame(rows)


def verdicts(graph: pd.DataFrame) -> pd.DataFrame:
    """By vectors, chunks and search list: what is missed, recall by exact search, what the graphs
    lose of it in the mean, how far apart two graphs lie at most, and how many of the graphs are
    shown to find less than exact search (95% interval of the mean difference, paired)."""
    keys = ["vectors", "chunks", "search list"]
    rows = []
    for key, some in graph.groupby(keys, sort=False):
        rows.append(
            {
                **dict(zip(keys, key, strict=True)),
                "missed": some["missed"].mean(),
                "exact recall": some["exact recall"].mean(),
                "lost": (some["exact recall"] - some["recall"]).mean(),
                "spread": some["recall"].max() - some["recall"].min(),
                "graphs": len(some),
                "shown to lose": int((some["high"] < 0).sum()),
            }
        )
    return pd.DataFrame(rows)


def _drawn(graph: pd.DataFrame) -> pd.DataFrame:
    return graph[graph["vectors"] == "drawn"]
