"""How closely one set of results reproduces another, in the field's measures: rankings by tau-b,
gains by delta relative improvement and effect ratio, runs by RMSE per topic, means by difference.

A published mean and ours are over the same queries, so that their difference is known as it stands:
a test over queries would ask of others, and pass or fail by their number. What re-running the
published stack moves is measured, not sampled (``chroma_bias``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.recorded import (
    JINA,
    MEASURE,
    METHODS,
    OWN,
    TAXONOMY,
    UNCHUNKED,
    blocks,
)
from chunkstudy.analysis.taxonomy import PUBLISHED, RECORDS, scores
from chunkstudy.grid.conditions import NONE, parse
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.published.sources import AVERAGE
from chunkstudy.statistics import agreement

TAU = "tau-b of the methods' ranking"
IMPROVEMENT, RATIO = "delta relative improvement", "effect ratio"
RMSE = "RMSE per topic"
DIFFERENCE = "difference of means"
TWINS = {"gutenqa": ("gutenqa", "gutenqa-emma")}
"""A published column against that of Emma too, the one book of GutenQA that is public."""
FEWEST = 3
"""Methods in a ranking: two have no order worth a coefficient."""
ONE_CONDITION = re.compile(r"[^*/]+(/[^*/]+){4}")
"""A run in the comparison that is no pattern of several conditions, and no study."""
COLUMNS = ["measure", "work", "table", "collection", "reproduced collection", "chunker", "run",
           "original", "reproduced", "protocol", "n", "value", "p"]  # fmt: skip
NAMELESS = dict.fromkeys(COLUMNS[1:-3], "")
Row = dict[str, object]
Model = tuple[str, str]
"""An encoder and, where it is a recorded one, its protocol."""


def measures(
    library: Library,
    cells: pd.DataFrame,
    comparison: pd.DataFrame,
    taxonomy: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """A row per measure and pair of results; ``value`` and ``p`` as their measure defines them.

    ``original`` and ``reproduced`` are the encoders compared, the second under ``protocol`` where
    it was recorded; in Tables 1 and 2 whose number it is; the protocols of ``run``; or
    ``published`` and ``records``.

    Args:
        library: the records.
        cells: published cells.
        comparison: published cells beside reproduced ones; those reproduced are tested.
        taxonomy: the taxonomy's tables by name.
    """
    plain, late = taxonomy["taxonomy_table3"], taxonomy["taxonomy_table5"]
    rows = [
        *_rankings("3", plain),
        *_rankings("5", late),
        *_first_reproduction(taxonomy),
        *_gains("taxonomy", "3 and 5", plain, late),
        *_gains("jina", "combinations", *_combinations(library, cells)),
        *_runs(library),
        *_means(library, comparison),
    ]
    made = pd.DataFrame([NAMELESS | row for row in rows], columns=COLUMNS)
    return made.astype({"n": "Int64", "value": float, "p": float})


def _rankings(number: str, table: pd.DataFrame) -> Iterator[Row]:
    """Every two published models, and every published model against every recorded one."""
    theirs, own = _columns(table, PUBLISHED), _columns(table, RECORDS)
    every = theirs | own
    for one, two in [*combinations(theirs, 2), *((one, two) for one in theirs for two in own)]:
        for name, column in every[one].items():
            for twin in TWINS.get(str(name), (str(name),)):
                if twin not in every[two]:
                    continue
                both = pd.concat([column, every[two][twin]], axis=1, join="inner").dropna()
                if len(both) >= FEWEST:
                    keys = {"work": "taxonomy", "table": number, "collection": name,
                            "reproduced collection": twin} | _models(one, two)  # fmt: skip
                    yield keys | _tau(both.iloc[:, 0], both.iloc[:, 1])


def _columns(table: pd.DataFrame, source: str) -> dict[Model, pd.DataFrame]:
    """Method by collection, of every model of a source; without what is no method."""
    rows = table[(table["source"] == source) & ~table["method"].isin([UNCHUNKED, AVERAGE])]
    return {
        _model(source, keys): block.pivot(index="method", columns="collection", values="value")
        for keys, block in rows.groupby(["encoder", "protocol"], sort=False)
    }


def _first_reproduction(taxonomy: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    """The taxonomy's own reproduction, its Tables 1 and 2."""
    whose = ["original", "reproduced"]
    for number in ("1", "2"):
        table = taxonomy[f"taxonomy_table{number}"]
        printed = table[table["source"] != RECORDS]
        for name, part in printed.groupby("collection", sort=False):
            arms = part.pivot(index=["method", "ordering"], columns="source", values="value")
            keys = {"work": "taxonomy", "table": number, "collection": name,
                    "reproduced collection": name, **{one: one for one in whose}}  # fmt: skip
            yield keys | _tau(arms["original"], arms["reproduced"])
            for method in part["method"].unique() if number == "2" else ():
                pair = arms.loc[method].loc[[PRE_EMBEDDING, CONTEXTUALIZED], whose]
                yield from _gain(keys | {"chunker": method}, *map(tuple, pair.to_numpy().T))


