"""The registered choice of a layout (results/predictions/layouts.md): made on one half of the
papers of COVID-QA, reported on the other. It was not blind: averaged windows had been read before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.studies.layouts.reading import AVERAGED, TODAY, Arms

COMPETE = ("most context", "no overlap", "averaged", "packed")
CHUNKERS = ("sentence-5", "fixed-64", "fixed-256")
PLAIN = "plain chunks"
ALL = "all"


def halves(one: Arms) -> tuple[Arms, Arms]:
    """The questions of the papers that choose, and those that are reported on."""
    if one.documents is None:
        raise ValueError("papers are halved; read a collection that names each question's document")
    chooses = one.documents.map(covid_qa.chooses)
    return one.of(chooses.index[chooses]), one.of(chooses.index[~chooses])


def chosen(choosing: Arms, tokens: Mapping[str, int], compete: Sequence[str] = COMPETE) -> str:
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


def known(one: Arms, chunkers: Sequence[str], windows: Sequence[int]) -> pd.DataFrame:
    """Averaged windows minus today's layout over all papers, chunker by chunker, in the windows in
    which that was known when the choice was registered."""
    pairs = [
        Pair(
            one.keys | {"layout": AVERAGED, "other layout": TODAY, "window": window}
            | {"chunker": chunker},
            one.late[AVERAGED, window][chunker], one.late[TODAY, window][chunker], one.documents,
        )
        for window in windows
        for chunker in chunkers
    ]  # fmt: skip
    return differences(pairs, "known before, {collection}, {model}", "score", "other score")


def against_whole(half: Arms, layout: str) -> pd.DataFrame:
    """A layout against plain chunks that are read whole, over all windows and in each."""
    whole = half.read_whole(CHUNKERS).mean(axis=1)
    pairs = [
        Pair(
            half.keys | {"layout": layout, "window": str(some[0]) if some else ALL},
            _all(half, layout, some), whole, half.documents,
        )
        for some in ((), *((window,) for window in sorted(half.plain)))
    ]  # fmt: skip
    return differences(pairs, "plain chunks read whole, {collection}, {model}", "late", "plain")


def report(half: Arms, layout: str, compete: Sequence[str] = COMPETE) -> pd.DataFrame:
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


def _pair(
    half: Arms,
    layout: str,
    other: str,
    windows: Sequence[int] = (),
) -> Pair:
    keys = {"layout": layout, "other layout": other, "window": str(windows[0]) if windows else ALL}
    first, second = (_all(half, one, windows) for one in (layout, other))
    return Pair(half.keys | keys, first, second, half.documents)


def _all(half: Arms, layout: str, windows: Sequence[int] = ()) -> pd.Series:
    """A question's mean over windows, all where none is named, and the three chunkers."""
    read = half.plain if layout == PLAIN else {w: half.late[layout, w] for w in half.plain}
    return pd.concat([read[w][list(CHUNKERS)] for w in windows or read], axis=1).mean(axis=1)
