"""From records to what is read: tables, comparison, claims, findings, LaTeX, README, figures, the
site."""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis import every_table, language_models
from chunkstudy.claims import ledger
from chunkstudy.files import write_text
from chunkstudy.grid.library import Library
from chunkstudy.paper import generate
from chunkstudy.places import Places
from chunkstudy.predictions import outcomes, register, today
from chunkstudy.predictions import tables as prediction_tables
from chunkstudy.published import cells as published
from chunkstudy.published import compare
from chunkstudy.render import cluster_page, figures, findings, latex, readme, taxonomy_tables
from chunkstudy.site import build

SUMMED, WRITTEN = 12, 8
"""Digits of a number in a derived CSV: more than any page shows. It is cut to more of them first,
beyond which machines disagree, so that half a unit of the last one falls the same way on all."""


def tables(places: Places) -> str:
    """Write ``results/tables``, ``comparison.csv``, ``claims.csv``, ``paper/generated``, README.

    Raises:
        FindingError: if a finding or a sentence of the paper no longer says what the records say.
        ClaimError: if a claim breaks the ledger's rules.
    """
    library = Library(places)
    cells = published.read(places)
    comparison = compare.compare(places, library)
    made = every_table.make(places, library, cells, comparison)
    evidence = today.evidence(places, library, cells, comparison, made["chunk_size_correlations"])
    made |= prediction_tables.every(register.read(places), evidence)
    made |= language_models.published_tables(
        comparison, made["predictions"], made["language_models_prices"]
    )
    claims = ledger.derive(places, comparison, made)
    known = made | {"claims": claims, "comparison": comparison}
    made["findings"] = findings.settle(findings.read(), known)
    for_paper = generate.every(known)
    comparison = predicted(places, comparison)
    write_csv(comparison, places, "comparison")
    write_csv(claims, places, "claims")
    for name, table in made.items():
        write_csv(table, places, f"tables/{name}")
    for name, text in (latex.every_table(made) | for_paper).items():
        write_text(places.generated / f"{name}.tex", text)
    taxonomy_tables.write_all(places, made)
    readme.fill(places, comparison, claims, made)
    cluster_page.fill(places)
    return f"{len(made)} tables, {len(comparison)} published cells, {len(claims)} readings"


def predicted(places: Places, comparison: pd.DataFrame) -> pd.DataFrame:
    """The comparison with a column of the predictions that are about each cell."""
    return comparison.join(outcomes.of_cells(comparison, register.read(places).predictions))


def figure_names() -> tuple[str, ...]:
    """What :func:`figure` draws, a study each."""
    return figures.STUDIES


def figure(places: Places, study: str) -> str:
    """Draw the figures of one study from ``results``, as PNG and PDF."""
    return f"{study}, {len(figures.write(places, study))} files"


def site(places: Places) -> str:
    """Write ``docs/site`` and the data card, from tables and figures."""
    return build.write(places)


def write_csv(table: pd.DataFrame, places: Places, name: str) -> None:
    text = table.to_csv(index=False, lineterminator="\n", float_format=digits)
    write_text(places.results / f"{name}.csv", text)


def digits(number: object) -> str:
    """A number as derived tables hold it."""
    return f"{float(f'{number:.{SUMMED}g}'):.{WRITTEN}g}"
