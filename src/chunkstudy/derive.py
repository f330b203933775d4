"""From records to what is read, around the notebooks: published cells beside ours before them, and
after them what README and paper
quote."""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis import every_table
from chunkstudy.files import write_text
from chunkstudy.grid.library import Library
from chunkstudy.paper import generate
from chunkstudy.places import Places
from chunkstudy.published import cells as published
from chunkstudy.published.predictions import outcomes, register
from chunkstudy.render import (
    answers,
    cluster_page,
    figures,
    findings,
    latex,
    notebook,
    readme,
)
from chunkstudy.render.formats import write_csv


def compared(places: Places) -> pd.DataFrame:
    """Every published cell beside ours, with its verdict and the predictions that are about it."""
    found = outcomes.known(places).comparison
    return found.join(outcomes.of_cells(found, register.read(places).predictions))


def tables(places: Places, mapped: every_table.Mapped = map) -> str:
    """Write ``results/comparison.csv``, and the tables of the older pages.

    Args:
        places: where everything lies.
        mapped: as the builtin ``map``, which may be that of several processes.

    Raises:
        FindingError: if a finding no longer says what the records say.
    """
    found = compared(places)
    write_csv(places.results / "comparison.csv", found.drop(columns="place"))
    known = every_table.Known(Library(places), published.read(places))
    made = every_table.make(known, mapped)
    made["findings"] = findings.settle(findings.read(), made | {"comparison": found})
    for name, table in made.items():
        write_csv(places.tables / f"{name}.csv", table)
    for name, text in latex.every_table(made).items():
        write_text(places.generated / f"{name}.tex", text)
    return f"{len(made)} tables, {len(found)} published cells"


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