def _gains(work: str, number: str, plain: pd.DataFrame, late: pd.DataFrame) -> Iterator[Row]:
    """Contextualized over plain chunking: each published model against each recorded one."""
    recorded = _improvements(plain, late, RECORDS)
    for (model, method, name), original in _improvements(plain, late, PUBLISHED).items():
        for other in dict.fromkeys(model for model, _, _ in recorded):
            for twin in TWINS.get(name, (name,)):
                if (other, method, twin) in recorded:
                    keys = {"work": work, "table": number, "collection": name,
                            "reproduced collection": twin, "chunker": method}  # fmt: skip
                    models = _models(model, other)
                    yield from _gain(keys | models, original, recorded[other, method, twin])


def _improvements(
    plain: pd.DataFrame, late: pd.DataFrame, source: str
) -> dict[tuple[Model, str, str], tuple[float, float]]:
    """Score before and after, by model, method and collection; no averages."""
    keys = ["encoder", "protocol", "method", "collection"]
    arms = []
    for table in (plain, late):
        rows = table[(table["source"] == source) & (table["method"] != AVERAGE)]
        arms.append(rows[rows["collection"] != AVERAGE].set_index(keys)["value"])
    both = pd.concat(arms, axis=1, join="inner")
    return {
        (_model(source, key[:2]), *key[2:]): (before, after)
        for key, before, after in both.itertuples(name=None)
    }


def _combinations(library: Library, cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Jina's combination table, published and recorded under its protocol: plain and late."""
    own = cells[(cells["work"] == "jina") & (cells["table"] == "combinations")]
    printed = own.assign(
        source=PUBLISHED, protocol=JINA, method=own["chunker"], value=own["value"] / 100
    )
    layout = replace(TAXONOMY, protocols=(JINA,))
    recorded = blocks(library, layout)
    plain, late = (
        pd.concat([printed[printed["ordering"] == one], scores(recorded, bool(late))])
        for late, one in enumerate((PRE_EMBEDDING, CONTEXTUALIZED))
    )
    return plain, late


def _runs(library: Library) -> Iterator[Row]:
    """Two runs of one condition, as published and corrected: topic by topic, and as a whole."""
    methods = {chunker for chunkers in METHODS.values() for chunker in chunkers}
    for one in library:
        if one.task not in MEASURE or one.protocol == OWN:
            continue
        if one.encoder == NONE or one.chunker not in methods:
            continue
        other = replace(one, protocol=OWN)
        left, right = library.get(one), library.get(other)
        if left is None or right is None:
            continue
        measure = MEASURE[one.task]
        both = pd.concat([left.wide[measure], right.wide[measure]], axis=1, join="inner").dropna()
        first, second = both.iloc[:, 0], both.iloc[:, 1]
        keys = {"collection": one.collection, "reproduced collection": one.collection,
                "chunker": one.chunker, "run": str(one), "original": one.protocol,
                "reproduced": OWN}  # fmt: skip
        yield keys | {"measure": RMSE, "n": len(both), "value": agreement.rmse(first, second)}
        change = statistics.mean(first) - statistics.mean(second)
        yield keys | {"measure": DIFFERENCE, "n": len(both), "value": change}


def _means(library: Library, comparison: pd.DataFrame) -> Iterator[Row]:
    """Reproduced means less published ones, of cells that one condition gives."""
    reproduced = comparison[
        comparison["statistic"].isin(["mean", "original"])
        & comparison["unit"].isin(["percent", "fraction"])
        & (comparison["verdict"] != "not_run")
    ]
    for cell in reproduced.to_dict("records"):
        if not ONE_CONDITION.fullmatch(cell["run"]):
            continue
        condition = parse(cell["run"])
        record = library.get(condition)
        if record is None or cell["measure"] not in record.wide:
            continue
        values = library.values(record, cell["measure"], cell["part"]).dropna()
        published = cell["value"] / (100 if cell["unit"] == "percent" else 1)
        keys = {"work": cell["work"], "table": cell["table"], "collection": cell["collection"],
                "reproduced collection": condition.collection, "chunker": condition.chunker,
                "run": cell["run"], "original": PUBLISHED, "reproduced": RECORDS}  # fmt: skip
        change = statistics.mean(values) - published
        yield keys | {"measure": DIFFERENCE, "n": len(values), "value": change}


def _model(source: str, keys: Sequence[object]) -> Model:
    return (str(keys[0]), str(keys[1]) if source == RECORDS else "")


def _models(one: Model, two: Model) -> Row:
    return {"original": one[0], "reproduced": two[0], "protocol": two[1]}


def _tau(first: pd.Series, second: pd.Series) -> Row:
    found = agreement.kendall(first, second)
    return {"measure": TAU, "n": found.n, "value": found.tau, "p": found.p}


def _gain(
    keys: Row, original: tuple[float, float], reproduced: tuple[float, float]
) -> Iterator[Row]:
    delta = agreement.delta_relative_improvement(original, reproduced)
    yield keys | {"measure": IMPROVEMENT, "value": delta}
    yield keys | {"measure": RATIO, "value": agreement.effect_ratio(original, reproduced)}
