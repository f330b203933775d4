"""Claims of the tutorial on precision and recall of chunks, decided by its worked example."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from chunkstudy.study.claims import Claim


def of_the_example(example: pd.DataFrame, gold: pd.Series) -> Iterator[Claim]:
    """What the tutorial says of averages over queries (macro) and over all chunks (micro).

    Args:
        example: its numbers as computed, a row a query and quantity.
        gold: gold chunks of each question of a collection, by chunker.
    """
    computed = example.pivot(index="quantity", columns="query", values="computed")
    computed = computed.loc[["precision", "recall"]]
    macro, micro, queries = computed["macro"], computed["micro"], computed.filter(regex="^q")
    yield Claim("C128", _both(macro), fair=macro.round(3) == 0.611)
    yield Claim("C129", _both(micro), fair=micro == 0.5)
    # In the example a query has half of the gold chunks and counts a third.
    weight = gold.groupby(level="chunker").agg(lambda chunks: chunks.max() / chunks.mean())
    yield Claim(
        "C130", _both(macro), weight.min(), weight.max(),
        fair=(macro - queries.mean(axis=1)).abs().max() < 1e-6,
    )  # fmt: skip
    apart = (queries.T["precision"] - queries.T["recall"]).abs().max()
    yield Claim("X30", _both(macro), _both(micro), apart, fair=macro != micro)


def _both(average: pd.Series) -> str:
    return f"precision {average['precision']:.4f}, recall {average['recall']:.4f}"
