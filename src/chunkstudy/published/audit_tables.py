"""Printed tables of Jina and of the taxonomy against each other.

What a check allows is what rounding of the printed digits explains.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from chunkstudy.published.audit_check import (
    AVERAGE,
    DATASETS,
    IN_CORPUS,
    KEYS,
    SMALL,
    Check,
    Printed,
    compare,
    lines,
    named,
    of,
    stacked,
)

LABEL_EVERY = 6
"""Table 4 prints a model's name every six rows, though a model has six methods and an average."""


def table_checks(printed: Printed) -> list[Check]:
    """Every check of tables against tables."""
    return [
        *_means(printed),
        *_relative_changes(printed),
        *_averages_of_changes(printed),
        *_cells_in_two_places(printed),
        _rows_printed_twice(printed),
    ]


def _means(printed: Printed) -> list[Check]:
    found = []
    for number in ("3", "5"):
        where = printed.where(("taxonomy", number))
        methods = printed.methods(number)
        found.append(
            compare(
                f"Table {number}: a row's Avg is the mean of its six in-corpus scores",
                where,
                methods[IN_CORPUS].mean(axis=1),
                methods[AVERAGE],
                0.0001,  # half a digit of the mean of rounded scores, and half of its own
            )
        )
        found.append(
            compare(
                f"Table {number}: a model's Avg row is the mean of its six methods",
                where,
                stacked(methods.groupby("encoder").mean()),
                stacked(printed.averages(number)),
                0.0001,
            )
        )
    return found


def change(printed: Printed) -> pd.DataFrame:
    """Percentage by which Table 5 differs from Table 3, by (encoder, chunker)."""
    return 100 * (printed.table("5") / printed.table("3") - 1)


def change_bound(printed: Printed) -> pd.DataFrame:
    """How far rounding to four decimals can move that percentage, and its own two decimals."""
    before, after = printed.table("3"), printed.table("5")
    return 100 * 0.00005 * (1 + after / before) / (before - 0.00005) + 0.005


