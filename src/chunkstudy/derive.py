"""From records to what is read, around the notebooks: published cells beside ours before them, and
after them what README and paper
quote."""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis import chunk_size, every_table
from chunkstudy.files import write_text
from chunkstudy.grid.library import Library
from chunkstudy.paper import generate
from chunkstudy.places import Places
from chunkstudy.published import cells as published
from chunkstudy.published import side_by_side
from chunkstudy.published.predictions import outcomes, register
from chunkstudy.published.predictions.evidence import from_tables
from chunkstudy.render import (
    answers,
    cluster_page,
    figures,
    findings,
    latex,
    notebook,
    readme,
    taxonomy_tables,
)

SUMMED, WRITTEN = 12, 8
"""Digits of a number in a derived CSV: more than any page shows. It is cut to more of them first,
beyond which machines disagree, so that half a unit of the last one falls the same way on all."""


def tables(places: Places, mapped: every_table.Mapped = map) -> str:
    """Write ``results/comparison.csv``: every published cell beside ours, with its verdict and the
    predictions that are about it; and the tables of the older pages.

    Args:
        places: where everything lies.
        mapped: as the builtin ``map``, which may be that of several processes.

    Raises:
        FindingError: if a finding no longer says what the records say.
    """
    library = Library(places)
    cells = published.read(places)
    compared = side_by_side.compare(places, library)
    correlations = chunk_size.correlations(library, places, published.frame(cells))
    evidence = from_tables(places, library, cells, compared, correlations)
    compared = outcomes.with_measured(evidence)
    compared = compared.join(outcomes.of_cells(compared, register.read(places).predictions))
    write_csv(compared.drop(columns="place"), places, "comparison")
    made = every_table.make(every_table.Known(library, cells, compared, correlations), mapped)
    made["findings"] = findings.settle(findings.read(), made | {"comparison": compared})
    for name, table in made.items():
        write_csv(table, places, f"tables/{name}")
    for name, text in latex.every_table(made).items():
        write_text(places.generated / f"{name}.tex", text)
    taxonomy_tables.write_all(places, made)
    return f"{len(made)} tables, {len(compared)} published cells"


def figure_names() -> tuple[str, ...]:
    """What :func:`figure` draws, a study each."""
    return figures.STUDIES


def figure(places: Places, study: str) -> str:
    """Draw the figures of one study from ``results``, as PNG and PDF."""
    return f"{study}, {len(figures.write(places, study))} files"


def publish(places: Places) -> str:
    """Write what README and paper quote, from tables and the notebooks' answers.

    Raises:
        StatementError: if a sentence of the paper no longer holds.
    """
    for name, text in generate.every(written(places), answers.numbers(places)).items():
        write_text(places.generated / f"{name}.tex", text)
    readme.fill(places)
    cluster_page.fill(places)
    return "README and the paper's numbers and tables"


def written(places: Places) -> dict[str, pd.DataFrame]:
    """Every table as it was written, ``comparison`` among them; a text that is not there is empty,
    as where it was derived."""
    names = [path.stem for path in places.tables.glob("*.csv")]
    found = {name: notebook.read(places, name) for name in (*names, "comparison")}
    texts = {name: frame.select_dtypes(exclude="number").columns for name, frame in found.items()}
    return {name: frame.fillna(dict.fromkeys(texts[name], "")) for name, frame in found.items()}


def write_csv(table: pd.DataFrame, places: Places, name: str) -> None:
    text = table.to_csv(index=False, lineterminator="\n", float_format=digits)
    write_text(places.results / f"{name}.csv", text)


def digits(number: object) -> str:
    """A number as derived tables hold it."""
    return f"{float(f'{number:.{SUMMED}g}'):.{WRITTEN}g}"
