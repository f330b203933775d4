"""Published tables in their papers' rows and columns: what stands in each place of them.

Rows, columns and blocks are called what the source calls them; that is what the ``place`` of a
published cell says (`chunkstudy.published.cells.Cell`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkstudy.published import cells, sources
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import NoCondition, Similarity
from chunkstudy.render import display_names, tables
from chunkstudy.site.material import Material, SiteError
from chunkstudy.site.pages import anchor

TITLES = {
    ("chroma", "main"): "Chroma's report, main table",
    ("chroma", "minilm"): "Chroma's report, table of all-MiniLM-L6-v2",
    ("chroma", "appendix"): "Chroma's report, appendix: all results",
    ("jina", "berlin"): "Jina's first post, three sentences on Berlin",
    ("jina", "beir"): "Jina's first post, five collections",
    ("jina", "combinations"): "Jina's second post, 72 combinations",
}
UNITS = {
    "token": "tokens", "character": "characters", "fraction": "", "correlation": "",
    "point": "points", "tau": "(Kendall's tau-b)",
}  # fmt: skip
PLACES = tuple(
    re.compile(pattern)
    for pattern in (
        r".*?(?P<block>table of .+?), row (?P<row>.+), (?P<column>Retrieve \w+), column Recall",
        r"Table \d, (?P<block>.+?), row (?P<row>.+), column (?P<column>.+)",
        r".*\brow (?P<row>.+), column (?P<column>.+)",
        r".*Figure 2 for (?P<block>.+?), (?P<column>.+ retrieval, .+ chunking), method "
        r"(?P<row>.+?) \(.*",
        r"Section [\d.]+, (?P<row>.+)",
    )
)
DEVIATION = " after ±"
SHAPES, LETTERS = ("bold", "underline"), ("a", "b", "ab", "*")
"""What a source marks a number with."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was registered about a cell before anybody ran it, as text."""

    says: str
    about: str
    between: str
    probability: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Number:
    """One published cell beside what became of it, as text with its unit."""

    id: str
    key: str
    what: str
    place: str
    published: str
    state: str
    ours: str
    interval: str
    corrected: str
    difference: str
    spread: str
    verdict: str
    reason: str
    run: str
    command: str
    predictions: tuple[Prediction, ...]


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
    """

    work: str
    name: str
    title: str
    file: str
    unit: str
    blocks: tuple[Block, ...]
    counts: Mapping[str, int]

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
    """Every published table, in the order of their files."""
    read = cells.read(material.places)
    comparison = material.table("comparison")
    if len(read) != len(comparison):
        raise SiteError("comparison.csv has other cells than are published; reproduce first")
    beside = comparison.to_dict("records")
    predicted = _predictions(material)
    groups: dict[tuple[str, str], list[tuple[Cell, dict[str, object]]]] = {}
    for cell, row in zip(read, beside, strict=True):
        found = {str(key): value for key, value in row.items()}
        groups.setdefault((cell.work, cell.table), []).append((cell, found))
    return [_table(*key, found, predicted) for key, found in groups.items()]


def title(work: str, table: str) -> str:
    if (work, table) in TITLES:
        return TITLES[work, table]
    return f"{display_names.WORKS[work]}, {display_names.table(table)}"


def where(cell: Cell) -> tuple[str, str, str]:
    """Block, row and column of a cell, as its source calls them; empty where there is none.

    Raises:
        SiteError: if its place is not said in one of the known ways.
    """
    for pattern in PLACES:
        if found := pattern.fullmatch(cell.place.removesuffix(DEVIATION)):
            parts = {"block": "", "column": "r"} | found.groupdict()
            return parts["block"], parts["row"], parts["column"]
    raise SiteError(f"the page of {cell.table} cannot tell row and column from {cell.place!r}")


def _table(
    work: str,
    name: str,
    found: list[tuple[Cell, dict[str, object]]],
    predicted: Mapping[str, Prediction],
) -> Table:
    spots: dict[tuple[str, str, str], list[tuple[Cell, dict[str, object]]]] = {}
    for cell, row in found:
        spots.setdefault(where(cell), []).append((cell, row))
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
    )


def _block(
    title: str,
    spots: Mapping[tuple[str, str], list[tuple[Cell, dict[str, object]]]],
    predicted: Mapping[str, Prediction],
) -> Block:
    rows, columns = (tuple(dict.fromkeys(key[at] for key in spots)) for at in (0, 1))
    return Block(
        title,
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
    numbers, printed, ours = [], [], []
    for cell, beside in found:
        key = f"{name}-sd" if cell.statistic == "std" else name
        numbers.append(_number(cell, beside, key, predicted))
        printed.append(_printed(cell))
        ours.append(_ours(cell, beside))
    marks = _marks(found[0][0])
    return Place(
        name,
        row,
        column,
        " ± ".join(printed),
        tuple(one for one in marks if one in SHAPES),
        "".join(one for one in marks if one in LETTERS),
        " ± ".join(one or "–" for one in ours) if any(ours) else "",
        tuple(numbers),
    )


def _marks(cell: Cell) -> list[str]:
    """Of a cell whose ``marks`` are marks, and no name of a row."""
    marks = cell.marks.split("+") if cell.marks else []
    return marks if {*marks} <= {*SHAPES, *LETTERS} else []


def _number(
    cell: Cell, beside: Mapping[str, object], name: str, predicted: Mapping[str, Prediction]
) -> Number:
    unit = _unit(cell.unit)
    points = _unit("point") if cell.unit == "percent" else unit
    said = str(beside["prediction"]).split() if _is(beside["prediction"]) else []
    return Number(
        name,
        "|".join(cell.key),
        _what(cell),
        cell.place,
        f"{_printed(cell)}{unit}" if cell.published else "",
        cell.state,
        _with(_ours(cell, beside), unit),
        _ends(cell, beside["low"], beside["high"], unit),
        _with(_text(cell, beside["corrected"]), unit),
        _with(_text(cell, beside["difference"], signed=True, more=1), points),
        _ends(cell, beside["stack_low"], beside["stack_high"], unit),
        str(beside["verdict"]),
        str(beside["reason"]) if _is(beside["reason"]) else "",
        str(beside["run"]) if _is(beside["run"]) and _is(beside["reproduced"]) else "",
        _command(cell),
        tuple(predicted[one] for one in said),
    )


def _what(cell: Cell) -> str:
    kinds = {"mean": "Mean", "std": "Standard deviation", "relative change": "Relative change"}
    return kinds.get(cell.statistic, "Value")


def _printed(cell: Cell) -> str:
    """As the source prints it; of a cell that lost its other digits, what is left."""
    if cell.state == "lost":
        return "lost"
    left = "…" if cell.state == "leading digit" else ""
    return cell.published.replace("-", tables.MINUS) + left


def _text(cell: Cell, value: object, signed: bool = False, more: int = 0) -> str:
    """A number with as many decimals as the cell is printed with; empty where there is none."""
    digits = 1 if cell.decimals is None or cell.state != "whole" else cell.decimals
    return tables.decimals(float(str(value)), digits + more, signed=signed)


def _ours(cell: Cell, beside: Mapping[str, object]) -> str:
    """With two more decimals where print is truncated, so that it does not look like another."""
    return _text(cell, beside["reproduced"], more=2 if beside["fits"] == "truncated" else 0)


def _unit(name: str) -> str:
    """As it stands behind a number."""
    return "%" if name == "percent" else f" {UNITS[name]}".rstrip()


def _with(text: str, unit: str) -> str:
    return f"{text}{unit}" if text else ""


def _ends(cell: Cell, low: object, high: object, unit: str) -> str:
    ends = _text(cell, low), _text(cell, high)
    return f"[{', '.join(ends)}]{unit}" if all(ends) else ""


def _command(cell: Cell) -> str:
    """What computes the cell; empty where no run gives it."""
    source = sources.source_of(cell)
    if isinstance(source, NoCondition):
        return ""
    if isinstance(source, Similarity):
        return "chunkstudy study berlin"
    return f"chunkstudy run --only '{sources.pattern(source)}'"


def _predictions(material: Material) -> dict[str, Prediction]:
    """Registered predictions by their id."""
    found = {}
    for row in material.table("predictions").to_dict("records"):
        low, high = (_bound(row[end], str(row["unit"])) for end in ("at least", "at most"))
        between = f"between {low} and {high}" if low and high else ""
        found[str(row["id"])] = Prediction(
            material.rules[str(row["rule"])],
            display_names.PREDICTIONS[str(row["kind"])],
            between or (f"at least {low}" if low else f"at most {high}" if high else ""),
            tables.percent(float(row["probability"])) + "%" if _is(row["probability"]) else "",
            str(row["outcome"]),
        )
    return found


def _bound(value: object, unit: str) -> str:
    text = tables.significant(float(str(value)))
    return _with(text, _unit(unit))


def _is(value: object) -> bool:
    return not (value is None or value == "" or (isinstance(value, float) and math.isnan(value)))
