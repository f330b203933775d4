"""A computed table beside the published one: difference and verdict of every cell."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published import cells
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import source_of
from chunkstudy.published.verdicts import RUN, Judge, scale_of
from chunkstudy.runs.conditions import CONTEXTUALIZED, NONE, Condition
from chunkstudy.runs.study_results import StudyError
from chunkstudy.study import titles
from chunkstudy.study.formats import decimals

KEYS = ("chunker", "part", "measure", "statistic")
NUMBERS = ("value", "low", "high")
COLUMNS = ("run", *KEYS, "published", "reproduced", "low", "high", "difference", "stack_low",
           "stack_high", "verdict")  # fmt: skip
UNSCALED = ("chunk size", "chunks")
"""What is no fraction."""
PARTS = ("collection", "chunker", "encoder", "ordering", "protocol")
"""What a run's path names."""
PLUS_MINUS = "\N{NARROW NO-BREAK SPACE}\N{PLUS-MINUS SIGN}\N{NARROW NO-BREAK SPACE}"


def beside(places: Places, tables: Sequence[str], frame: pd.DataFrame) -> pd.DataFrame:
    """A table with what was published of the same chunker, and the verdict.

    Args:
        tables: each a work and its table, as ``results/published`` names them: ``chroma/minilm``;
            a number is judged by the first that has it.
        frame: ``run, chunker, part, measure, statistic, value`` and, where there is one, the
            interval ``low`` to ``high``; scores are fractions, sizes tokens.

    Returns:
        ``COLUMNS``, in the printed unit; ``stack_low`` to ``stack_high`` is what the published
        search gave when it was run again. A verdict is given where the run is the published
        condition, so that another encoder's scores stand beside the table without one.

    Raises:
        StudyError: if there is no such published table, with those there are.
    """
    judge = Judge(places)
    here: dict[tuple[str, ...], list[tuple[Cell, Condition]]] = {}
    for one in printed(places, tables):
        if isinstance(source := source_of(one), Condition):
            keys = (source.chunker, one.part, one.measure, one.statistic)
            key = (source.collection, _late(source.ordering), *keys)
            here.setdefault(key, []).append((one, source))
    rows = [_row(row, here, judge) for row in frame.to_dict("records")]
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS))


def printed(places: Places, tables: Sequence[str]) -> list[Cell]:
    """The numbers of published tables, in the order in which these are named.

    Raises:
        StudyError: if there is no such table, with those there are.
    """
    known = cells.read(places)
    by_table = {table: [one for one in known if _table(one) == table] for table in tables}
    if unknown := [table for table, own in by_table.items() if not own]:
        names = ", ".join(sorted({_table(one) for one in known}))
        raise StudyError(f"no published table {unknown[0]!r}; use one of {names}")
    return [one for own in by_table.values() for one in own]


def _table(cell: Cell) -> str:
    return f"{cell.work}/{cell.table}"


def as_published(found: pd.DataFrame, rows: str = "chunker") -> pd.DataFrame:
    """The same as text, laid out as published tables are: mean and deviation in one cell; for each
    chunker, or what else of ``PARTS`` is named, a line of what was published, one of ours, one of
    verdicts; a column for each measure and whatever else tells numbers apart."""
    parts = found["run"].str.split("/", expand=True).set_axis(list(PARTS), axis=1)
    cells = parts.assign(**found)
    names = [one for one in (*PARTS, "measure") if one != rows and cells[one].nunique() > 1]
    lines = []
    for row, own in cells.groupby(rows, sort=False):
        columns = list(own.groupby(names or ["measure"], sort=False))
        name = titles.shown(rows, row)
        for line, text in LINES.items():
            said = {_title(names or ["measure"], keys): text(cell) for keys, cell in columns}
            if any(said.values()):
                lines.append({rows: name, "line": line, **said})
                name = ""
    return pd.DataFrame(lines).rename(columns={"line": ""})


def _title(names: Sequence[str], keys: Sequence[object]) -> str:
    return ", ".join(titles.shown(*one) for one in zip(names, keys, strict=True))


def _row(
    row: Mapping[Hashable, object],
    here: Mapping[tuple[str, ...], list[tuple[Cell, Condition]]],
    judge: Judge,
) -> dict[str, object]:
    """A number in the printed unit, with what was published of it."""
    collection, _, encoder, ordering, protocol = str(row["run"]).split("/")
    keys = (str(row[one]) for one in KEYS)
    candidates = here.get((collection, _late(ordering), *keys), [])
    same_encoder = [pair for pair in candidates if pair[1].encoder in (NONE, encoder)]
    match = next(iter(same_encoder or candidates), None)
    unscaled = 1.0 if row["measure"] in UNSCALED else 100.0
    scale = scale_of(match[0]) if match else unscaled
    value, low, high = (scale * float(str(row.get(one, "nan"))) for one in NUMBERS)
    shown: dict[str, object] = {"run": row["run"], **{one: row[one] for one in KEYS}}
    shown |= {"reproduced": value, "low": low, "high": high, "verdict": ""}
    if match is None:
        return shown
    cell, source = match
    shown |= {"published": cell.published, "difference": value - cell.value}
    if source.protocol == protocol and source.encoder in (NONE, encoder):
        shown |= judge.judged(cell, source, value)
    return shown


def _late(ordering: str) -> str:
    """Late chunking, whatever its window is, or not."""
    return CONTEXTUALIZED if ordering.startswith(CONTEXTUALIZED) else ""


def _published(cell: pd.DataFrame) -> str:
    return PLUS_MINUS.join(cell["published"].dropna())


def _ours(cell: pd.DataFrame) -> str:
    digits = 0 if cell["measure"].iloc[0] == "chunks" else 2
    return PLUS_MINUS.join(decimals(one, digits) for one in cell["reproduced"])


def _verdict(cell: pd.DataFrame) -> str:
    """The weakest verdict of mean and deviation; by how much they differ where one is not exact."""
    judged = cell[cell["verdict"] != ""]
    if judged.empty:
        return ""
    weakest = max(judged["verdict"], key=RUN.index)
    said = titles.VERDICTS[weakest]
    if weakest == RUN[0]:
        return said
    apart = judged["difference"].dropna().map(lambda one: decimals(one, signed=True))
    return f"{said}: {', sd '.join(apart)}" if len(apart) else said


LINES: dict[str, Callable[[pd.DataFrame], str]] = {
    "published": _published,
    "ours": _ours,
    "verdict": _verdict,
}
"""What stands in each line of a chunker."""
