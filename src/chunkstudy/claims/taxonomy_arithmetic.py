"""The arithmetic of the taxonomy's tables 3 to 5: changes and averages."""

from __future__ import annotations

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.taxonomy_rows import (
    IN_CORPUS,
    cells,
    column_average,
    flat,
    mean_of,
    scores,
)
from chunkstudy.claims.verdicts import Finding, Readings, charitable, counted, strict

COLUMNS = ("gutenqa", *IN_CORPUS)


def table_4_follows(evidence: Evidence) -> Finding:
    """168 relative changes recomputed from tables 3 and 5."""
    met = []
    for name in COLUMNS:
        before, after, printed = (flat(scores(evidence, n, name)) for n in ("3", "5", "4"))
        for key, value in printed.items():
            bound = 100 * 0.0001 / before[key] + 0.006  # scores are printed to four decimals
            met.append(abs(value - 100 * (after[key] / before[key] - 1)) <= bound)
    return counted(met, "relative changes within printed rounding")


def averages_of_table_4(evidence: Evidence) -> Readings:
    """Is a row's average the mean of six percentages, or the change of the averages?"""
    printed = flat(scores(evidence, "4", "average"))
    of_cells = flat(mean_of(cells(evidence, "4")))
    of_scores = flat(
        100 * (scores(evidence, "5", "average") / scores(evidence, "3", "average") - 1)
    )
    furthest = max(printed, key=lambda key: abs(of_scores[key] - printed[key]))
    figures = (
        f"furthest {furthest}: printed {printed[furthest]:+.2f}%, change of the averages "
        f"{of_scores[furthest]:+.2f}%"
    )
    return (
        strict(
            "the change of the averages",
            counted([abs(of_scores[key] - v) <= 0.05 for key, v in printed.items()], figures),
        ),
        charitable(
            "the mean of the six percentages",
            counted([abs(of_cells[key] - v) <= 0.011 for key, v in printed.items()], "rows"),
        ),
    )


def averages_of_tables_3_and_5(evidence: Evidence) -> Finding:
    """Row averages over six collections and column averages over six methods."""
    met: list[bool] = []
    for number in ("3", "5"):
        rows = flat(mean_of(cells(evidence, number)))
        printed = flat(scores(evidence, number, "average"))
        met += [abs(rows[key] - value) <= 0.00011 for key, value in printed.items()]
        for name in (*COLUMNS, "average"):
            apart = scores(evidence, number, name).mean() - column_average(evidence, number, name)
            met += (apart.abs() <= 0.00011).tolist()
    return counted(met, "averages within printed rounding")
