"""Methods against each other: Tables 3 and 5 of the taxonomy from runs, with its marks."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from chunkstudy.analysis import taxonomy
from chunkstudy.analysis.recorded import Block, Layout
from chunkstudy.grid import facts
from chunkstudy.places import Places
from chunkstudy.published.sources import AVERAGE
from chunkstudy.render import taxonomy_tables
from chunkstudy.show.scores import Scores
from chunkstudy.studies.taxonomy.chunk_size import METHOD_OF

STRUCTURE = ("paragraph", "sentence-5", "fixed-256")
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
         "best": means.idxmax()}
        for encoder, means in average.iterrows()
        for a in STRUCTURE
        for b in GUIDED
    ]  # fmt: skip
    return pd.DataFrame(rows)


def several_paragraphs(places: Places, collections: Iterable[str]) -> pd.Series:
    """By collection, how many of its documents hold a line break; NaN where nobody counted."""
    found = {name: facts.read(places, f"{name}_facts") for name in collections}
    column = "documents of several paragraphs"
    return pd.Series({name: one[column].sum() for name, one in found.items() if len(one)})
