"""Published methods against each other, how closely the taxonomy reproduces LumberChunker and Jina
(its Tables 1 and 2), and what is counted of collections and runs."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from scipy import stats

from chunkstudy.base.places import Places
from chunkstudy.published.sources import AVERAGE
from chunkstudy.runs import facts
from chunkstudy.study.formats import Column, Columns, number, percent, points, whole
from chunkstudy.study.runs import Runs

STRUCTURE = ("paragraph", "sentence-5", "fixed-256")
JUDGED = ("as_published-ielab", "as_published-lumberchunker")
"""Protocols that judge a proposition by the passage it came from, and by its own text."""
GUIDED = ("semantic", "lumberchunker", "proposition")
WHOSE = ["original", "reproduced"]
"""The numbers of Tables 1 and 2: of the authors, and of the taxonomy."""
AS_CHANGES: Columns = {"value": Column("change, %", points)}
AS_AVERAGES: Columns = {"*": number}
AS_PACKED: Columns = {
    "alone": Column("alone in their window, %", percent),
    "other tokens": Column("else the others' tokens, median", whole),
    "windows": Column("windows used", whole),
    "fewest": Column("windows that would do", whole),
}
KEYS = ["encoder", "chunker", "collection"]
E5 = "intfloat/multilingual-e5-large-instruct"


def structure_against_guided(published: pd.DataFrame) -> pd.DataFrame:
    """The published averages over collections of each method that follows the text's structure
    beside each that a model guides, a row a model and pair; fractions.

    Args:
        published: the cells of Table 3.
    """
    own = published[published["collection"] == AVERAGE]
    average = own.pivot(index="encoder", columns="chunker", values="value")
    rows = [
        {"encoder": encoder, "a": a, "b": b, "structure": means[a], "guided": means[b],
         "best chunker": means.idxmax()}
        for encoder, means in average.iterrows()
        for a in STRUCTURE
        for b in GUIDED
    ]  # fmt: skip
    return pd.DataFrame(rows)


def agreement(published: pd.DataFrame) -> pd.Series:
    """By model, Kendall's tau between the rankings of methods in corpora, by their average, and
    within books.

    Args:
        published: the cells of Table 3.
    """
    own = published[published["chunker"] != AVERAGE]
    wide = own.pivot(index=["encoder", "chunker"], columns="collection", values="value")
    taus = {
        str(encoder): stats.kendalltau(scores[AVERAGE], scores["gutenqa"]).statistic
        for encoder, scores in wide.groupby("encoder", sort=False)
    }
    return pd.Series(taus, name="Kendall's tau").rename_axis("encoder")


def ceilings(runs: Runs) -> pd.Series:
    """By chunker, the mean over questions of the best DCG@10 that any ranking of its chunks can
    reach."""
    return pd.Series({run.variant.name: run.wide["Ceiling(DCG@10)"].mean() for run in runs})


def counted(places: Places, collections: Iterable[str]) -> pd.DataFrame:
    """What was counted of collections' documents, by collection; no row where nobody did."""
    counts = {name: facts.read(places, f"{name}_facts") for name in collections}
    return pd.concat(
        {name: frame.iloc[0] for name, frame in counts.items() if len(frame)}, axis=1
    ).T


def moved(plain: pd.DataFrame, late: pd.DataFrame) -> pd.DataFrame:
    """``encoder, chunker, collection, plain, late`` of every published cell but averages, as
    fractions.

    Args:
        plain: the cells of Table 3.
        late: the cells of Table 5.
    """
    both = _values(plain, "plain").join(_values(late, "late")).reset_index()
    return both[(both["chunker"] != AVERAGE) & (both["collection"] != AVERAGE)]


def averages(plain: pd.DataFrame, change: pd.DataFrame, late: pd.DataFrame) -> pd.DataFrame:
    """By model and method, the average change in percent as Table 4 has it, a mean of six
    percentages, and between the averages of Tables 3 and 5; the furthest apart first.

    Args:
        plain: the cells of Table 3; ``change`` and ``late`` likewise of Tables 4 and 5.
    """
    both = _values(plain, "plain").join(_values(late, "late")).join(_values(change, "published"))
    own = both.xs(AVERAGE, level="collection").drop(index=AVERAGE, level="chunker")
    own["between averages"] = 100 * (own["late"] / own["plain"] - 1)
    apart = (own["published"] - own["between averages"]).abs()
    order = apart.sort_values(ascending=False).index
    return own.loc[order, ["published", "between averages"]].reset_index()


def _values(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    return cells.set_index(KEYS)[["value"]].set_axis([name], axis=1)


def leads(published: pd.DataFrame) -> pd.Series:
    """By whose number it is, how far the best method leads the second; fractions.

    Args:
        published: the cells of Table 1.
    """
    wide = published.pivot(index="chunker", columns="statistic", values="value")
    return pd.Series({origin: -wide[origin].nlargest(2).diff().iloc[1] for origin in WHOSE})


def agreement_of_orders(published: pd.DataFrame) -> float:
    """Kendall's tau-b of the original and the reproduced order of Table 1's methods."""
    wide = published.pivot(index="chunker", columns="statistic", values="value")
    return float(stats.kendalltau(wide["original"], wide["reproduced"]).statistic)


def gaps(published: pd.DataFrame) -> pd.DataFrame:
    """``collection, chunker, ordering, original, reproduced, gap`` of every pair of Table 1 or 2,
    the largest gap first; fractions."""
    keys = ["collection", "chunker", "ordering"]
    wide = published.pivot(index=keys, columns="statistic", values="value")[WHOSE]
    wide["gap"] = (wide["reproduced"] - wide["original"]).round(6)
    order = wide["gap"].abs().sort_values(ascending=False, kind="stable").index
    return wide.loc[order].rename_axis(columns=None).reset_index()
