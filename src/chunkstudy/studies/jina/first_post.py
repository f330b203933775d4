"""Jina's first post: its table of five collections, what follows from it, and ours beside.

Scores are fractions.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.names import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import thousandths, whole
from chunkstudy.show.scores import Scores

ARMS = ["plain", "late", "no chunking"]
ARM_OF = {
    ("none", ""): "document length",
    ("none", PRE_EMBEDDING): "no chunking",
    ("fixed-256", PRE_EMBEDDING): "plain",
    ("fixed-256", CONTEXTUALIZED): "late",
}
AS_COSINES: Columns = {
    "*": thousandths,
    "late - plain": Column("late minus plain", thousandths),
}
AS_CORRELATIONS: Columns = {"n": Column("collections", whole)}


def arms(published: pd.DataFrame) -> pd.DataFrame:
    """The post's table: ``document length`` in characters, the three arms, and what late chunking
    gains over the others, by collection in the post's order."""
    names = [ARM_OF[key] for key in zip(published["chunker"], published["ordering"], strict=True)]
    wide = published.assign(arm=names).pivot(index="collection", columns="arm", values="value")
    wide[ARMS] /= 100
    wide["late - plain"] = wide["late"] - wide["plain"]
    wide["late - no chunking"] = wide["late"] - wide["no chunking"]
    return wide.loc[list(dict.fromkeys(published["collection"]))].rename_axis(columns=None)


def gains(late: Iterable[Scores], plain: Iterable[Scores], other: str = "plain") -> pd.DataFrame:
    """Late chunking minus another arm, question by question, a row a collection and chunker; Holm's
    correction over all of them.

    Args:
        late: a collection's scores each.
        plain: those of the other arm in the same order, of chunkers in the same order.
        other: what the other arm is called.
    """
    pairs = []
    for one, against in zip(late, plain, strict=True):
        measure = one.measures[0]
        for chunker, without in zip(one.runs, against.runs, strict=True):
            where = one.runs[chunker].partition("/")[0]
            keys = {"collection": where, "chunker": chunker, "measure": measure}
            pairs.append(Pair(keys, one.of(chunker, measure), against.of(without, measure)))
    return differences(pairs, f"late chunking minus {other}, {len(pairs)} tests", "late", other)


def berlin(published: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Three sentences' cosine with the word Berlin, published, and by each encoder measured.

    Args:
        published: the post's table of similarities.
        measured: what the study ``berlin`` left: ``encoder, chunk, plain, late as published,
            late``.

    Returns:
        ``late`` is late chunking as the notebook does it, ``late corrected`` without its slips;
        ``late - plain`` is of the latter where there is one.
    """
    keys = ["encoder", "chunker"]
    printed = published.pivot(index=keys, columns="ordering", values="value")
    printed = printed.loc[list(dict.fromkeys(published[keys].itertuples(index=False, name=None)))]
    names = ["encoder", "sentence", "plain", "late", "late corrected"]
    rows = printed.reset_index().set_axis(["encoder", "sentence", "late", "plain"], axis=1)
    recorded = measured[["encoder", "chunk", "plain", "late as published", "late"]]
    table = pd.concat(
        [rows.assign(source="published"), recorded.set_axis(names, axis=1).assign(source="records")]
    ).astype(dict.fromkeys(names[2:], float))
    table["late - plain"] = table["late corrected"].fillna(table["late"]) - table["plain"]
    return table[["source", *names, "late - plain"]]


def length(published: pd.DataFrame) -> pd.DataFrame:
    """The published gain of late chunking against document length, with what five points can say.

    Intervals are Fisher's; p is exact, over all orders of the gains. Leaving one collection out
    shows what a single point carries.
    """
    wide = arms(published)
    rows = []
    for left_out in (None, *wide.index):
        part = wide.drop(index=left_out) if left_out else wide
        gain = part["late - plain"].to_numpy()
        relative = gain / part["plain"].to_numpy()
        for kind, gained in (("points", gain), ("percent of plain", relative)):
            found = stats.pearsonr(part["document length"], gained)
            low, high = found.confidence_interval()
            rows.append(
                {
                    "left out": left_out or "",
                    "gain in": kind,
                    "n": len(part),
                    "Pearson r": float(found.statistic),
                    "low": low,
                    "high": high,
                    "interval": "Fisher's z, 95%",
                    "p (exact)": _exact_p(part["document length"].to_numpy(), gained),
                    "Spearman rho": float(
                        stats.spearmanr(part["document length"], gained).statistic
                    ),
                }
            )
    return pd.DataFrame(rows)


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Share of all orders of y that correlate with x at least as strongly, either sign."""
    seen = abs(np.corrcoef(x, y)[0, 1])
    orders = [abs(np.corrcoef(x, order)[0, 1]) for order in permutations(y.tolist())]
    return float(np.mean([one >= seen - 1e-12 for one in orders]))
