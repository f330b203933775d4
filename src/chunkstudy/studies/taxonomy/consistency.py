"""Whether published tables agree with each other: averages, changes, marks, cells printed twice.

What a check allows is what rounding of the printed digits explains; that all these hold also
proves that the tables were read right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import combinations, takewhile
from typing import cast

import pandas as pd

from chunkstudy.published import cells as published

WHERE = [*published.COLUMNS, "section", "block", "column"]
"""The columns that checks need."""
KEYS = ["encoder", "chunker"]
IN_CORPUS = ["fiqa", "nfcorpus", "scifact", "trec-covid", "arguana", "scidocs"]
DATASETS = ["gutenqa", *IN_CORPUS]
AVERAGE = "average"
SMALL = "jinaai/jina-embeddings-v2-small-en"
SCORES = ("3", "5")
"""The taxonomy's tables of scores, before and after contextualizing; Table 4 is the change."""
SLACK = 1e-9
NAN = float("nan")


@dataclass(frozen=True)
class Check:
    """One check and its outcome.

    Attributes:
        check: what must be so.
        tables: the tables that it holds against each other, where a reader finds them.
        expected: what the worst cell should hold, in the unit; NaN where no number is compared.
        found: what it holds.
        deviation: the distance of both.
        unit: of the numbers, or what is counted.
        cells: how many were checked.
        off: how many of them are off.
        which: where the worst cell stands, or those that are off where no number is compared.
    """

    check: str
    tables: str
    expected: float
    found: float
    deviation: float
    unit: str
    cells: int
    off: int
    which: str

    @property
    def verdict(self) -> str:
        """``holds``, ``holds in part`` or ``does not hold``."""
        if not self.off:
            return "holds"
        return "holds in part" if self.off < self.cells else "does not hold"


COLUMNS = [*(field.name for field in fields(Check)), "verdict"]


class Tables:
    """Published cells as tables of numbers."""

    def __init__(self, cells: pd.DataFrame) -> None:
        """``cells`` as `cells.frame` gives them with `WHERE`, in the order of their source."""
        self.cells = cells

    def of(self, work: str, table: str, statistic: str | None = None) -> pd.DataFrame:
        """The cells of one table, one row each."""
        found = self.cells[(self.cells["work"] == work) & (self.cells["table"] == table)]
        return found if statistic is None else found[found["statistic"] == statistic]

    def table(self, number: str, column: str = "value") -> pd.DataFrame:
        """A table of the taxonomy: (encoder, chunker) by collection."""
        cells = self.of("taxonomy", number)
        return cells.pivot(index=KEYS, columns="collection", values=column)[[*DATASETS, AVERAGE]]

    def methods(self, number: str, column: str = "value") -> pd.DataFrame:
        """The same without the rows of averages."""
        found = self.table(number, column)
        return found[found.index.get_level_values("chunker") != AVERAGE]

    def by_key(self, number: str) -> pd.DataFrame:
        """A table's cells by (encoder, chunker, collection): ``value`` and ``place``."""
        return self.of("taxonomy", number).set_index([*KEYS, "collection"])[["value", "place"]]

    def where(self, *tables: tuple[str, str]) -> str:
        """Where whole tables stand, such as ``taxonomy, Table 3``."""
        return "; ".join(f"{work}, {_shared(self.of(work, table))}" for work, table in tables)


def of(table: pd.DataFrame, chunker: str) -> pd.DataFrame:
    """A chunker's row of each model, without that part of the keys."""
    return cast(pd.DataFrame, table.xs(chunker, level="chunker"))


def column(table: pd.DataFrame, collection: str) -> pd.DataFrame:
    """A column of cells by key, without that part of the keys."""
    return cast(pd.DataFrame, table.xs(collection, level="collection"))


def stacked(table: pd.DataFrame) -> pd.Series:
    """A table's cells, its column last in their keys."""
    return cast(pd.Series, table.stack())


