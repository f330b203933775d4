"""One published number beside what became of it, as text with its unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from chunkstudy.grid.conditions import LARGE
from chunkstudy.published import sources
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import TOKEN_WINDOWS, NoCondition, Similarity
from chunkstudy.render import display_names, formats
from chunkstudy.site.material import Material

UNITS = {
    "token": "tokens", "character": "characters", "fraction": "", "correlation": "",
    "point": "points", "tau": "(Kendall's tau-b)",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was registered about a cell before anybody ran it, as text."""

    says: str
    about: str
    between: str
    probability: str
    outcome: str


WIDER = {
    row: f"The row's windows are wider than it says; ours are {display_names.chunker(slug)}."
    for row, slug in TOKEN_WINDOWS.items()
}
"""By row of token windows with all-MiniLM-L6-v2."""


@dataclass(frozen=True, slots=True)
class Number:
    """One published cell beside what became of it, as text with its unit."""

    id: str
    key: str
    what: str
    place: str
    note: str
    published: str
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

    @property
    def record(self) -> str:
        """The file that says what produced the number: of a run, or of a study."""
        if self.run.startswith("studies/"):
            return f"results/{self.run}/provenance.json"
        return f"results/runs/{self.run}/run.json"


def number_of(
    cell: Cell, beside: Mapping[str, object], name: str, predicted: Mapping[str, Prediction]
) -> Number:
    """A cell and its row of the comparison as text.

    Args:
        cell: as published.
        beside: what became of it.
        name: its place on the page.
        predicted: every registered prediction.
    """
    unit = _unit(cell.unit)
    points = _unit("point") if cell.unit == "percent" else unit
    said = str(beside["prediction"]).split() if _is(beside["prediction"]) else []
    return Number(
        name,
        "|".join(cell.key),
        _what(cell),
        cell.place,
        WIDER.get(cell.chunker, "") if cell.encoder != LARGE else "",
        f"{printed(cell)}{unit}",
        _with(ours_of(cell, beside), unit),
        _ends(cell, beside["low"], beside["high"], unit),
        _with(_text(cell, beside["corrected"]), unit),
        _with(_text(cell, beside["difference"], signed=True, more=1), points),
        _ends(cell, beside["stack_low"], beside["stack_high"], unit),
        str(beside["verdict"]),
        str(beside["reason"]) if _is(beside["reason"]) else "",
        _record(beside),
        _command(cell, _record(beside), recorded=_is(beside["reproduced"])),
        tuple(predicted[one] for one in said),
    )


def _record(beside: Mapping[str, object]) -> str:
    """The record that gave the number; empty where there is none, or where there are several."""
    run = str(beside["run"]) if _is(beside["run"]) and _is(beside["reproduced"]) else ""
    return "" if "*" in run else run


def _what(cell: Cell) -> str:
    kinds = {"mean": "Mean", "std": "Standard deviation", "relative change": "Relative change"}
    return kinds.get(cell.statistic, "Value")


def printed(cell: Cell) -> str:
    """As the source prints it."""
    return cell.published.replace("-", formats.MINUS)


def _text(cell: Cell, value: object, signed: bool = False, more: int = 0) -> str:
    """A number with as many decimals as the cell is printed with; empty where there is none."""
    return formats.decimals(float(str(value)), cell.decimals + more, signed=signed)


def ours_of(cell: Cell, beside: Mapping[str, object]) -> str:
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


def _command(cell: Cell, record: str, recorded: bool) -> str:
    """What computes the cell, anew where it is ``recorded``; empty where no run gives it."""
    if record.startswith("studies/"):
        return f"chunkstudy study {record.removeprefix('studies/')}"
    source = sources.source_of(cell)
    if isinstance(source, NoCondition):
        return ""
    if isinstance(source, Similarity):
        return "chunkstudy study berlin"
    again = " --again" if recorded else ""
    return f"chunkstudy run --only '{sources.pattern(source)}'{again}"


def predictions(material: Material) -> dict[str, Prediction]:
    """Registered predictions by their id."""
    found = {}
    for row in material.table("predictions").to_dict("records"):
        low, high = (_bound(row[end], str(row["unit"])) for end in ("at least", "at most"))
        between = f"between {low} and {high}" if low and high else ""
        found[str(row["id"])] = Prediction(
            material.rules[str(row["rule"])],
            display_names.PREDICTIONS[str(row["kind"])],
            between or (f"at least {low}" if low else f"at most {high}" if high else ""),
            formats.percent(float(row["probability"])) + "%" if _is(row["probability"]) else "",
            str(row["outcome"]),
        )
    return found


def _bound(value: object, unit: str) -> str:
    text = formats.significant(float(str(value)))
    return _with(text, _unit(unit))


def _is(value: object) -> bool:
    return not (value is None or value == "" or (isinstance(value, float) and math.isnan(value)))
