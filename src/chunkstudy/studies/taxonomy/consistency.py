"""Whether published tables agree with each other: averages, changes, marks, cells printed twice.

What a check allows is what rounding of the printed digits explains; that all these hold also
proves that the tables were read right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from chunkstudy.studies.taxonomy import printed_twice
from chunkstudy.studies.taxonomy.checks import (
    AVERAGE,
    COLUMNS,
    DATASETS,
    IN_CORPUS,
    KEYS,
    SCORES,
    Check,
    Tables,
    column,
    compare,
    of,
    stacked,
    without_numbers,
)

LABEL_EVERY = 6
"""Table 4 prints a model's name every six rows, though a model has six methods and an average."""


def consistency(cells: pd.DataFrame) -> pd.DataFrame:
    """Every check and its outcome, a row each with the columns `COLUMNS`.

    Args:
        cells: published cells, as `cells.frame` gives them.
    """
    rows = [vars(one) | {"verdict": one.verdict} for one in every_check(Tables(cells))]
    return pd.DataFrame(rows, columns=COLUMNS)


def every_check(tables: Tables) -> list[Check]:
    """Averages, changes, cells that stand in two places, repeated rows, and marks."""
    return [
        *_means(tables),
        *_changes(tables),
        *_averages_of_changes(tables),
        *printed_twice.in_the_papers(tables),
        *printed_twice.in_the_repository(tables),
        *_marks(tables),
    ]


def change(tables: Tables) -> pd.DataFrame:
    """Percentage by which Table 5 differs from Table 3, by (encoder, chunker)."""
    return 100 * (tables.table("5") / tables.table("3") - 1)


def change_bound(tables: Tables) -> pd.DataFrame:
    """How far rounding to four decimals can move that percentage, and its own two decimals."""
    before, after = tables.table("3"), tables.table("5")
    return 100 * 0.00005 * (1 + after / before) / (before - 0.00005) + 0.005


def _means(tables: Tables) -> Iterator[Check]:
    for number in SCORES:
        where = tables.where(("taxonomy", number))
        methods, cells = tables.methods(number), tables.by_key(number)
        within = 0.0001  # half a digit of the mean of rounded scores, and half of its own
        yield compare(f"Table {number}: a row's Avg is the mean of its six in-corpus scores", where,
                      methods[IN_CORPUS].mean(axis=1), column(cells, AVERAGE),
                      within)  # fmt: skip
        yield compare(f"Table {number}: a model's Avg row is the mean of its six methods", where,
                      stacked(methods.groupby("encoder").mean()), of(cells, AVERAGE),
                      within)  # fmt: skip


def _changes(tables: Tables) -> Iterator[Check]:
    where = tables.where(("taxonomy", "4"), ("taxonomy", "3"), ("taxonomy", "5"))
    expected, bound = stacked(change(tables)[DATASETS]), stacked(change_bound(tables)[DATASETS])
    methods = stacked(tables.methods("4")[DATASETS]).index
    yield compare("Table 4 is the change from Table 3 to Table 5, seven rows a model by position",
                  where, expected[methods], tables.by_key("4"), bound[methods],
                  "percent")  # fmt: skip
    moved = _relabelled(tables)
    yield compare("Table 4, rows whose printed model is not the one of their position: the same by "
                  "label", where, expected[moved.index], moved, bound[moved.index],
                  "percent")  # fmt: skip
    yield compare("Table 5 repeats Table 3 for paragraphs, most documents being a single one",
                  tables.where(("taxonomy", "3"), ("taxonomy", "5")),
                  stacked(of(tables.table("3"), "paragraph")[IN_CORPUS]),
                  of(tables.by_key("5"), "paragraph"), 0.0)  # fmt: skip


