"""How closely the taxonomy reproduces LumberChunker and Jina, its Tables 1 and 2."""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation.statistics import agreement
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING

WHOSE = ["original", "reproduced"]


def leads(published: pd.DataFrame) -> pd.Series:
    """By whose number it is, how far the best method leads the second; fractions.

    Args:
        published: the cells of Table 1.
    """
    wide = published.pivot(index="chunker", columns="statistic", values="value")
    return pd.Series({one: -wide[one].nlargest(2).diff().iloc[1] for one in WHOSE})


def agreement_of_orders(published: pd.DataFrame) -> float:
    """Kendall's tau-b of the original and the reproduced order of Table 1's methods."""
    wide = published.pivot(index="chunker", columns="statistic", values="value")
    return agreement.kendall(wide["original"], wide["reproduced"])


def gaps(published: pd.DataFrame) -> pd.DataFrame:
    """``collection, chunker, ordering, original, reproduced, gap`` of every pair of Table 2, the
    largest gap first; fractions."""
    keys = ["collection", "chunker", "ordering"]
    wide = published.pivot(index=keys, columns="statistic", values="value")[WHOSE]
    wide["gap"] = (wide["reproduced"] - wide["original"]).round(6)
    order = wide["gap"].abs().sort_values(ascending=False, kind="stable").index
    return wide.loc[order].rename_axis(columns=None).reset_index()


def gains(published: pd.DataFrame) -> pd.DataFrame:
    """How closely the gain by late chunking is reproduced, a row a collection and method: the gains
    as fractions, the effect ratio (1 is perfect), and the difference of the relative improvements
    (0 is perfect), as Breuer et al. define them.

    Args:
        published: the cells of Table 2.
    """
    rows = []
    for (collection, chunker), own in published.groupby(["collection", "chunker"], sort=False):
        wide = own.pivot(index="ordering", columns="statistic", values="value")
        first, second = (
            (float(wide[one][PRE_EMBEDDING]), float(wide[one][CONTEXTUALIZED])) for one in WHOSE
        )
        rows.append(
            {
                "collection": collection,
                "chunker": chunker,
                "original gain": first[1] - first[0],
                "reproduced gain": second[1] - second[0],
                "effect ratio": agreement.effect_ratio(first, second),
                "difference of relative improvements": agreement.delta_relative_improvement(
                    first, second
                ),
            }
        )
    return pd.DataFrame(rows)
