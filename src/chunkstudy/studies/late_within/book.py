"""The novel Emma, the one public book of GutenQA that is found here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_LUMBERCHUNKER
from chunkstudy.evaluation import statistics
from chunkstudy.show.runs import Runs
from chunkstudy.show.study import Study

RELEASED = (
    "lumberchunker-released", "proposition-released", "semantic-released", "recursive-released",
    "fixed-released",
)  # fmt: skip
"""Emma as LumberChunker's authors cut it."""
BY_SMALL_MODEL = "lumberchunker-by-local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
SCORE, CEILING = "DCG@10", "Ceiling(DCG@10)"


def read(
    study: Study, book: str, chunkers: Mapping[str, Sequence[str]], encoder: str, window: int
) -> dict[str, list[Runs]]:
    """By protocol, plain chunking and late chunking, which LumberChunker's authors do not do.

    Args:
        book: a collection of one document.
        chunkers: by protocol.
    """
    orderings = ("pre_embedding", f"contextualized-{window}")
    return {
        protocol: [
            study.runs(book, some, encoder, window, protocol, ordering=ordering)
            for ordering in orderings[: 1 if protocol == AS_PUBLISHED_LUMBERCHUNKER.name else 2]
        ]
        for protocol, some in chunkers.items()
    }


def scores(every: Mapping[str, Sequence[Runs]]) -> pd.DataFrame:
    """A row a run: how large its chunks are, its score with a 95% interval, and the best that any
    ranking of these chunks can reach."""
    rows = []
    for one in (found for arms in every.values() for runs in arms for found in runs):
        condition, values = one.arm.condition, one.wide[SCORE].sort_index()
        mean, ceiling = statistics.mean(values), statistics.mean(one.wide[CEILING])
        interval = statistics.bootstrap_interval(values)
        rows.append(
            {
                "chunker": one.arm.name,
                "encoder": condition.encoder,
                "ordering": condition.ordering,
                "protocol": condition.protocol,
                "chunks": one.run.counts.chunks,
                "mean tokens": one.run.sizes["wordpiece"].mean,
                SCORE: mean,
                "low": interval.low,
                "high": interval.high,
                CEILING: ceiling,
                "share of ceiling": mean / ceiling if ceiling else None,
            }
        )
    return pd.DataFrame(rows)