def _relabelled(tables: Tables) -> pd.DataFrame:
    """Table 4's cells whose printed model is not that of their position, under the printed one."""
    cells = tables.of("taxonomy", "4")
    rows = cells[KEYS].drop_duplicates()
    order = rows["encoder"].unique()
    labels = {
        key: order[row // LABEL_EVERY]
        for row, key in enumerate(rows.itertuples(index=False, name=None))
        if row // LABEL_EVERY < len(order)
    }
    cells = cells[cells["collection"].isin(DATASETS) & (cells["chunker"] != AVERAGE)]
    printed = pd.Series(
        [labels.get(key, key[0]) for key in cells[KEYS].itertuples(index=False, name=None)],
        index=cells.index,
    )
    moved = cells.assign(encoder=printed)[printed != cells["encoder"]]
    return moved.set_index([*KEYS, "collection"])[["value", "place"]]


def _averages_of_changes(tables: Tables) -> list[Check]:
    where = tables.where(("taxonomy", "4"))
    methods, cells = tables.methods("4"), tables.by_key("4")
    rows, columns = column(cells, AVERAGE), of(cells, AVERAGE)
    changed, bound = change(tables), change_bound(tables)
    by_column = stacked(of(changed, AVERAGE)[DATASETS])
    within = 0.01  # half a digit of the mean of rounded percentages, and half of its own
    return [
        compare("Table 4: a row's Avg is the mean of its six in-corpus percentages", where,
                methods[IN_CORPUS].mean(axis=1), rows, within, "percent"),
        compare("Table 4: a row's Avg is the percentage between the averages of Tables 3 and 5",
                where, changed.loc[methods.index, AVERAGE], rows,
                bound.loc[methods.index, AVERAGE], "percent"),
        compare("Table 4: a model's Avg row is the mean of its six methods' percentages", where,
                stacked(methods.groupby("encoder").mean()), columns, within, "percent"),
        compare("Table 4: a model's Avg row is the percentage between the Avg rows of Tables 3 "
                "and 5", where, by_column, columns, stacked(of(bound, AVERAGE)[DATASETS]),
                "percent"),
    ]  # fmt: skip


def _marks(tables: Tables) -> Iterator[Check]:
    for number in SCORES:
        values, marks = tables.methods(number), tables.methods(number, "marks")
        by_model = values.groupby("encoder")
        yield _one_mark(f"Table {number}: bold is the best of a model's column", number, tables,
                        marked(marks, "bold"), values.eq(by_model.transform("max")))  # fmt: skip
        yield _one_mark(f"Table {number}: underline is the worst of a model's column", number,
                        tables, marked(marks, "underline"),
                        values.eq(by_model.transform("min")))  # fmt: skip
        yield _one_test(number, tables)


def marked(marks: pd.DataFrame, *words: str) -> pd.DataFrame:
    """Where one of some marks stands, such as ``bold`` or a superscript."""
    return marks.apply(
        lambda column: column.str.split("+").map(lambda parts: not set(words).isdisjoint(parts))
    )


def _one_mark(
    check: str, number: str, tables: Tables, marks: pd.DataFrame, extreme: pd.DataFrame
) -> Check:
    """One mark per column and model, on a cell that is extreme; ties leave the choice free."""
    per_column = stacked(marks.groupby("encoder").sum())
    right = stacked((marks & extreme).groupby("encoder").sum())
    off = per_column.index[(per_column != 1) | (right != 1)]
    return _of_columns(check, number, tables, len(per_column), off)


def _one_test(number: str, tables: Tables) -> Check:
    """Best against worst is one test, so the best bears b exactly where the worst bears a."""
    values, marks = tables.methods(number), tables.methods(number, "marks")
    a, b = (stacked(marked(marks, letter, "ab")).to_dict() for letter in "ab")
    columns = [(model, name) for model in values.index.unique("encoder") for name in DATASETS]
    off = []
    for model, name in columns:
        order = values.loc[[model], name].sort_values().index
        best, worst = (*order[-1], name), (*order[0], name)
        if a[best] or b[worst] or b[best] != a[worst]:
            off.append((model, name))
    check = (
        f"Table {number}: the best differs from the worst as the worst from the best, and neither "
        "from itself"
    )
    return _of_columns(check, number, tables, len(columns), off)


def _of_columns(
    check: str, number: str, tables: Tables, columns: int, off: Iterable[tuple[str, str]]
) -> Check:
    """A check of a table's columns by model, some of which are off."""
    cells = tables.of("taxonomy", number)
    rows = cells[cells["chunker"] == AVERAGE].set_index(["encoder", "collection"])
    parts = (rows.loc[key, ["section", "block", "column"]] for key in off)
    which = ["{}, {}, column {}".format(*part) for part in parts]
    return without_numbers(check, tables.where(("taxonomy", number)), "columns", columns, which)
