"""From records to what is read: tables, comparison, claims, findings, LaTeX, README, figures, the
site."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.analysis import chunk_size, every_table, language_models
from chunkstudy.files import write_text
from chunkstudy.grid import records
from chunkstudy.grid.library import Library
from chunkstudy.paper import generate
from chunkstudy.places import Places
from chunkstudy.predictions import outcomes, register
from chunkstudy.predictions import tables as prediction_tables
from chunkstudy.predictions.evidence import from_tables
from chunkstudy.published import cells as published
from chunkstudy.published import side_by_side
from chunkstudy.published.claims import ledger
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
from chunkstudy.site import build, data_card

SUMMED, WRITTEN = 12, 8
"""Digits of a number in a derived CSV: more than any page shows. It is cut to more of them first,
beyond which machines disagree, so that half a unit of the last one falls the same way on all."""


@dataclass(frozen=True)
class Derived:
    """All that follows from the records by computation: tables by name, what became of the
    published cells, and the claims."""

    tables: dict[str, pd.DataFrame]
    comparison: pd.DataFrame
    claims: pd.DataFrame


def tables(places: Places, mapped: every_table.Mapped = map) -> str:
    """Write ``results/tables``, ``comparison.csv``, ``claims.csv``, README.

    Args:
        places: where everything lies.
        mapped: as the builtin ``map``, which may be that of several processes.

    Raises:
        FindingError: if a finding no longer says what the records say.
        ClaimError: if a claim breaks the ledger's rules.
    """
    found = derived(places, mapped)
    known = found.tables | {"claims": found.claims, "comparison": found.comparison}
    found.tables["findings"] = findings.settle(findings.read(), known)
    write(places, found)
    licences = data_card.licences(records.find(places.runs))
    readme.fill(places, found.comparison, found.claims, found.tables, licences)
    cluster_page.fill(places)
    return (
        f"{len(found.tables)} tables, {len(found.comparison)} published cells, "
        f"{len(found.claims)} readings"
    )


def derived(places: Places, mapped: every_table.Mapped = map) -> Derived:
    """Everything but the findings, whose sentences people write.

    Raises:
        ClaimError: if a claim breaks the ledger's rules.
    """
    library = Library(places)
    cells = published.read(places)
    comparison = side_by_side.compare(places, library)
    correlations = chunk_size.correlations(library, places, published.frame(cells))
    evidence = from_tables(places, library, cells, comparison, correlations)
    comparison = outcomes.with_measured(evidence)
    evidence = replace(evidence, comparison=comparison)
    known = every_table.Known(library, cells, comparison, correlations)
    made = every_table.make(known, mapped)
    made |= prediction_tables.every(register.read(places), evidence)
    made |= language_models.published_tables(
        comparison, made["predictions"], made["language_models_prices"]
    )
    claims = ledger.derive(library, comparison, made)
    return Derived(made, predicted(places, comparison), claims)


def write(places: Places, found: Derived) -> None:
    """Write the tables, as CSV and as the papers set them."""
    write_csv(found.comparison.drop(columns="place"), places, "comparison")
    write_csv(found.claims, places, "claims")
    for name, table in found.tables.items():
        write_csv(table, places, f"tables/{name}")
    for name, text in latex.every_table(found.tables).items():
        write_text(places.generated / f"{name}.tex", text)
    taxonomy_tables.write_all(places, found.tables)


def predicted(places: Places, comparison: pd.DataFrame) -> pd.DataFrame:
    """The comparison with a column of the predictions that are about each cell."""
    return comparison.join(outcomes.of_cells(comparison, register.read(places).predictions))


def figure_names() -> tuple[str, ...]:
    """What :func:`figure` draws, a study each."""
    return figures.STUDIES


def figure(places: Places, study: str) -> str:
    """Draw the figures of one study from ``results``, as PNG and PDF."""
    return f"{study}, {len(figures.write(places, study))} files"


def publish(places: Places) -> str:
    """Write what the paper quotes, ``docs/site`` and the data card, from tables, figures, executed
    notebooks and their answers.

    Raises:
        StatementError: if a sentence of the paper no longer holds.
    """
    for name, text in generate.every(written(places), answers.numbers(places)).items():
        write_text(places.generated / f"{name}.tex", text)
    return build.write(places)


def written(places: Places) -> dict[str, pd.DataFrame]:
    """Every table as it was written, ``claims`` and ``comparison`` among them; a text that is not
    there is empty, as where it was derived."""
    names = [path.stem for path in places.tables.glob("*.csv")]
    found = {name: notebook.read(places, name) for name in (*names, "comparison", "claims")}
    texts = {name: frame.select_dtypes(exclude="number").columns for name, frame in found.items()}
    return {name: frame.fillna(dict.fromkeys(texts[name], "")) for name, frame in found.items()}


def write_csv(table: pd.DataFrame, places: Places, name: str) -> None:
    text = table.to_csv(index=False, lineterminator="\n", float_format=digits)
    write_text(places.results / f"{name}.csv", text)


def digits(number: object) -> str:
    """A number as derived tables hold it."""
    return f"{float(f'{number:.{SUMMED}g}'):.{WRITTEN}g}"
