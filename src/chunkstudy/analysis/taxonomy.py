"""The taxonomy's Tables 1 to 5, published cells and recorded ones in one frame each.

A row is a cell. Tables 3 and 5 are means under either ordering, marked as the paper marks them:
bold the best of a column, underlined the worst, a where a method differs significantly from the
best (paired t-test, p < 0.05, uncorrected), b where it differs from the worst. Table 4 is the
relative change from Table 3 to Table 5, with a star where it is significant. Tables 1 and 2 are the
paper's own reproduction of LumberChunker and of Jina.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.analysis.recorded import (
    BUILTIN,
    IELAB,
    IN_DOCUMENT,
    REPRODUCED,
    TAXONOMY,
    UNCHUNKED,
    Block,
    Layout,
    blocks,
)
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.published.sources import AVERAGE, IN_CORPUS

ALPHA = 0.05
PUBLISHED, RECORDS = "published", "records"
COLUMNS = [
    "source", "encoder", "protocol", "ordering", "collection", "method", "chunker", "n", "value",
    "best", "worst", "marks",
]  # fmt: skip
ROWS = ["source", "encoder", "protocol"]
"""What tells one block of a table's rows from another."""
COLUMN = ["encoder", "protocol", "collection"]
"""What tells one column of a block from another."""
CELL = [*COLUMN, "method"]


