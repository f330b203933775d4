"""Chunkers that choose their boundaries against the same sizes in another order.

Each question's score under the method stands against its mean over the draws. Beside it stands
where the method's mean lies among the draws' means: were its boundaries as good as any, each place
would be as likely.

A family is the methods and collections, or parts of them, of one encoder, ordering, measure and
place of boundaries.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.names import PRE_EMBEDDING, parse_encoder

KEYS = ["collection", "part", "chunker", "encoder", "ordering", "boundaries"]
CHOSEN, RANDOM = "chosen", "random"


def against_chance(questions: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """A row per collection, method, encoder, ordering, place of boundaries and measure.

    ``draws`` is their number, ``lowest draw`` and ``highest draw`` are the outermost of their
    means, ``draws below`` is the fraction of draws whose mean is below the method's, and ``p_rank``
    the two-sided p of a place as far out among the draws as the method's.

    Args:
        questions: of the study ``random-boundaries``; may be empty.
        draws: the same study's.
    """
    if questions.empty:
        return pd.DataFrame()
    pairs, places = [], []
    for key, part in questions.groupby(KEYS, sort=False):
        keys = dict(zip(KEYS, key, strict=True))
        wide = part.set_index("query_id")
        for column in wide.filter(like="method "):
            measure = str(column).removeprefix("method ")
            if wide[column].isna().all():
                continue
            of_pair = {**keys, "measure": measure}
            draws_mean = wide[f"draws {measure}"]
            pairs.append(Pair(of_pair, wide[column], draws_mean, wide["document"]))
            places.append(_place(draws, keys, measure))
    found = differences(pairs, _family, CHOSEN, RANDOM)
    return pd.concat([found, pd.DataFrame(places)], axis=1)


def _place(draws: pd.DataFrame, keys: Mapping[str, object], measure: str) -> dict[str, float]:
    """Where the method's mean lies among those of the draws."""
    here = np.logical_and.reduce([draws[name] == keys[name] for name in KEYS[:-1]])
    own = float(draws.loc[here & (draws["draw"] == 0), measure].iloc[0])
    means = draws.loc[here & (draws["boundaries"] == keys["boundaries"]), measure].to_numpy()
    outer = min((means >= own).sum(), (means <= own).sum())
    return {
        "draws": len(means),
        "lowest draw": float(means.min()),
        "highest draw": float(means.max()),
        "draws below": float((means < own).mean()),
        "p_rank": min(1.0, float(2 * (outer + 1) / (len(means) + 1))),
    }


def _family(keys: Mapping[str, object]) -> str:
    ordering = "plain" if keys["ordering"] == PRE_EMBEDDING else "late"
    encoder = parse_encoder(str(keys["encoder"])).model
    part = f"{keys['boundaries']}, {keys['part']}"
    return f"random boundaries {part}, {keys['measure']}, {encoder}, {ordering}"
