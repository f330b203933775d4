"""How closely one set of results reproduces another, in the field's measures: rankings by tau-b,
gains by delta relative improvement and effect ratio, runs by RMSE per topic, means by equivalence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.taxonomy import (
    JINA,
    MARGIN,
    MEASURE,
    METHODS,
    PUBLISHED,
    RECORDS,
    TAXONOMY,
    UNCHUNKED,
    blocks,
    scores,
)
from chunkstudy.grid.conditions import NONE, parse
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.protocols import CORRECTED
from chunkstudy.published.sources import AVERAGE
from chunkstudy.statistics import agreement

TAU = "tau-b of the methods' ranking"
IMPROVEMENT, RATIO = "delta relative improvement", "effect ratio"
RMSE = "RMSE per topic"
EQUIVALENCE = f"difference of means, equivalent within {MARGIN}"
TWINS = {"gutenqa": ("gutenqa", "gutenqa-emma")}
"""A published column against that of Emma too, the one book of GutenQA that is public."""
FEWEST = 3
"""Methods in a ranking: two have no order worth a coefficient."""
COLUMNS = ["measure", "work", "table", "collection", "reproduced collection", "method", "original",
           "reproduced", "n", "value", "p"]  # fmt: skip
Row = dict[str, object]


def measures(
    library: Library,
    cells: pd.DataFrame,
    comparison: pd.DataFrame,
    made: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """A row per measure and pair of results; ``value`` and ``p`` as their measure defines them.

    ``original`` and ``reproduced`` name what is compared: a published encoder, whose number it is
    in Tables 1 and 2, a recorded ``encoder/protocol``, or a condition.

    Args:
        library: the records.
        cells: published cells.
        comparison: published cells beside reproduced ones; those reproduced are tested.
        made: the taxonomy's tables by name.
    """
    plain, late = made["taxonomy_table3"], made["taxonomy_table5"]
    rows = [
        *_rankings("3", plain),
        *_rankings("5", late),
        *_first_reproduction(made),
        *_gains("taxonomy", "3 and 5", plain, late),
        *_gains("jina", "combinations", *_combinations(library, cells)),
        *_runs(library),
        *_means(library, comparison),
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"n": "Int64", "value": float, "p": float})


def _rankings(number: str, table: pd.DataFrame) -> Iterator[Row]:
    """Every two published models, and every published model against every recorded one."""
    theirs, own = _columns(table, PUBLISHED), _columns(table, RECORDS)
    pairs = [*combinations(theirs, 2), *((one, two) for one in theirs for two in own)]
    every = theirs | own
    for one, two in pairs:
        for name, column in every[one].items():
            for twin in TWINS.get(str(name), (str(name),)):
                if twin not in every[two]:
                    continue
                both = pd.concat([column, every[two][twin]], axis=1, join="inner").dropna()
                if len(both) >= FEWEST:
                    found = agreement.kendall(both.iloc[:, 0], both.iloc[:, 1])
                    keys = ("taxonomy", number, name, twin, "", one, two)
                    yield _row(TAU, keys, found.tau, found.n, found.p)


def _columns(table: pd.DataFrame, source: str) -> dict[str, pd.DataFrame]:
    """Method by collection, of every model of a source; without what is no method."""
    rows = table[(table["source"] == source) & ~table["method"].isin([UNCHUNKED, AVERAGE])]
    return {
        name: block.pivot(index="method", columns="collection", values="value")
        for name, block in rows.groupby(_names(rows), sort=False)
    }


def _first_reproduction(made: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    """The taxonomy's own reproduction, its Tables 1 and 2."""
    for number in ("1", "2"):
        table = made[f"taxonomy_table{number}"]
        printed = table[table["source"] != RECORDS]
        for name, part in printed.groupby("collection", sort=False):
            arms = part.pivot(index=["method", "ordering"], columns="source", values="value")
            found = agreement.kendall(arms["original"], arms["reproduced"])
            whose = ("original", "reproduced")
            keys = ("taxonomy", number, name, name, "", *whose)
            yield _row(TAU, keys, found.tau, found.n, found.p)
            for method in part["method"].unique() if number == "2" else ():
                gains = arms.loc[method].loc[[PRE_EMBEDDING, CONTEXTUALIZED]]
                keys = ("taxonomy", number, name, name, method, *whose)
                yield from _gain(keys, *(tuple(gains[one]) for one in whose))