def tables(library: Library, cells: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The five tables, those of the built-in collection, and every test behind a mark.

    Args:
        library: the records.
        cells: published cells.

    Returns:
        ``taxonomy_table1`` to ``5`` and ``taxonomy_builtin_table3`` to ``5`` with ``COLUMNS``,
        values as fractions; ``taxonomy_tests`` and ``taxonomy_superscripts``.
    """
    made = {}
    for number, layout in REPRODUCED.items():
        recorded = blocks(library, layout)
        arms = (False, True) if number == "2" else (False,)
        own = (scores(recorded, late) for late in arms)
        made[f"taxonomy_table{number}"] = _joined(published(cells, number), *own)
    tests = []
    for name, layout in (("taxonomy", TAXONOMY), ("taxonomy_builtin", BUILTIN)):
        recorded = blocks(library, layout)
        for number in ("3", "4", "5"):
            table = f"{name}_table{number}"
            marked, tested = with_marks(recorded, layout, table)
            printed = published(cells, number) if layout is TAXONOMY else marked.iloc[:0]
            made[table] = _joined(printed, marked)
            tests.append(tested)
    made["taxonomy_superscripts"] = superscripts(made, _joined(*tests))
    made["taxonomy_tests"] = _joined(*tests)
    return made


def published(cells: pd.DataFrame, number: str) -> pd.DataFrame:
    """A table as printed, in fractions; in Tables 1 and 2 the source says whose number it is."""
    own = cells[(cells["work"] == "taxonomy") & (cells["table"] == number)]
    rows = own[["encoder", "ordering", "collection", "chunker"]].assign(
        source=own["statistic"] if number in REPRODUCED else PUBLISHED,
        protocol=IELAB,
        method=own["chunker"],
        n=own["collection"].map({AVERAGE: len(IN_CORPUS)}),
        value=own["value"] / own["unit"].map({"percent": 100, "fraction": 1}),
        best=own["marks"].str.contains("bold"),
        worst=own["marks"].str.contains("underline"),
        marks=own["marks"].str.replace(r"bold|underline|\+", "", regex=True),
    )
    if number in REPRODUCED:
        rows.loc[rows["source"] == "original", "protocol"] = REPRODUCED[number].protocols[0]
    return rows[COLUMNS].reset_index(drop=True).astype({"n": "Int64"})


def scores(recorded: Sequence[Block], late: bool) -> pd.DataFrame:
    """Means under one ordering, without marks or averages."""
    rows = [
        (RECORDS, block.encoder, block.protocol, ordering, name, method, values.name, len(values),
         float(values.mean()), False, False, "")
        for block in recorded
        for ordering, arm in (block.arm(late),)
        for (method, name), values in arm.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS).astype({"n": "Int64", "value": float})


def with_marks(
    recorded: Sequence[Block], layout: Layout, table: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 3, 4 or 5 of records with marks and averages, and the tests behind the marks.

    Holm's correction is within the tests of one encoder under one protocol on either task.
    """
    number = table[-1]
    own = scores(recorded, late=number != "3")
    compare = _with_plain if number == "4" else _with_best_and_worst
    pairs = [one for block in recorded for one in compare(block, table)]
    tests = differences(pairs, _family, "first", "second")
    if tests.empty:
        return own, tests
    if number == "4":
        both = tests[[*CELL, "n", "first", "second"]]
        own = own.drop(columns=["n", "value"]).merge(both, on=CELL)
        own["value"] = own["first"] / own["second"].where(own["second"] != 0) - 1
    else:
        columns = own.groupby(COLUMN)["value"]
        several = columns.transform("size") > 1
        own["best"] = several & (own["value"] == columns.transform("max"))
        own["worst"] = several & (own["value"] == columns.transform("min"))
    own["marks"] = _letters(own, tests)
    return with_averages(own[COLUMNS], layout, ranked=number != "4"), tests


def with_averages(own: pd.DataFrame, layout: Layout, ranked: bool) -> pd.DataFrame:
    """The rows with each method's average, and the average over methods, in the paper's places.

    An average over collections is over the in-corpus ones that every compared method has, two at
    least. The methods are those with an in-corpus record at all; over them a collection has an
    average where each has a record. No chunking is no method. ``n`` then counts what was averaged.
    """
    places = {name: at for at, name in enumerate([*layout.methods, AVERAGE])}
    made = []
    for keys, block in own.groupby([*ROWS, "ordering"], sort=False):
        named: dict[str, Any] = dict(zip([*ROWS, "ordering"], keys, strict=True))
        wide = block.pivot(index="method", columns="collection", values="value")
        compared = wide.drop(index=UNCHUNKED, errors="ignore")
        inside = [name for name in wide if name not in IN_DOCUMENT]
        counted = compared[compared[inside].notna().any(axis=1)]
        whole = [name for name in inside if len(counted) and counted[name].notna().all()]
        added: list[tuple[object, ...]] = []
        if len(whole) > 1:
            means = wide[whole].mean(axis=1, skipna=False).dropna()
            wide[AVERAGE] = means
            ends = (means.max(), means.min()) if ranked else (None, None)
            added += [
                (method, AVERAGE, len(whole), value, value == ends[0], value == ends[1])
                for method, value in means.items()
            ]
        for name in wide:
            needed = compared if name in IN_DOCUMENT else counted
            values = wide.loc[needed.index][name]
            if len(values) and values.notna().all():
                added.append((AVERAGE, name, len(values), float(values.mean()), False, False))
        averages = pd.DataFrame(
            added, columns=["method", "collection", "n", "value", "best", "worst"]
        ).assign(chunker="", marks="", **named)
        both = _joined(block, averages[COLUMNS])
        made.append(both.sort_values("method", key=lambda names: names.map(places), kind="stable"))
    return _joined(own.iloc[:0], *made)


def superscripts(made: Mapping[str, pd.DataFrame], tests: pd.DataFrame) -> pd.DataFrame:
    """How many marks each table bears, and how many of the recorded ones Holm leaves."""
    rows = []
    for name, table in made.items():
        if name[-1] in REPRODUCED:
            continue
        for keys, block in table.groupby(ROWS, sort=False):
            row: dict[str, object] = {"table": name} | dict(zip(ROWS, keys, strict=True))
            row |= {mark: sum(mark in marks for marks in block["marks"]) for mark in "ab*"}
            rows.append(row)
    marks = pd.DataFrame(rows)
    if len(tests):
        sure = {name: tests[name] < ALPHA for name in ("p", "p_holm", "p_equivalent_holm")}
        own = tests.assign(**sure).groupby(["table", "encoder", "protocol"])
        counts = own[["p", "p_holm", "p_equivalent_holm"]].sum().assign(tests=own.size())
        counts = counts.rename(
            columns={
                "p": "significant",
                "p_holm": "significant after Holm",
                "p_equivalent_holm": "equivalent within a point",
            }
        ).reset_index()
        marks = marks.merge(counts.assign(source=RECORDS), how="left")
    return marks.astype(dict.fromkeys(marks.columns.drop(["table", *ROWS]), "Int64"))


def _with_best_and_worst(block: Block, table: str) -> Iterator[Pair]:
    """Each method of a column against its best and its worst, every two methods once."""
    ordering, arm = block.arm(late=table.endswith("5"))
    for name in dict.fromkeys(name for _, name in arm):
        column = {method: values for (method, one), values in arm.items() if one == name}
        best = max(column, key=lambda method: column[method].mean())
        worst = min(column, key=lambda method: column[method].mean())
        for method, values in column.items():
            for against, other in (("best", best), ("worst", worst)):
                if method != other and (method, against) != (best, "worst"):
                    keys = _keys(block, table, ordering, (method, name))
                    yield Pair(keys | {"against": against, "other": other}, values, column[other])


def _with_plain(block: Block, table: str) -> Iterator[Pair]:
    for key, values in block.late.items():
        if key in block.plain:
            keys = _keys(block, table, block.ordering, key)
            named = keys | {"against": PRE_EMBEDDING, "other": key[0]}
            yield Pair(named, values, block.plain[key])


def _keys(block: Block, table: str, ordering: str, key: tuple[str, str]) -> dict[str, object]:
    return {"table": table, "encoder": block.encoder, "protocol": block.protocol,
            "ordering": ordering, "collection": key[1], "method": key[0]}  # fmt: skip


def _family(keys: Mapping[str, object]) -> str:
    task = "in-document" if keys["collection"] in IN_DOCUMENT else "in-corpus"
    return f"{keys['table']}, {task}, {keys['encoder']}, {keys['protocol']}"


def _letters(own: pd.DataFrame, tests: pd.DataFrame) -> pd.Series:
    """Each cell's superscripts; the best differs from the worst where the worst's test says so."""
    sure = tests[tests["p"] < ALPHA]
    letter = sure["against"].map({"best": "a", "worst": "b", PRE_EMBEDDING: "*"})
    found = letter.groupby([sure[name] for name in CELL]).agg("".join).rename("letters")
    marks = own[CELL].join(found, on=CELL)["letters"].fillna("")
    apart = (own["worst"] & marks.str.contains("a")).groupby([own[name] for name in COLUMN])
    return marks.where(~(own["best"] & apart.transform("any")), "b")


def _joined(*frames: pd.DataFrame) -> pd.DataFrame:
    """Frames one below the other; empty ones would spoil the types of columns."""
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else frames[0]
