"""What a layout gains or costs: over plain chunks that are read whole, over another layout, by
chunker; and what the choice of late chunking gains where arms are chosen on other questions.

Every comparison is paired by question. A family of Holm's correction is one question of one
collection and model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, Pair, differences
from chunkstudy.studies.layouts.reading import TODAY, Arms

SPLITS = 1000
WITHIN = ", {collection}, {model}"
"""What a family is within."""


def over_plain(arms: Iterable[Arms], chunkers: Sequence[str]) -> pd.DataFrame:
    """Late minus plain chunks read whole, each question's mean over those of ``chunkers`` that the
    collection has, of the layouts that all of these are read in."""
    pairs = []
    for one in arms:
        known = {name for read in one.late.values() for name in read.columns}
        wanted = [name for name in chunkers if name in known]
        for (layout, window), every in one.late.items():
            if not wanted or not set(wanted) <= set(every.columns):
                continue
            late = every[wanted].mean(axis=1)
            plain = one.read_whole(wanted).mean(axis=1)
            keys = {"layout": layout, "window": window, "chunkers": len(wanted)}
            pairs.append(Pair(one.keys | keys, late, plain, one.documents))
    return differences(pairs, f"layouts and windows against plain chunks{WITHIN}", "late", "plain")


def over_layout(arms: Iterable[Arms], other: str = TODAY) -> pd.DataFrame:
    """Each layout minus another one in the same window, over the chunkers of both."""
    pairs = []
    for one in arms:
        for (layout, window), late in one.late.items():
            if layout != other:
                beside = one.late[other, window][list(late.columns)].mean(axis=1)
                keys = {"layout": layout, "other layout": other, "window": window}
                pairs.append(Pair(one.keys | keys, late.mean(axis=1), beside, one.documents))
    return differences(pairs, f"layouts against {other}{WITHIN}", "score", "other score")


def by_chunker(arms: Iterable[Arms], layout: str, window: int) -> pd.DataFrame:
    """Late minus plain chunks read whole, of every chunker in one layout and window."""
    pairs = [
        Pair(
            one.keys | {"layout": layout, "window": window, "chunker": chunker},
            late,
            one.read_whole([str(chunker)])[chunker],
            one.documents,
        )
        for one in arms
        for chunker, late in one.late[layout, window].items()
    ]
    return differences(pairs, f"the chunkers of a layout{WITHIN}", "late", "plain")


def choice(one: Arms, splits: int = SPLITS, seed: int = 0) -> dict[str, float | str]:
    """What a user gains who chooses an arm on one half of the questions and asks the other half.

    Halves are of documents where there are :data:`FEWEST_DOCUMENTS` or more, else of questions;
    arms are every chunker in every window, late in every layout. On one half the best late arm and
    the best plain arm are chosen; on the other they are compared, and the half's own choice counts.

    Returns:
        ``gain``: mean over splits of late minus plain, a fraction, with ``low`` and ``high`` as the
        2.5th and 97.5th percentile of splits; ``late chosen``: the share of splits in which late
        leads on the choosing half; ``right``: the share in which the choice is that of the other
        half; ``late arm`` and ``plain arm``: those chosen most often, with their share.
    """
    late, plain = pd.concat(one.late, axis=1), pd.concat(one.plain, axis=1)
    group = late.index.to_series()
    if one.documents is not None and one.documents.nunique() >= FEWEST_DOCUMENTS:
        group = one.documents.loc[late.index]
    codes, names = pd.factorize(group)
    generator = np.random.default_rng(seed)
    halves = generator.permuted(np.tile(np.arange(len(names)), (splits, 1)), axis=1)
    choosing = (halves < len(names) // 2)[:, codes].astype(float)
    first, second = choosing, 1 - choosing
    means = {
        (name, half): weights @ scores.to_numpy() / weights.sum(axis=1, keepdims=True)
        for name, scores in (("late", late), ("plain", plain))
        for half, weights in (("first", first), ("second", second))
    }
    chosen = {name: means[name, "first"].argmax(axis=1) for name in ("late", "plain")}
    rows = np.arange(splits)
    there = {name: means[name, "second"][rows, chosen[name]] for name in chosen}
    here = {name: means[name, "first"][rows, chosen[name]] for name in chosen}
    gain = there["late"] - there["plain"]
    ahead = here["late"] > here["plain"]
    low, high = np.percentile(gain, [2.5, 97.5])
    return {
        "gain": float(gain.mean()),
        "low": float(low),
        "high": float(high),
        "late chosen": float(ahead.mean()),
        "right": float((ahead == (gain > 0)).mean()),
        **_most(late.columns, chosen["late"], "late arm"),
        **_most(plain.columns, chosen["plain"], "plain arm"),
    }


def choices(arms: Iterable[Arms]) -> pd.DataFrame:
    """The choice of every collection and model, a row each."""
    return pd.DataFrame([one.keys | choice(one) for one in arms])


def _most(columns: pd.Index[Any], chosen: NDArray[np.int64], name: str) -> dict[str, float | str]:
    counts = np.bincount(chosen, minlength=len(columns))
    top = int(counts.argmax())
    arm = ", ".join(str(part) for part in columns[top])
    return {name: arm, f"{name}'s share": float(counts[top] / counts.sum())}


def read_often(counted: pd.DataFrame) -> pd.DataFrame:
    """Of :func:`costs.tables`, the means over its chunkers: how often each token is read."""
    keys = ["collection", "layout", "window"]
    return counted.groupby(keys, sort=False)["times"].mean().reset_index()
