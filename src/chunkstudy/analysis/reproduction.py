"""How closely one set of results reproduces another, in the field's measures: rankings by tau-b,
gains by delta relative improvement and effect ratio, runs by RMSE per topic, means by equivalence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.taxonomy_layout import (
    AVERAGE,
    LABELS,
    METHODS,
    Layout,
    Table,
    published_table,
)
from chunkstudy.analysis.taxonomy_rendering import values
from chunkstudy.analysis.taxonomy_tables import MARGIN, MEASURE, scores_table
from chunkstudy.grid.conditions import COLLECTIONS, NONE, parse
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.published.compare import Library
from chunkstudy.statistics import agreement

JINA = Layout(protocols=(AS_PUBLISHED_JINA.name,))
TWINS = {"gutenqa": ("gutenqa", "gutenqa-emma")}
"""A published column against that of Emma too, the one book of GutenQA that is public."""
FEWEST = 3
"""Methods in a ranking: two have no order worth a coefficient."""
COLUMNS = ["measure", "of", "original", "reproduced", "n", "value", "p"]


def measures(library: Library, cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """A row per measure and pair of results.

    Args:
        library: the records.
        cells: published cells.
        comparison: published cells beside reproduced ones; those reproduced are tested.
    """
    plain, late = scores_table(library, late=False), scores_table(library, late=True)
    printed = {number: published_table(cells, number) for number in ("3", "5")}
    rows = [
        *_rankings("Table 3", printed["3"], plain),
        *_rankings("Table 5", printed["5"], late),
        *_first_reproduction(cells),
        *_gains((printed["3"], printed["5"]), (plain, late), "taxonomy"),
        *_gains(
            _combinations(cells),
            (scores_table(library, False, JINA), scores_table(library, True, JINA)),
            "Jina",
        ),
        *_runs(library),
        *_means(library, comparison),
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rankings(name: str, printed: Table, ours: Table) -> Iterator[dict[str, object]]:
    """Every two published models, and every published model against every recorded one."""
    theirs, own = values(printed), values(ours)
    own = own.drop(index="No chunking", level="method", errors="ignore") if len(own) else own
    models = list(dict.fromkeys(model for model, _ in printed.rows))
    recorded = list(dict.fromkeys(model for model, _ in ours.rows))
    pairs = [(theirs, one, theirs, two) for one, two in combinations(models, 2)]
    pairs += [(theirs, one, own, two) for one in models for two in recorded]
    for first, one, second, two in pairs:
        for column in printed.columns:
            for twin in TWINS.get(column, (column,)):
                if column not in first or twin not in second:
                    continue
                both = pd.DataFrame(
                    {"a": first.loc[one, column], "b": second.loc[two, twin]}
                ).dropna()
                both = both.drop(index="Avg", errors="ignore")
                if len(both) < FEWEST:
                    continue
                found = agreement.kendall(both["a"], both["b"])
                where = column if twin == column else f"{column} against {twin}"
                yield _row("tau-b of the methods' ranking", f"{name}, {where}", one, two, found.n,
                           found.tau, found.p)  # fmt: skip


def _first_reproduction(cells: pd.DataFrame) -> Iterator[dict[str, object]]:
    """The taxonomy's own reproduction, its Tables 1 and 2."""
    keys = ["chunker", "ordering"]
    for number in ("1", "2"):
        table = cells[(cells["work"] == "taxonomy") & (cells["table"] == number)]
        for name, part in table.groupby("collection", sort=False):
            arms = part.assign(value=part["printed"].astype(float)).pivot(
                index=keys, columns="statistic", values="value"
            )
            found = agreement.kendall(arms["original"], arms["reproduced"])
            yield _row("tau-b of the methods' ranking", f"Table {number}, {name}", "original",
                       "reproduced by the taxonomy", found.n, found.tau, found.p)  # fmt: skip
            if number == "1":
                continue
            for chunker in part["chunker"].unique():
                plain, late = (
                    arms.loc[(chunker, PRE_EMBEDDING)],
                    arms.loc[(chunker, CONTEXTUALIZED)],
                )
                yield from _gain(
                    f"Table 2, {chunker} on {name}, contextualized over plain",
                    ("original", plain["original"], late["original"]),
                    ("reproduced by the taxonomy", plain["reproduced"], late["reproduced"]),
                )


