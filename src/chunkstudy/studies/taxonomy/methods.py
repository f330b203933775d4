"""Methods against each other: Tables 3 and 5 of the taxonomy from runs, with its marks."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from scipy import stats

from chunkstudy.analysis import taxonomy
from chunkstudy.analysis.recorded import Block, Layout
from chunkstudy.grid import facts
from chunkstudy.places import Places
from chunkstudy.published.sources import AVERAGE
from chunkstudy.render import taxonomy_tables
from chunkstudy.show.runs import Runs
from chunkstudy.show.scores import Scores
from chunkstudy.studies.taxonomy.chunk_size import METHOD_OF

STRUCTURE = ("paragraph", "sentence-5", "fixed-256")
JUDGED = ("as_published-ielab", "as_published-lumberchunker")
"""Protocols that judge a proposition by the passage it came from, and by its own text."""
GUIDED = ("semantic", "lumberchunker", "proposition")


def marked(scores: Iterable[Scores], number: str = "3") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Means as the paper marks them, and the tests behind the marks: each method against the best
    and the worst of its column, paired t-tests, with Holm's correction and without.

    Args:
        scores: of a collection each, all by one encoder, ordering and protocol.
        number: of the table, ``3`` plain or ``5`` late.
    """
    arm: dict[tuple[str, str], pd.Series] = {}
    for one in scores:
        for chunker, path in one.runs.items():
            collection, _, encoder, ordering, protocol = path.split("/")
            values = one.of(chunker, one.measures[0]).dropna().rename(chunker)
            arm[METHOD_OF.get(chunker, chunker), collection] = values
    plain, late = ({}, arm) if number == "5" else (arm, {})
    methods, collections = (tuple(dict.fromkeys(names)) for names in zip(*arm, strict=True))
    layout = Layout(collections, {one: (one,) for one in methods}, (protocol,))
    block = Block(encoder, protocol, plain, late, ordering)
    return taxonomy.with_marks([block], layout, f"taxonomy_table{number}")


def as_printed(published: pd.DataFrame, own: pd.DataFrame, number: str = "3") -> str:
    """The published table as the paper sets it, as HTML, with our rows below."""
    both = pd.concat([taxonomy.published(published, number), own], ignore_index=True)
    said = taxonomy_tables.caption(f"taxonomy_table{number}", both)
    return taxonomy_tables.to_html(both, number, said)


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
    found = {
        str(encoder): stats.kendalltau(one[AVERAGE], one["gutenqa"]).statistic
        for encoder, one in wide.groupby("encoder", sort=False)
    }
    return pd.Series(found, name="Kendall's tau").rename_axis("encoder")


def ceilings(runs: Runs) -> pd.Series:
    """By chunker, the mean over questions of the best DCG@10 that any ranking of its chunks can
    reach."""
    return pd.Series({one.arm.name: one.wide["Ceiling(DCG@10)"].mean() for one in runs})


def several_paragraphs(places: Places, collections: Iterable[str]) -> pd.Series:
    """By collection, how many of its documents hold a line break; NaN where nobody counted."""
    found = {name: facts.read(places, f"{name}_facts") for name in collections}
    column = "documents of several paragraphs"
    return pd.Series({name: one[column].sum() for name, one in found.items() if len(one)})