def as_labelled(printed: Printed) -> pd.Series:
    """Table 4's model of each method row as its printed labels say, by line."""
    cells = printed.of("taxonomy", "4")
    rows = cells.drop_duplicates("at").sort_values("at")
    order = list(dict.fromkeys(rows["encoder"]))
    labels = [
        order[i // LABEL_EVERY] if i // LABEL_EVERY < len(order) else "" for i in range(len(rows))
    ]
    return pd.Series(labels, index=rows["at"].to_numpy())


def _relative_changes(printed: Printed) -> list[Check]:
    where = printed.where(("taxonomy", "4"), ("taxonomy", "3"), ("taxonomy", "5"))
    expected, bound = stacked(change(printed)[DATASETS]), stacked(change_bound(printed)[DATASETS])
    methods = stacked(printed.methods("4")[DATASETS])
    by_position = compare(
        "Table 4 is the change from Table 3 to Table 5, seven rows a model by position",
        where,
        expected.reindex(methods.index),
        methods,
        bound.reindex(methods.index),
        "percent",
    )
    cells = printed.of("taxonomy", "4")
    cells = cells[cells["collection"].isin(DATASETS) & (cells["chunker"] != AVERAGE)]
    labels = cells["at"].map(as_labelled(printed))
    relabelled = cells.assign(encoder=labels)[(labels != cells["encoder"]) & (labels != "")]
    moved = relabelled.set_index([*KEYS, "collection"])["value"]
    by_label = compare(
        "Table 4, rows whose printed model is not the one of their position: the same by label",
        where,
        expected.reindex(moved.index),
        moved,
        bound.reindex(moved.index),
        "percent",
    )
    unchanged = compare(
        "Table 5 repeats Table 3 for paragraphs, most documents being a single one",
        printed.where(("taxonomy", "3"), ("taxonomy", "5")),
        stacked(of(printed.table("3"), "paragraph")[IN_CORPUS]),
        stacked(of(printed.table("5"), "paragraph")[IN_CORPUS]),
        0.0,
    )
    return [by_position, by_label, unchanged]


def _averages_of_changes(printed: Printed) -> list[Check]:
    where = printed.where(("taxonomy", "4"))
    methods, averages = printed.methods("4"), printed.averages("4")
    of_averages = change(printed)
    rows = of_averages[AVERAGE].reindex(methods.index)
    columns = stacked(of(of_averages, AVERAGE)[DATASETS])
    # half a digit of the mean of rounded percentages, and half of its own
    within = 0.01
    bound = change_bound(printed)
    return [
        compare("Table 4: a row's Avg is the mean of its six in-corpus percentages", where,
                methods[IN_CORPUS].mean(axis=1), methods[AVERAGE], within, "percent"),
        compare("Table 4: a row's Avg is the percentage between the averages of Tables 3 and 5",
                where, rows, methods[AVERAGE], bound[AVERAGE].reindex(rows.index), "percent"),
        compare("Table 4: a model's Avg row is the mean of its six methods' percentages", where,
                stacked(methods.groupby("encoder").mean()), stacked(averages), within, "percent"),
        compare("Table 4: a model's Avg row is the percentage between the Avg rows of Tables 3 "
                "and 5", where, columns, stacked(averages[DATASETS]),
                stacked(of(bound, AVERAGE)[DATASETS]), "percent"),
    ]  # fmt: skip


def _cells_in_two_places(printed: Printed) -> list[Check]:
    keys = ["collection", "chunker", "ordering"]
    beir, combinations_ = printed.of("jina", "beir"), printed.of("jina", "combinations")
    small = combinations_[combinations_["encoder"] == SMALL].set_index(keys)
    first = beir[(beir["chunker"] == "fixed-256") & (beir["collection"] != "quora")]
    second = printed.of("taxonomy", "2", "original").set_index(keys)
    again = printed.of("taxonomy", "2", "reproduced").set_index(keys)
    grid = pd.concat([printed.of("taxonomy", number) for number in ("3", "5")])
    grid = grid[grid["encoder"] == SMALL].set_index(keys)
    there = grid.index.isin(again.index)
    return [
        compare("Jina's blog of 2024 and its later one print the same scores",
                printed.where(("jina", "beir"), ("jina", "combinations")),
                first.set_index(keys)["value"], small["value"], 0.05, "percent"),
        compare("Table 2's originals are Jina's printed scores",
                printed.where(("taxonomy", "2"), ("jina", "combinations")),
                small["value"] / 100, second["value"], 0.001),
        compare("Table 2's reproduced scores are those of Jina-v2 in Tables 3 and 5",
                printed.where(("taxonomy", "2"), ("taxonomy", "3"), ("taxonomy", "5")),
                grid.loc[there, "value"], again["value"], 0.00055),
    ]  # fmt: skip


def _rows_printed_twice(printed: Printed) -> Check:
    """Rows of the combination table with other boundaries: how many repeat each other's scores."""
    cells = printed.of("jina", "combinations")
    rows = cells.pivot(
        index=["encoder", "ordering", "chunker"], columns="collection", values="value"
    )
    pairs = [
        (one, other)
        for one, other in combinations(rows.index, 2)
        if one[:2] == other[:2] and one[2] != other[2]
    ]
    same = pd.Series({pair: int((rows.loc[pair[0]] == rows.loc[pair[1]]).sum()) for pair in pairs})
    all_but_one = [
        f"{named(one)} = {named(other[2])} in {same[one, other]} of {rows.shape[1]}"
        for one, other in pairs
        if same[one, other] >= rows.shape[1] - 1
    ]
    return Check(
        "No two chunkers of a model and ordering print (nearly) the same row",
        lines(cells),
        "none",
        "; ".join(all_but_one),
        float("nan"),
        "rows",
        len(pairs),
        len(all_but_one),
    )