def compare(
    check: str,
    tables: str,
    expected: pd.Series,
    found: pd.DataFrame,
    bound: float | pd.Series,
    unit: str = "fraction",
) -> Check:
    """Each published cell against what it should be, within a bound.

    Args:
        expected: by key.
        found: ``value`` and ``place`` of the cells by the same keys, and perhaps of others.
        bound: how far a cell may be off, of all or by key.

    Raises:
        ValueError: if an expected cell has no counterpart.
    """
    found = found.reindex(expected.index)
    distance = (found["value"] - expected).abs()
    if distance.isna().any():
        raise ValueError(f"{check}: {int(distance.isna().sum())} cells have no counterpart")
    worst = int(distance.argmax())
    off = int((distance > bound + SLACK).sum())
    cell = found.iloc[worst]
    return Check(check, tables, float(expected.iloc[worst]), float(cell["value"]),
                 float(distance.max()), unit, len(distance), off, str(cell["place"]))  # fmt: skip


def without_numbers(check: str, tables: str, unit: str, cells: int, off: list[str]) -> Check:
    return Check(check, tables, NAN, NAN, NAN, unit, cells, len(off), "; ".join(off))


def _shared(cells: pd.DataFrame) -> str:
    """What all cells of a table share of where they stand."""
    same = takewhile(lambda name: cells[name].nunique() == 1, ("section", "block"))
    return ", ".join(filter(None, (str(cells[name].iloc[0]) for name in same)))


ARM = ["collection", "chunker", "ordering"]
V3 = "jinaai/jina-embeddings-v3"


def _in_the_papers(tables: Tables) -> list[Check]:
    """What Jina's posts and the taxonomy's tables publish twice."""
    beir, later = tables.of("jina", "beir"), tables.of("jina", "combinations")
    first = beir[(beir["chunker"] == "fixed-256") & (beir["collection"] != "quora")]
    small = later[later["encoder"] == SMALL].set_index(ARM)
    original, again = (
        tables.of("taxonomy", "2", statistic).set_index(ARM)
        for statistic in ("original", "reproduced")
    )
    grid = pd.concat([tables.of("taxonomy", number) for number in SCORES])
    grid = grid[grid["encoder"] == SMALL].set_index(ARM)
    return [
        compare("Jina's two posts print the same scores",
                tables.where(("jina", "beir"), ("jina", "combinations")),
                first.set_index(ARM)["value"], small, 0.05, "percent"),
        compare("Table 2's originals are Jina's printed scores",
                tables.where(("taxonomy", "2"), ("jina", "combinations")),
                small["value"] / 100, original, 0.001),
        compare("Table 2's reproduced scores are those of Jina-v2 in Tables 3 and 5",
                tables.where(("taxonomy", "2"), ("taxonomy", "3"), ("taxonomy", "5")),
                grid.loc[grid.index.isin(again.index), "value"], again, 0.00055),
        _rows_printed_twice(tables),
    ]  # fmt: skip


def _extended(tables: Tables) -> list[Check]:
    """Table 2 (Extended): Jina-v3 and Nomic."""
    keys = ["encoder", *ARM]
    post = tables.of("jina", "combinations").set_index(keys)["value"] / 100
    original, again = (
        tables.of("taxonomy", "2, repository", statistic).set_index(keys)
        for statistic in ("original", "reproduced")
    )
    grid = pd.concat([tables.of("taxonomy", number) for number in SCORES]).set_index(keys)
    fiqa = original.query("encoder == @V3 and collection == 'fiqa'")
    six, v3 = fiqa.index, fiqa.droplevel("encoder")
    others = original.index.difference(six)
    sentences = others.get_level_values("chunker") == "sentence-5"
    where = tables.where(("taxonomy", "2, repository"), ("jina", "combinations"))
    return [
        compare("Table 2 (Extended)'s originals of fixed-size and semantic chunks, but FiQA's of "
                "Jina-v3, are Jina's", where, post[others[~sentences]], original, 0.0),
        compare("Table 2 (Extended)'s originals of sentences, but FiQA's of Jina-v3, are Jina's",
                where, post[others[sentences]], original, 0.0),
        compare("Table 2 (Extended)'s six originals of Jina-v3 on FiQA are Jina's of Jina-v3",
                where, post[six], original, 0.0),
        compare("Table 2 (Extended)'s six originals of Jina-v3 on FiQA are Jina's of Jina-v2-small",
                where, post[SMALL][v3.index], v3, 0.0),
        compare("Table 2 (Extended)'s reproduced scores are those of Tables 3 and 5",
                tables.where(("taxonomy", "2, repository"), ("taxonomy", "3"), ("taxonomy", "5")),
                grid.loc[again.index, "value"], again, 0.00055),
    ]  # fmt: skip


