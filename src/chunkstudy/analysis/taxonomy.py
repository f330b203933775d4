"""What is derived for the taxonomy: its tables beside MiniLM's, tests, RQ4, reproduction."""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis.chunk_size import correlations
from chunkstudy.analysis.reproduction import measures
from chunkstudy.analysis.taxonomy_layout import AVERAGE, BUILTIN, TAXONOMY, Table, published_table
from chunkstudy.analysis.taxonomy_rendering import plain, to_html, to_latex
from chunkstudy.analysis.taxonomy_tables import ALPHA, change_table, scores_table
from chunkstudy.files import write_text
from chunkstudy.places import Places
from chunkstudy.published.compare import Library, read_published

NUMBERS = {"3": "plain chunking", "4": "contextualized against plain chunking, percent",
           "5": "contextualized chunking"}  # fmt: skip
MARKS = "a: different from the best, b: from the worst, *: from plain chunking (p below 0.05)."


def tables(library: Library, places: Places, comparison: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table of the taxonomy by name; those in the paper's layout are also set as LaTeX."""
    cells = read_published(places)
    laid_out = layouts(library, cells)
    made = {name: plain(table) for name, table in laid_out.items()}
    made["taxonomy_tests"] = tests(laid_out)
    made["taxonomy_superscripts"] = superscripts(laid_out)
    made["chunk_size_correlations"] = correlations(library, places, cells)
    made["reproduction_measures"] = measures(library, cells, comparison)
    return made


def layouts(library: Library, cells: pd.DataFrame) -> dict[str, Table]:
    """Tables 3 to 5, printed rows above recorded ones, and those of the built-in collection."""
    made = {}
    for number in NUMBERS:
        ours = _of_records(library, number, built_in=False)
        made[f"taxonomy_table{number}"] = published_table(cells, number).beside(ours)
        made[f"taxonomy_builtin_table{number}"] = _of_records(library, number, built_in=True)
    return made


def write_layouts(places: Places) -> None:
    """Write the tables in the paper's layout: LaTeX to ``paper/generated``, HTML beside the CSV."""
    for name, table in layouts(Library(places), read_published(places)).items():
        if table.rows:
            text = to_latex(table, caption(name, table), f"tab:{name}")
            write_text(places.generated / f"{name}.tex", text)
            page = to_html(table, caption(name, table))
            write_text(places.tables / f"{name}.html", page + "\n")


def caption(name: str, table: Table) -> str:
    """What the table shows and over how many collections each model's average is."""
    measured = "built-in collection" if "builtin" in name else "taxonomy's Table " + name[-1]
    counts: dict[int, list[str]] = {}
    for model, count in table.averaged.items():
        counts.setdefault(count, []).append(model)
    averaged = "; ".join(
        f"{count} ({', '.join(models)})" for count, models in sorted(counts.items()) if count
    )
    over = f" Avg over in-corpus collections: {averaged}." if AVERAGE in table.columns else ""
    return f"{measured[0].upper()}{measured[1:]}: {NUMBERS[name[-1]]}. {MARKS}{over}"


def tests(laid_out: dict[str, Table]) -> pd.DataFrame:
    """Every test behind a mark of a recorded row, with Holm's p over its table."""
    found = [table.tests.assign(table=name) for name, table in laid_out.items() if len(table.tests)]
    if not found:
        return pd.DataFrame()
    every = pd.concat(found, ignore_index=True)
    every.insert(0, "table", every.pop("table"))
    for column in ("difference", "low", "high", "effect"):
        every[column] = [f"{value:.4f}" for value in every[column]]
    for column in ("p", "p (Holm)", "p (equivalent)"):
        every[column] = [f"{value:.2g}" for value in every[column]]
    return every


def superscripts(laid_out: dict[str, Table]) -> pd.DataFrame:
    """How many marks each table bears as printed, and how many of the recorded ones Holm leaves."""
    rows = []
    for name, table in laid_out.items():
        models = list(dict.fromkeys(model for model, _ in table.rows))
        tested = table.tests if len(table.tests) else pd.DataFrame(columns=["model", "p"])
        for model in models:
            marks = [cell.marks for (m, _), cells in table.rows.items() if m == model
                     for cell in cells.values()]  # fmt: skip
            own = tested[tested["model"] == model] if "model" in tested else tested
            row: dict[str, object] = {"table": name, "model": model}
            row |= {mark: sum(mark in one for one in marks) for mark in ("a", "b", "*")}
            if len(own):
                row["tests"] = len(own)
                row["significant"] = int((own["p"] < ALPHA).sum())
                row["significant after Holm"] = int((own["p (Holm)"] < ALPHA).sum())
                row["equivalent within a point"] = int((own["p (equivalent)"] < ALPHA).sum())
            rows.append(row)
    return pd.DataFrame(rows, dtype=object).fillna("")


def _of_records(library: Library, number: str, built_in: bool) -> Table:
    layout = BUILTIN if built_in else TAXONOMY
    if number == "4":
        return change_table(library, layout)
    return scores_table(library, late=number == "5", layout=layout)
