"""The taxonomy's Tables 3, 4 and 5 from any set of records.

Run conditions and nothing else: every model with records of two methods gets its rows. Tables 3 and
5 are means under either ordering with superscripts as printed: a, significantly different from the
best method of the column (paired t-test, p < 0.05, uncorrected), b, from the worst (S2:206,
S2:309). Table 4 is the relative change between them with a star where it is significant (S2:265).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.taxonomy_layout import (
    AVERAGE,
    LABELS,
    TAXONOMY,
    Cell,
    Layout,
    Method,
    Table,
)
from chunkstudy.encoders import models
from chunkstudy.grid.conditions import COLLECTIONS, NONE
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.library import Library

ALPHA = 0.05
RESAMPLES = 2_000
MARGIN = 0.01
"""A point of nDCG@10 or DCG@10: what counts as no difference in the equivalence test."""
MEASURE = {"in_corpus": "nDCG@10", "in_document": "DCG@10"}


@dataclass(frozen=True)
class Group:
    """The records of one model under one protocol: its rows in the tables."""

    model: str
    encoder: str
    protocol: str
    late: str

    @property
    def label(self) -> str:
        name = LABELS.get(self.model, self.model.rsplit("/", 1)[-1])
        return f"{name}, {self.protocol}"


def groups(library: Library, layout: Layout = TAXONOMY) -> list[Group]:
    """Every model and protocol with records of two methods, with its widest window."""
    wanted = {name for method in layout.methods for name in method.chunkers}
    found: dict[tuple[str, str], dict[str, set[str]]] = {}
    for one in library:
        if one.encoder == NONE or one.chunker not in wanted:
            continue
        if one.collection in layout.collections and one.protocol in layout.protocols:
            model = models.parse_slug(one.encoder)[0]
            by_encoder = found.setdefault((model, one.protocol), {})
            by_encoder.setdefault(one.encoder, set()).add(one.ordering)
    made = []
    for (model, protocol), by_encoder in sorted(found.items()):
        encoder = max(by_encoder, key=_window)
        late = [name for name in by_encoder[encoder] if name.startswith(CONTEXTUALIZED)]
        widest = max(late, key=lambda name: (parse_ordering(name).window, name), default="")
        group = Group(model, encoder, protocol, widest)
        present = {m.label for m in layout.methods for c in layout.collections
                   if _record(library, group, m, c, PRE_EMBEDDING) is not None}  # fmt: skip
        if len(present) > 1:
            made.append(group)
    return made


def scores_table(library: Library, late: bool, layout: Layout = TAXONOMY) -> Table:
    """Table 3, or Table 5 where ``late``, of every model recorded."""
    table = Table([])
    tests: list[dict[str, object]] = []
    for group in groups(library, layout):
        ordering = group.late if late else PRE_EMBEDDING
        scores = scores_by_method(library, group, layout, ordering) if ordering else {}
        marked: dict[str, dict[str, Cell]] = {}
        for name in layout.collections:
            column = {m: s for (m, c), s in scores.items() if c == name}
            cells, found = _marked(column, layout)
            marked[name] = cells
            keys = {"model": group.label, "ordering": ordering, "collection": name}
            tests += [keys | one for one in found]
        _add(table, group.label, layout, marked, percent=False)
    table.columns = _columns(table, layout)
    table.tests = _corrected(tests)
    return table


def change_table(library: Library, layout: Layout = TAXONOMY) -> Table:
    """Table 4: contextualized against plain chunking, in percent, of every model recorded."""
    table = Table([], percent=True)
    tests: list[dict[str, object]] = []
    for group in groups(library, layout):
        before = scores_by_method(library, group, layout, PRE_EMBEDDING)
        after = scores_by_method(library, group, layout, group.late) if group.late else {}
        marked: dict[str, dict[str, Cell]] = {name: {} for name in layout.collections}
        for (label, name), late in after.items():
            if (label, name) not in before:
                continue
            both = pd.DataFrame({"a": late, "b": before[label, name]}).dropna()
            plain = float(both["b"].mean())
            found = _test(both["a"], both["b"])
            change = 100 * (float(both["a"].mean()) / plain - 1) if plain else np.nan
            marked[name][label] = Cell(change, "*" if found.p < ALPHA else "")
            row = {"model": group.label, "ordering": group.late, "collection": name}
            row |= {"method": label, "against": "pre_embedding", "other": label}
            tests.append(row | _outcome(found, both["a"], both["b"]))
        _add(table, group.label, layout, marked, percent=True)
    table.columns = _columns(table, layout)
    table.tests = _corrected(tests)
    return table


def scores_by_method(
    library: Library, group: Group, layout: Layout, ordering: str
) -> dict[tuple[str, str], pd.Series]:
    """Score per query by (method, collection); each series bears the name of its chunker."""
    found = {
        (method.label, name): _record(library, group, method, name, ordering)
        for method in layout.methods
        for name in layout.collections
    }
    return {key: values for key, values in found.items() if values is not None}


def _window(encoder: str) -> int:
    model, window = models.parse_slug(encoder)
    return window or models.spec(model).window


def _record(
    library: Library, group: Group, method: Method, name: str, ordering: str
) -> pd.Series | None:
    """A method's score per query on a collection, of the first of its chunkers recorded."""
    wanted = [
        (name, chunker, group.encoder, ordering, group.protocol) for chunker in method.chunkers
    ]
    recorded = {
        key: one
        for one in library
        if (key := (one.collection, one.chunker, one.encoder, one.ordering, one.protocol)) in wanted
    }
    for key in wanted:
        record = library.get(recorded[key]) if key in recorded else None
        if record is not None:
            return record.wide[MEASURE[COLLECTIONS[name]]].dropna().rename(key[1])
    return None


