"""The generated tables of docs/cluster.md: what search takes as a collection grows."""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.publish.readme import fill_regions
from chunkstudy.runs import study_results
from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import percent, whole
from chunkstudy.show.tables import Table
from chunkstudy.studies.search_cost import forecast

STUDY = "search-cost"


def two_digits(value: float) -> str:
    """Two significant digits, as a person writes them."""
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}" if rounded >= 1e-4 else "< 0.0001"


COSTS: Columns = {
    "dimension": Column("numbers in a vector", whole),
    "chunks": Column("chunks", whole),
    "vectors": Column("vectors, GB", two_digits),
    "while encoding": Column("while encoding, GB", two_digits),
    "one question": Column("one question, s", two_digits),
    "a thousand together": Column("1,000 questions, s", two_digits),
    "network": Column("vectors over 10 Gbit/s, s", two_digits),
    "graph": Column("graph, GB", two_digits),
    "building hours": Column("building it, h", two_digits),
    "encoding hours": Column("encoding, h", two_digits),
}
VERDICTS: Columns = {
    "vectors": one_of({"real": "Chroma's", "drawn": "random"}),
    "chunks": Column("chunks", whole),
    "search list": Column("search list", str),
    "missed": Column("missed of five, %", percent),
    "exact recall": Column("recall, exact, %", percent),
    "lost": Column("lost, %", percent),
    "spread": Column("spread, %", percent),
    "shown to lose": Column("shown to lose", whole),
    "graphs": Column("of graphs", whole),
}


def fill(places: Places) -> None:
    """Write the tables anew; nothing where there is no page or the study was not run."""
    fill_regions(places.root / "docs" / "cluster.md", blocks(places))


def blocks(places: Places) -> dict[str, str]:
    """The tables by name; none where the study was not run."""
    found = study_results.tables(places, STUDY)
    if not found:
        return {}
    exact, memory, graph = found["exact"], found["memory"], found["graph"]
    tables = {
        "costs": Table.of(forecast.forecast(exact, memory, graph), list(COSTS), COSTS),
        "errors of the model": Table.of(_errors(exact, graph)),
        "verdicts": Table.of(forecast.verdicts(graph), list(VERDICTS), VERDICTS),
    }
    return {name: table.markdown() for name, table in tables.items()}


def _errors(exact: pd.DataFrame, graph: pd.DataFrame) -> pd.DataFrame:
    """How far the model is off where it was not fitted."""
    fits = {
        "seconds of exact search": (exact, forecast.exact_fit(exact)),
        "seconds to build a graph": (graph, forecast.building_fit(graph)),
    }
    rows = [
        (what, forecast.LARGEST_FITTED, timed["chunks"].max(), f"{fit.error:.0%}")
        for what, (timed, fit) in fits.items()
    ]
    heads = ["what", "fitted up to", "tested up to", "largest relative error there"]
    return pd.DataFrame(rows, columns=heads)