def _rises(tables: Tables) -> Check:
    """Where the reproduction falls under contextualized encoding though Jina's post rises."""
    keys = ["encoder", "collection", "chunker"]
    post = tables.of("jina", "combinations").pivot(index=keys, columns="ordering", values="value")
    rising = post.index[post["contextualized"] > post["pre_embedding"]]
    names = [("taxonomy", "2"), ("taxonomy", "2, repository")]
    ours = pd.concat([tables.of(*name, "reproduced") for name in names])
    ours = ours.pivot(index=keys, columns="ordering", values=["value", "place"]).loc[rising]
    falls = ours["value"]["contextualized"] < ours["value"]["pre_embedding"]
    return without_numbers(
        "What rises under contextualized encoding in Jina's post rises in its reproduction",
        tables.where(*names, ("jina", "combinations")), "changes", len(rising),
        list(ours["place"]["contextualized"][falls]),
    )  # fmt: skip


def _figure_2(tables: Tables) -> list[Check]:
    """What the text says of Figure 2, against the image of Jina-v3 in the repository."""
    names = ("taxonomy", "figure 2, text"), ("taxonomy", "figure 2, repository")
    text, image = (tables.of(*name) for name in names)
    image = image[image["encoder"] == V3]
    single = text[text["statistic"] == "r"].set_index(ARM)
    ends = image.groupby(["collection", "ordering"])["value"].agg(["min", "max"])
    spread = stacked(ends.set_axis(["lowest r", "highest r"], axis=1))
    bounds = text[text["statistic"] != "r"].set_index(["collection", "ordering", "statistic"])
    where = tables.where(*names)
    return [
        compare("The text's r of single methods are those of Figure 2's image of Jina-v3", where,
                image.set_index(ARM)["value"][single.index], single, 0.0, "correlation"),
        compare("The text's lowest and highest r are those of Figure 2's image of Jina-v3", where,
                spread[bounds.index], bounds, 0.0, "correlation"),
    ]  # fmt: skip


def _rows_printed_twice(tables: Tables) -> Check:
    """Rows of the combination table with other boundaries: how many repeat each other's scores."""
    rows = tables.of("jina", "combinations").pivot(
        index=["encoder", "ordering", "marks"], columns="collection", values="value"
    )
    pairs = [(one, other) for one, other in combinations(rows.index, 2) if one[:2] == other[:2]]
    same = [int((rows.loc[one] == rows.loc[other]).sum()) for one, other in pairs]
    all_but_one = [
        f"{one[2]} and {other[2]}: {alike} of {rows.shape[1]} scores the same"
        for (one, other), alike in zip(pairs, same, strict=True)
        if alike >= rows.shape[1] - 1
    ]
    return without_numbers(
        "No two chunkers of a model and ordering print (nearly) the same row",
        tables.where(("jina", "combinations")), "rows", len(pairs), all_but_one,
    )  # fmt: skip


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
        *_in_the_papers(tables),
        *_extended(tables),
        _rises(tables),
        *_figure_2(tables),
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