def _gains(
    printed: tuple[Table, Table], ours: tuple[Table, Table], work: str
) -> Iterator[dict[str, object]]:
    """Contextualized over plain chunking: each published model against each recorded one."""
    before, after = by_cell(printed[0]), by_cell(printed[1])
    ours_before, ours_after = by_cell(ours[0]), by_cell(ours[1])
    recorded = {model for model, _, _ in ours_before} & {model for model, _, _ in ours_after}
    for (model, method, column), plain in before.items():
        late = after.get((model, method, column))
        if method == "Avg" or column == AVERAGE or late is None:
            continue
        for other in sorted(recorded):
            for twin in TWINS.get(column, (column,)):
                key = (other, method, twin)
                if key in ours_before and key in ours_after:
                    where = column if twin == column else f"{column} against {twin}"
                    yield from _gain(
                        f"{work}, {method} on {where}, contextualized over plain",
                        (model, plain, late),
                        (other, ours_before[key], ours_after[key]),
                    )


def by_cell(table: Table) -> dict[tuple[str, str, str], float]:
    """Values by model, method and column."""
    return {
        (model, method, name): cell.value
        for (model, method), cells in table.rows.items()
        for name, cell in cells.items()
    }


def _gain(
    of: str, original: tuple[str, float, float], reproduced: tuple[str, float, float]
) -> Iterator[dict[str, object]]:
    pairs = (original[1], original[2]), (reproduced[1], reproduced[2])
    for name, value in (
        ("delta relative improvement", agreement.delta_relative_improvement(*pairs)),
        ("effect ratio", agreement.effect_ratio(*pairs)),
    ):
        yield _row(name, of, original[0], reproduced[0], "", value, np.nan)


def _combinations(cells: pd.DataFrame) -> tuple[Table, Table]:
    """Jina's combination table as two tables, plain and contextualized, as fractions."""
    cells = cells[(cells["work"] == "jina") & (cells["table"] == "combinations")]
    as_fractions = (cells["printed"].astype(float) / 100).map("{:.3f}".format)
    cells = cells.assign(printed=as_fractions, work="taxonomy", marks="")
    made = []
    for ordering in (PRE_EMBEDDING, CONTEXTUALIZED):
        arm = cells[cells["ordering"] == ordering].assign(table="3")
        made.append(published_table(arm, "3"))
        made[-1].columns = [name for name in made[-1].columns if name != AVERAGE]
    return made[0], made[1]


def _runs(library: Library) -> Iterator[dict[str, object]]:
    """Two runs of one condition, as published and corrected: topic by topic, and as a whole."""
    methods = {chunker for method in METHODS for chunker in method.chunkers}
    for one in library:
        if COLLECTIONS[one.collection] not in MEASURE or one.protocol == CORRECTED.name:
            continue
        if one.encoder == NONE or one.chunker not in methods:
            continue
        left, right = library.get(one), library.get(replace(one, protocol=CORRECTED.name))
        if left is None or right is None:
            continue
        measure = MEASURE[COLLECTIONS[one.collection]]
        both = pd.DataFrame({"a": left.wide[measure], "b": right.wide[measure]}).dropna()
        of = f"{measure} of {one.collection}/{one.chunker}/{one.encoder}/{one.ordering}"
        yield _row("RMSE per topic", of, one.protocol, CORRECTED.name, len(both),
                   agreement.rmse(both["a"], both["b"]), np.nan)  # fmt: skip
        found = statistics.equivalence(both["a"], both["b"], MARGIN)
        yield _row(f"difference of means, equivalent within {MARGIN}", of, one.protocol,
                   CORRECTED.name, found.n, found.mean, found.p)  # fmt: skip


def _means(library: Library, comparison: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Reproduced means against printed ones: equivalent within a point, as a number of p."""
    reproduced = comparison[
        comparison["statistic"].isin(["mean", "original"])
        & comparison["unit"].isin(["percent", "fraction"])
        & (comparison["state"] == "whole")
        & (comparison["verdict"] != "not_run")
    ]
    for cell in reproduced.to_dict("records"):
        record = library.get(parse(str(cell["run"])))
        if record is None or str(cell["measure"]) not in record.wide:
            continue
        scores = library.values(record, str(cell["measure"]), str(cell["part"])).dropna()
        scale = 100 if cell["unit"] == "percent" else 1
        printed = np.full(len(scores), float(str(cell["published"])) / scale)
        found = statistics.equivalence(scores, printed, MARGIN)
        table = str(cell["table"])
        yield _row(f"difference of means, equivalent within {MARGIN}",
                   f"{cell['work']} {table}, {cell['measure']} of {cell['run']}", "printed",
                   "record", found.n, found.mean, found.p)  # fmt: skip


def _row(
    measure: str, of: str, original: object, reproduced: object, n: object, value: float, p: float
) -> dict[str, object]:
    shown: Iterable[object] = (
        measure,
        of,
        LABELS.get(str(original), str(original)),
        reproduced,
        n,
        "" if np.isnan(value) else f"{value:.4f}",
        "" if np.isnan(p) else f"{p:.2g}",
    )
    return dict(zip(COLUMNS, shown, strict=True))
