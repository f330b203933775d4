"""The worked example of the tutorial on precision and recall of chunks, and the claims that it
decides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from chunkstudy.core.project import Project
from chunkstudy.notebook.claims import Claim
from chunkstudy.studies.labels.chunk_labels import count_ids, macro, micro, rates


def worked_example(places: Project) -> pd.DataFrame:
    """The tutorial's example: every number as published, as computed, and whether they agree at
    the published digits."""
    cells = pd.read_csv(places.published / "worked_examples" / "chunk_labels.csv", dtype=str)
    is_given = cells["quantity"].isin(["gold", "retrieved"])
    given = cells[is_given].pivot(index="query", columns="quantity", values="published")
    counts = count_ids(*(given[kind].str.split().tolist() for kind in ("gold", "retrieved")))
    by_query = counts.join(rates(counts)).set_axis(given.index)
    over_all = {"total": counts.sum(), "macro": macro(counts), "micro": micro(counts)}
    values = pd.concat([by_query, pd.DataFrame(over_all).T])
    table = cells[~is_given].copy()
    asked = pd.MultiIndex.from_frame(table[["query", "quantity"]])
    table["computed"] = values.stack().reindex(asked).to_numpy()
    digits = table["published"].str.rstrip("…")
    rounded = [
        f"{value:.{len(text.partition('.')[2])}f}"
        for value, text in zip(table["computed"], digits, strict=True)
    ]
    table["agrees"] = np.where(digits == rounded, "yes", "no")
    return table[["query", "quantity", "published", "computed", "agrees", "place"]]


def claims(example: pd.DataFrame, gold: pd.Series) -> Iterator[Claim]:
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
