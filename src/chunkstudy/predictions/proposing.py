"""Rules become predictions: one for each cell, with bounds and probability computed from what is
known today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from chunkstudy.grid.conditions import Condition
from chunkstudy.predictions.bounds import SHOWS, bounds, probability, surprise
from chunkstudy.predictions.errors import PredictionError
from chunkstudy.predictions.experience import Experience
from chunkstudy.predictions.prints import Prints, cell_id, needed, points, stored
from chunkstudy.predictions.rules import Kind, Rule
from chunkstudy.protocols import CORRECTED
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import source_of, work_of

ROWS = ["work", "table", "collection", "encoder", "part", "cut", "measure", "statistic"]
"""What the rows of an order share."""


class Prediction(BaseModel):
    """A number that records will give, and where it is expected.

    Attributes:
        id: the rule's name and a number.
        rule: its name.
        kind: the number that decides, see `rules.Kind`.
        cells: the ids of the cells that it is about, the first the one that it was made for.
        conditions: the two that are compared; a cell's own where there are none, see `needed`.
        measure: of the conditions' scores.
        protocol: the one under which it is decided.
        unit: of the number and its bounds.
        low: it is expected to be no less, open if None.
        high: it is expected to be no more, open if None.
        probability: that it lies between them.
        published: the same number by print, None where print does not give it; where print knows
            one number for both conditions it says that they do not differ.
        surprise: the share of earlier reproductions that were nearer to print than the bounds are,
            0 where print lies between them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9-]+-[0-9]+$")
    rule: str
    kind: Kind
    cells: tuple[str, ...] = Field(min_length=1)
    conditions: tuple[str, ...]
    measure: str
    protocol: str
    unit: str
    low: float | None
    high: float | None
    probability: float = Field(gt=0, lt=1)
    published: float | None
    surprise: float = Field(ge=0, le=1)


def propose(
    rules: Iterable[Rule], cells: Sequence[Cell], learned: Mapping[str, Experience]
) -> list[Prediction]:
    """Every prediction of the rules, whether or not its number is known already.

    Args:
        rules: what to predict.
        cells: every published cell.
        learned: experiences by name.
    """
    prints = Prints(cells)
    return [one for rule in rules for one in _of_rule(rule, prints, learned)]


def _experience(rule: Rule, learned: Mapping[str, Experience]) -> Experience | None:
    if rule.experience is not None and rule.experience not in learned:
        raise PredictionError(
            f"rule {rule.name}: unknown experience {rule.experience!r}; use one of "
            f"{', '.join(learned)}"
        )
    return learned[rule.experience] if rule.experience else None


def _of_rule(rule: Rule, prints: Prints, learned: Mapping[str, Experience]) -> Iterator[Prediction]:
    """One for each cell; of an order, for all rows of a table."""
    experience = _experience(rule, learned)
    found = prints.where(rule.cells)
    if rule.kind == "order":
        groups = [list(rows.index) for _, rows in found.groupby(ROWS, sort=False)]
    else:
        groups = [[name] for name in found.index]
    at = 0
    for names in groups:
        cells = [prints.cells[name] for name in names]
        conditions, about, published = _subject(rule, cells, prints)
        if rule.around == "direction" and abs(published or 0.0) < SHOWS:
            continue  # print has no direction that could be kept
        at += 1
        low, high = bounds(rule, cells[0], published, prints, experience)
        unit = "point" if rule.second is not None else cells[0].unit
        yield Prediction(
            id=f"{rule.name}-{at}",
            rule=rule.name,
            kind=rule.kind,
            cells=tuple(about),
            conditions=tuple(map(str, conditions)),
            measure=cells[0].measure,
            protocol=_protocol(rule, conditions or needed(cells[0]), cells[0]),
            unit="tau" if rule.kind == "order" else unit,
            low=stored(low),
            high=stored(high),
            probability=round(probability(rule, cells, published, experience), 4),
            published=stored(published),
            surprise=round(surprise(cells[0], unit, published, (low, high), learned), 4),
        )


def _subject(
    rule: Rule, cells: list[Cell], prints: Prints
) -> tuple[list[Condition], list[str], float | None]:
    """The two conditions if any, the ids of all cells that they give, and print's number."""
    names = [cell_id(one) for one in cells]
    if rule.kind == "order":
        return [], names, 1.0
    (cell,) = cells
    if rule.second is None:
        return [], names, cell.value
    source = source_of(cell)
    if not isinstance(source, Condition):
        raise PredictionError(
            f"rule {rule.name} compares conditions, and {cell} is no single one; choose cells of "
            "scores"
        )
    conditions = [replace(source, **rule.first), replace(source, **rule.second)]
    twins = [prints.by_condition(replace(one, **rule.printed), cell) for one in conditions]
    about = list(dict.fromkeys([*names, *(name for twin in twins for name in twin)]))
    if rule.kind == "nearer" or not all(twins):
        return conditions, about, None
    first, second = (points(prints.cells[twin[0]]) for twin in twins)
    change = first - second
    return conditions, about, abs(change) if rule.kind == "distance" else change


def _protocol(rule: Rule, conditions: Sequence[Condition], cell: Cell) -> str:
    if rule.protocol == "corrected":
        return CORRECTED.name
    return conditions[0].protocol if conditions else work_of(cell).protocol
