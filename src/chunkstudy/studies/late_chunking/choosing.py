"""Choices made on one half of the questions and held against the other half.

A layout of windows was chosen by a rule that was registered (results/predictions/layouts.md), on
half of the papers of COVID-QA. It was not blind: averaged windows had been read before. A user
chooses among all chunkers and windows, late or plain, by halves that are drawn many times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.collections import covid_qa
from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, Pair, differences
from chunkstudy.studies.late_chunking.systems import AVERAGED, TODAY, Systems

COMPETE = (TODAY, "no overlap", AVERAGED, "packed")
CHUNKERS = ("sentence-5", "fixed-64", "fixed-256")
PLAIN = "plain chunks"
ALL = "all"
SPLITS = 1000


def halves(systems: Systems) -> tuple[Systems, Systems]:
    """The questions of the papers that choose, and those that are reported on."""
    if systems.documents is None:
        raise ValueError("papers are halved; read a collection that names each question's document")
    chooses = systems.documents.map(covid_qa.chooses)
    return systems.of(chooses.index[chooses]), systems.of(chooses.index[~chooses])


def chosen(choosing: Systems, tokens: Mapping[str, int], compete: Sequence[str] = COMPETE) -> str:
    """The layout of the highest mean; of those whose difference to it has an interval, over papers,
    that includes 0, the one that reads the fewest tokens.

    Args:
        choosing: the half that chooses.
        tokens: read of its papers, by layout.
        compete: layouts to choose from.
    """
    best = max(compete, key=lambda layout: _all(choosing, layout).mean())
    beside = [layout for layout in compete if layout != best]
    rows = differences(
        [_pair(choosing, best, layout) for layout in beside], "the choice", "score", "other score"
    )
    tied = rows.loc[(rows["low"] <= 0) & (rows["high"] >= 0), "other layout"]
    return min([best, *tied], key=tokens.__getitem__)


def against_whole(half: Systems, layout: str) -> pd.DataFrame:
    """A layout against plain chunks that are read whole, over all windows and in each."""
    whole = half.read_whole[list(CHUNKERS)].mean(axis=1)
    pairs = [
        Pair(
            half.keys | {"layout": layout, "window": str(some[0]) if some else ALL},
            _all(half, layout, some), whole, half.documents,
        )
        for some in ((), *((window,) for window in sorted(half.plain)))
    ]  # fmt: skip
    return differences(pairs, "plain chunks read whole, {collection}, {model}", "late", "plain")


def report(half: Systems, layout: str, compete: Sequence[str] = COMPETE) -> pd.DataFrame:
    """A layout against the others that compete and against plain chunks read at the same window,
    over all windows and in each."""
    against = [*(other for other in compete if other != layout), PLAIN]
    pairs = [_pair(half, layout, other) for other in against]
    pairs += [
        _pair(half, layout, other, (window,)) for window in sorted(half.plain) for other in against
    ]
    return differences(
        pairs, "the registered choice, {collection}, {model}", "score", "other score"
    )


def tokens_read(counted: pd.DataFrame) -> dict[str, int]:
    """Of :func:`costs.tables`, tokens that are read of the papers that choose, by layout."""
    rows = counted[counted["chunker"].isin(CHUNKERS)]
    return {str(name): int(n) for name, n in rows.groupby("layout")["choosing"].sum().items()}


def choices(systems: Iterable[Systems], splits: int = SPLITS) -> pd.DataFrame:
    """The choice that a user has, a row a collection and model."""
    return pd.DataFrame([some.keys | choice(some, splits) for some in systems])


def choice(systems: Systems, splits: int = SPLITS, seed: int = 0) -> dict[str, float | str]:
    """What a user gains who chooses on one half of the questions and asks the other half.

    Halves are of documents where there are :data:`FEWEST_DOCUMENTS` or more, else of questions;
    what is chosen from is every chunker in every window, late in every layout. On one half the best
    late one and the best plain one are chosen; on the other they are compared, and the half's own
    choice counts.

    Returns:
        ``gain``: mean over splits of late minus plain, a fraction, with ``low`` and ``high`` as the
        2.5th and 97.5th percentile of splits; ``late chosen``: the share of splits in which late
        leads on the choosing half; ``right``: the share in which the choice is that of the other
        half; ``late arm`` and ``plain arm``: those chosen most often, with their share.
    """
    scores = {"late": pd.concat(systems.late, axis=1), "plain": pd.concat(systems.plain, axis=1)}
    group = scores["late"].index.to_series()
    if systems.documents is not None and systems.documents.nunique() >= FEWEST_DOCUMENTS:
        group = systems.documents.loc[group.index]
    codes, names = pd.factorize(group)
    generator = np.random.default_rng(seed)
    ranks = generator.permuted(np.tile(np.arange(len(names)), (splits, 1)), axis=1)
    chooses = (ranks < len(names) // 2)[:, codes].astype(float)
    first, second = (
        {
            way: weights @ values.to_numpy() / weights.sum(axis=1, keepdims=True)
            for way, values in scores.items()
        }
        for weights in (chooses, 1 - chooses)
    )
    chosen = {way: means.argmax(axis=1) for way, means in first.items()}
    rows = np.arange(splits)
    gain = second["late"][rows, chosen["late"]] - second["plain"][rows, chosen["plain"]]
    leads = first["late"].max(axis=1) > first["plain"].max(axis=1)
    low, high = np.percentile(gain, [2.5, 97.5])
    return {
        "gain": float(gain.mean()),
        "low": float(low),
        "high": float(high),
        "late chosen": float(leads.mean()),
        "right": float((leads == (gain > 0)).mean()),
        **_most(scores["late"].columns, chosen["late"], "late arm"),
        **_most(scores["plain"].columns, chosen["plain"], "plain arm"),
    }


def _most(columns: pd.Index[Any], chosen: NDArray[np.int64], name: str) -> dict[str, float | str]:
    counts = np.bincount(chosen, minlength=len(columns))
    top = int(counts.argmax())
    arm = ", ".join(str(part) for part in columns[top])
    return {name: arm, f"{name}'s share": float(counts[top] / counts.sum())}


def _pair(half: Systems, layout: str, other: str, windows: Sequence[int] = ()) -> Pair:
    keys = {"layout": layout, "other layout": other, "window": str(windows[0]) if windows else ALL}
    first, second = (_all(half, name, windows) for name in (layout, other))
    return Pair(half.keys | keys, first, second, half.documents)


def _all(half: Systems, layout: str, windows: Sequence[int] = ()) -> pd.Series:
    """A question's mean over windows, all where none is named, and the three chunkers."""
    read = half.plain if layout == PLAIN else {w: half.late[layout, w] for w in half.plain}
    return pd.concat([read[w][list(CHUNKERS)] for w in windows or read], axis=1).mean(axis=1)