def _gains(work: str, number: str, plain: pd.DataFrame, late: pd.DataFrame) -> Iterator[Row]:
    """Contextualized over plain chunking: each published model against each recorded one."""
    recorded = _improvements(plain, late, RECORDS)
    for (model, method, name), original in _improvements(plain, late, PUBLISHED).items():
        for other in dict.fromkeys(model for model, _, _ in recorded):
            for twin in TWINS.get(name, (name,)):
                if (other, method, twin) in recorded:
                    keys = (work, number, name, twin, method, model, other)
                    yield from _gain(keys, original, recorded[other, method, twin])


def _improvements(
    plain: pd.DataFrame, late: pd.DataFrame, source: str
) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Score before and after, by model, method and collection; no averages."""
    arms = []
    for table in (plain, late):
        rows = table[(table["source"] == source) & (table["method"] != AVERAGE)]
        rows = rows[rows["collection"] != AVERAGE]
        arms.append(rows.set_index([_names(rows), "method", "collection"])["value"])
    both = pd.concat(arms, axis=1, join="inner")
    return {key: (before, after) for key, before, after in both.itertuples(name=None)}


def _combinations(library: Library, cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Jina's combination table, published and recorded under its protocol: plain and late."""
    own = cells[(cells["work"] == "jina") & (cells["table"] == "combinations")]
    printed = own.assign(
        source=PUBLISHED, protocol=JINA, method=own["chunker"], value=own["value"] / 100
    )
    layout = replace(TAXONOMY, protocols=(JINA,))
    recorded = blocks(library, layout)
    plain, late = (
        pd.concat([printed[printed["ordering"] == one], scores(recorded, layout, late)])
        for late, one in enumerate((PRE_EMBEDDING, CONTEXTUALIZED))
    )
    return plain, late


def _runs(library: Library) -> Iterator[Row]:
    """Two runs of one condition, as published and corrected: topic by topic, and as a whole."""
    methods = {chunker for chunkers in METHODS.values() for chunker in chunkers}
    for one in library:
        if one.task not in MEASURE or one.protocol == CORRECTED.name:
            continue
        if one.encoder == NONE or one.chunker not in methods:
            continue
        other = replace(one, protocol=CORRECTED.name)
        left, right = library.get(one), library.get(other)
        if left is None or right is None:
            continue
        measure = MEASURE[one.task]
        both = pd.concat([left.wide[measure], right.wide[measure]], axis=1, join="inner").dropna()
        first, second = both.iloc[:, 0], both.iloc[:, 1]
        keys = ("", "", one.collection, one.collection, one.chunker, str(one), str(other))
        yield _row(RMSE, keys, agreement.rmse(first, second), len(both))
        found = statistics.equivalence(first, second, MARGIN)
        yield _row(EQUIVALENCE, keys, found.mean, found.n, found.p)


def _means(library: Library, comparison: pd.DataFrame) -> Iterator[Row]:
    """Reproduced means less published ones: equivalent within a point, as a number of p."""
    reproduced = comparison[
        comparison["statistic"].isin(["mean", "original"])
        & comparison["unit"].isin(["percent", "fraction"])
        & (comparison["state"] == "whole")
        & (comparison["verdict"] != "not_run")
    ]
    for cell in reproduced.to_dict("records"):
        condition = parse(cell["run"])
        record = library.get(condition)
        if record is None or cell["measure"] not in record.wide:
            continue
        values = library.values(record, cell["measure"], cell["part"]).dropna()
        published = np.full(len(values), cell["value"] / (100 if cell["unit"] == "percent" else 1))
        found = statistics.equivalence(values, published, MARGIN)
        name = cell["collection"]
        of = f"{cell['part']}, {cell['measure']}"
        keys = (cell["work"], cell["table"], name, condition.collection, condition.chunker,
                f"{PUBLISHED}: {of}", cell["run"])  # fmt: skip
        yield _row(EQUIVALENCE, keys, found.mean, found.n, found.p)


def _names(rows: pd.DataFrame) -> pd.Series:
    """A published row's encoder, a recorded row's encoder and protocol."""
    recorded = rows["encoder"] + "/" + rows["protocol"]
    return rows["encoder"].where(rows["source"] == PUBLISHED, recorded)


def _gain(
    keys: tuple[object, ...], original: tuple[float, float], reproduced: tuple[float, float]
) -> Iterator[Row]:
    delta = agreement.delta_relative_improvement(original, reproduced)
    yield _row(IMPROVEMENT, keys, delta)
    yield _row(RATIO, keys, agreement.effect_ratio(original, reproduced))


def _row(
    measure: str, keys: tuple[object, ...], value: float, n: object = pd.NA, p: float = np.nan
) -> Row:
    return dict(zip(COLUMNS, (measure, *keys, n, value, p), strict=True))
