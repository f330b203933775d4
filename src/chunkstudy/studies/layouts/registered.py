"""The choice of a layout as it was registered before the records were made
(results/predictions/layouts.md): on one half of COVID-QA's papers, to be reported on the other."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.studies.layouts.reading import Arms


def by_layout(one: Arms, chunkers: Sequence[str]) -> pd.DataFrame:
    """A question's mean over windows and chunkers, a column a layout."""
    found: dict[str, list[pd.DataFrame]] = {}
    for (layout, _), scores in one.late.items():
        found.setdefault(layout, []).append(scores[list(chunkers)])
    return pd.DataFrame(
        {layout: pd.concat(some, axis=1).mean(axis=1) for layout, some in found.items()}
    )


def choose(one: Arms, chunkers: Sequence[str], tokens: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """The layout of the highest mean; of it and those whose difference to it has an interval that
    includes 0, over papers, the one that reads the fewest tokens.

    Args:
        one: the questions of the choosing half.
        chunkers: that every layout has.
        tokens: of :func:`costs.tables`; those of its chunkers stand for all.

    Returns:
        The layout, and of each layout its ``score``, ``difference`` to the best with ``low`` and
        ``high``, ``tokens``, and whether it is ``tied`` with the best.
    """
    scores = by_layout(one, chunkers)
    best = str(scores.mean().idxmax())
    pairs = [Pair({"layout": name}, scores[name], scores[best], one.documents) for name in scores]
    rows = differences(pairs, "layouts on the choosing half", "score", "best score")
    of_collection = tokens[tokens["collection"] == one.collection]
    rows["tokens"] = rows["layout"].map(of_collection.groupby("layout")["tokens"].sum())
    rows["tied"] = (rows["layout"] == best) | (rows["high"] >= 0)
    tied = rows[rows["tied"]]
    return str(tied.sort_values("tokens")["layout"].iloc[0]), rows


def report(one: Arms, chunkers: Sequence[str], chosen: str) -> pd.DataFrame:
    """The chosen layout minus every other and minus plain chunks read whole, on the questions of
    the other half, each question's mean over windows and chunkers; one family."""
    scores = by_layout(one, chunkers)
    against = {name: scores[name] for name in scores if name != chosen}
    against["plain, read whole"] = one.read_whole(chunkers).mean(axis=1)
    pairs = [
        Pair({"layout": chosen, "against": name}, scores[chosen], other, one.documents)
        for name, other in against.items()
    ]
    return differences(pairs, "the chosen layout on the other half", "score", "other score")
