"""Published tables in their papers' rows and columns: what stands in each place of them.

Rows, columns and blocks are called what the source calls them; that is what the ``place`` of a
published cell says (`chunkstudy.published.cells.Cell`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkstudy.published import cells
from chunkstudy.published.cells import Cell
from chunkstudy.render import display_names
from chunkstudy.site.material import Material, SiteError
from chunkstudy.site.pages import anchor
from chunkstudy.site.published_number import (
    Number,
    Prediction,
    number_of,
    ours_of,
    predictions,
    printed,
)

TITLES = {
    ("chroma", "main"): "Chroma's report, main table",
    ("chroma", "minilm"): "Chroma's report, table of all-MiniLM-L6-v2",
    ("chroma", "appendix"): "Chroma's report, appendix: all results",
    ("jina", "berlin"): "Jina's first post, three sentences on Berlin",
    ("jina", "beir"): "Jina's first post, five collections",
    ("jina", "combinations"): "Jina's second post, 72 combinations",
}
SHAPES, LETTERS = ("bold", "underline"), ("a", "b", "ab", "*")
"""What a source marks a number with."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row and a column meet: a mean, and its standard deviation where one is printed."""

    id: str
    row: str
    column: str
    published: str
    marks: tuple[str, ...]
    letters: str
    ours: str
    numbers: tuple[Number, ...]

    @property
    def verdict(self) -> str:
        """The mean's."""
        return self.numbers[0].verdict


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that stand under one heading."""

    title: str
    id: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Place | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A published table.

    Attributes:
        file: of its page.
        counts: cells by verdict.
        scores: exact cells that are scores of retrieval.
    """

    work: str
    name: str
    title: str
    file: str
    unit: str
    blocks: tuple[Block, ...]
    counts: Mapping[str, int]
    scores: int

    @property
    def deviations(self) -> bool:
        """Whether standard deviations are printed."""
        places = (p for block in self.blocks for _, found in block.rows for p in found if p)
        return any(len(place.numbers) > 1 for place in places)

    @property
    def cells(self) -> int:
        return sum(self.counts.values())

    @property
    def run(self) -> int:
        return self.cells - self.counts.get("not_run", 0)


def every(material: Material) -> list[Table]:
    """Every published table, in the order of their files, numbered ones by their numbers."""
    read = cells.read(material.places)
    comparison = material.table("comparison")
    if len(read) != len(comparison):
        raise SiteError("comparison.csv has other cells than are published; reproduce first")
    beside = comparison.to_dict("records")
    predicted = predictions(material)
    groups: dict[tuple[str, str], list[tuple[Cell, dict[str, object]]]] = {}
    for cell, row in zip(read, beside, strict=True):
        found = {str(key): value for key, value in row.items()}
        groups.setdefault((cell.work, cell.table), []).append((cell, found))
    works = list(dict.fromkeys(work for work, _ in groups))

    def place(key: tuple[str, str]) -> tuple[int, float]:
        work, table = key
        return works.index(work), int(table) if table.isdecimal() else math.inf

    return [_table(*key, groups[key], predicted) for key in sorted(groups, key=place)]


def title(work: str, table: str) -> str:
    if (work, table) in TITLES:
        return TITLES[work, table]
    return f"{display_names.WORKS[work]}, {display_names.table(table)}"


def _table(
    work: str,
    name: str,
    found: list[tuple[Cell, dict[str, object]]],
    predicted: Mapping[str, Prediction],
) -> Table:
    spots: dict[tuple[str, str, str], list[tuple[Cell, dict[str, object]]]] = {}
    for cell, row in found:
        spots.setdefault((cell.block, cell.row, cell.column), []).append((cell, row))
    blocks = tuple(
        _block(title, {key[1:]: one for key, one in spots.items() if key[0] == title}, predicted)
        for title in dict.fromkeys(block for block, _, _ in spots)
    )
    verdicts = [str(row["verdict"]) for _, row in found]
    units = dict.fromkeys(
        "fractions" if c.unit == "fraction" else "percent" for c, _ in found
        if c.unit in ("fraction", "percent")
    )  # fmt: skip
    return Table(
        work,
        name,
        title(work, name),
        f"table-{anchor(f'{work} {name}')}.html",
        " and ".join(units) or "correlations",
        blocks,
        {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)},
        sum(cell.of_retrieval and row["verdict"] == "exact" for cell, row in found),
    )


def _block(
    title: str,
    spots: Mapping[tuple[str, str], list[tuple[Cell, dict[str, object]]]],
    predicted: Mapping[str, Prediction],
) -> Block:
    rows, columns = (tuple(dict.fromkeys(key[at] for key in spots)) for at in (0, 1))
    return Block(
        display_names.COLLECTIONS.get(title, title),
        anchor(title or "table"),
        columns,
        tuple(
            (
                row,
                tuple(
                    _place(title, row, column, spots[row, column], predicted)
                    if (row, column) in spots
                    else None
                    for column in columns
                ),
            )
            for row in rows
        ),
    )


def _place(
    block: str,
    row: str,
    column: str,
    found: Sequence[tuple[Cell, dict[str, object]]],
    predicted: Mapping[str, Prediction],
) -> Place:
    name = anchor(f"{block} {row} {column}")
    numbers, theirs, ours = [], [], []
    for cell, beside in found:
        key = f"{name}-sd" if cell.statistic == "std" else name
        numbers.append(number_of(cell, beside, key, predicted))
        theirs.append(printed(cell))
        ours.append(ours_of(cell, beside))
    marks = _marks(found[0][0])
    return Place(
        name,
        row,
        column,
        " ± ".join(theirs),
        tuple(one for one in marks if one in SHAPES),
        "".join(one for one in marks if one in LETTERS),
        " ± ".join(one or "–" for one in ours) if any(ours) else "",
        tuple(numbers),
    )


def _marks(cell: Cell) -> list[str]:
    """Of a cell whose ``marks`` are marks, and no name of a row."""
    marks = cell.marks.split("+") if cell.marks else []
    return marks if {*marks} <= {*SHAPES, *LETTERS} else []