def _marked(
    column: Mapping[str, pd.Series], layout: Layout
) -> tuple[dict[str, Cell], list[dict[str, object]]]:
    """A column's cells of one model with bold, underline and superscripts, and the tests."""
    means = {label: float(values.mean()) for label, values in column.items()}
    compared = [m.label for m in layout.methods if not m.reference and m.label in column]
    if len(compared) < 2:
        return {label: Cell(mean) for label, mean in means.items()}, []
    best, worst = max(compared, key=means.__getitem__), min(compared, key=means.__getitem__)
    cells: dict[str, Cell] = {}
    tests: list[dict[str, object]] = []
    for label in column:
        letters = ""
        for letter, against, other in (("a", "best", best), ("b", "worst", worst)):
            if label == other:
                continue
            both = pd.DataFrame({"a": column[label], "b": column[other]}).dropna()
            found = _test(both["a"], both["b"])
            letters += letter if found.p < ALPHA else ""
            if not (label == best and against == "worst"):  # the worst against the best, again
                row: dict[str, object] = {"method": label, "against": against, "other": other}
                tests.append(row | _outcome(found, both["a"], both["b"]))
        cells[label] = Cell(means[label], letters, label == best, label == worst)
    return cells, tests


def _test(a: pd.Series, b: pd.Series) -> statistics.PairedDifference:
    return statistics.paired_difference(a, b, resamples=RESAMPLES)


def _outcome(found: statistics.PairedDifference, a: pd.Series, b: pd.Series) -> dict[str, object]:
    return {
        "n": found.n,
        "difference": found.mean,
        "low": found.interval.low,
        "high": found.interval.high,
        "effect": found.effect,
        "p": found.p,
        "p (equivalent)": statistics.equivalence(a, b, MARGIN).p,
    }


def _corrected(tests: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """The tests of one table with Holm's p over all of them."""
    table = pd.DataFrame(list(tests))
    if len(table):
        table["p (Holm)"] = statistics.holm(table["p"])
    return table


def _add(
    table: Table,
    model: str,
    layout: Layout,
    marked: Mapping[str, Mapping[str, Cell]],
    percent: bool,
) -> None:
    """A model's rows, their averages and its row of averages.

    Averages over collections are over the in-corpus ones that every method of the model has, two at
    least; those over methods stand where every method has a record. The methods are the compared
    ones that have an in-corpus record at all, for collections, or any, for methods.
    """
    compared = [m.label for m in layout.methods if not m.reference]
    inside = [name for name in layout.collections if COLLECTIONS[name] == "in_corpus"]
    counted = [label for label in compared if any(label in marked[name] for name in inside)]
    whole = [n for n in inside if counted and all(label in marked[n] for label in counted)]
    whole = whole if len(whole) > 1 else []
    rows: dict[str, dict[str, Cell]] = {}
    for method in layout.methods:
        cells = {
            n: marked[n][method.label] for n in layout.collections if method.label in marked[n]
        }
        if cells and whole and all(name in cells for name in whole):
            cells[AVERAGE] = Cell(float(np.mean([cells[name].value for name in whole])))
        if cells:
            rows[method.label] = cells
    if not percent and len(counted) > 1 and whole:
        by_average = sorted(counted, key=lambda label: rows[label][AVERAGE].value)
        last, first = by_average[0], by_average[-1]
        rows[last][AVERAGE] = replace(rows[last][AVERAGE], underline=True)
        rows[first][AVERAGE] = replace(rows[first][AVERAGE], bold=True)
    present = [label for label in compared if label in rows]
    means = {}
    for name in (*layout.collections, AVERAGE):
        needed = counted if name == AVERAGE or name in inside else present
        values = [rows[label][name].value for label in needed if name in rows[label]]
        if values and len(values) == len(needed):
            means[name] = Cell(float(np.mean(values)))
    for label, cells in rows.items():
        table.rows[model, label] = cells
    if means:
        table.rows[model, "Avg"] = means
    table.averaged[model] = len(whole)


def _columns(table: Table, layout: Layout) -> list[str]:
    """The collections that have a cell, and the average where there is one."""
    filled = {name for cells in table.rows.values() for name in cells}
    return [name for name in (*layout.collections, AVERAGE) if name in filled]
