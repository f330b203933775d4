"""The cells of published tables: typed, with the string as printed and where it stands; what the
official implementations do, as far as a claim turns on it; and what the works claim.

A new table is a new file in ``results/published``: a row per cell, the columns being those of
`Cell`. ``docs/protocols.md`` tells the whole story of each code base; a fact of ``official_code``
quotes one line of it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, Self, TypeVar

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunkstudy.core.errors import UserError, first_fault
from chunkstudy.core.project import Project

KEYS = (
    "work", "table", "collection", "chunker", "encoder", "ordering", "part", "cut", "measure",
    "statistic",
)  # fmt: skip
"""What tells one cell from every other."""
COLUMNS = [*KEYS, "published", "value", "decimals", "unit", "marks", "of_retrieval"]
OFFICIAL_CODE = "official_code"
"""The folder of its facts."""
CLAIMS = "claims.csv"
"""The file beside the tables that holds sentences."""
Basis = Literal["published", "own data", "official code"]
Row = TypeVar("Row", bound=BaseModel)


class Cell(BaseModel):
    """One cell of one published table, in the unit in which it was printed."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    work: str = Field(min_length=1)
    table: str = Field(min_length=1)
    collection: str = Field(min_length=1)
    chunker: str = Field(min_length=1)
    encoder: str = Field(min_length=1)
    ordering: str = ""
    """Empty where the cell says nothing of embeddings."""
    part: str = "all"
    """One corpus of the collection, or all."""
    cut: str = ""
    """How many chunks or documents count; empty where none are retrieved."""
    measure: str = Field(min_length=1)
    statistic: str = Field(min_length=1)
    published: str = Field(min_length=1)
    """The string as printed."""
    decimals: int
    unit: Literal["percent", "fraction", "token", "character", "correlation"]
    section: str = Field(min_length=1)
    """Of the source."""
    block: str = ""
    """The heading under which rows stand in a table that has several."""
    row: str = Field(min_length=1)
    """As the source calls it, and the column too; what is printed in several rows stands in one."""
    column: str = Field(min_length=1)
    marks: str = ""
    """Bold, underline, superscripts or the printed name of the row."""

    @model_validator(mode="after")
    def _the_string_is_a_number(self) -> Self:
        try:
            number = float(self.published)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"the printed string {self.published!r} is not a number")
        if self.decimals != len(self.published.partition(".")[2]):
            raise ValueError(f"{self.published!r} does not have {self.decimals} decimals")
        return self

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this cell from every other."""
        return tuple(getattr(self, name) for name in KEYS)

    @property
    def value(self) -> float:
        """The number in the printed unit."""
        return float(self.published)

    @property
    def of_retrieval(self) -> bool:
        """Whether a model and its ranking move it, as they move no size and no Precision Omega."""
        return "@" in self.measure and self.unit != "correlation"


def read(places: Project) -> list[Cell]:
    """Every published cell of every work, file by file in the order in which they stand there.

    Raises:
        UserError: for an unknown column, a doubled key, a cell without a place in its source, or a
            string that is no number of as many decimals.
    """
    paths = sorted(path for path in places.published.glob("*.csv") if path.name != CLAIMS)
    return by_key(paths, Cell, lambda cell: cell.key)


def frame(cells: Iterable[Cell]) -> pd.DataFrame:
    """A row per cell; ``value`` is a float, ``decimals`` an integer."""
    return pd.DataFrame(
        [{name: getattr(cell, name) for name in COLUMNS} for cell in cells], columns=COLUMNS
    ).astype({"value": float, "decimals": int})


class Fact(BaseModel):
    """One thing that official code does.

    Attributes:
        fact: its name, by which a claim asks for it.
        repository: ``owner/name``.
        commit: the first seven or more digits.
        file: its path in the repository.
        lines: a line or ``first-last``; empty where the absence of something is the fact.
        says: what is done there, in our words.
        value: a number or a word.
        read: at which commit the lines were looked up, where it was another.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fact: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)+$")
    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    commit: str = Field(pattern=r"^[0-9a-f]{7,40}$")
    file: str = Field(min_length=1)
    lines: str = Field("", pattern=r"^(\d+(-\d+)?)?$")
    says: str = Field(min_length=10)
    value: str = Field(min_length=1)
    read: str = ""

    @property
    def place(self) -> str:
        """Where a reader finds it."""
        lines = f":{self.lines}" if self.lines else ""
        read = f", read at {self.read}" if self.read else ""
        return f"{self.repository} at {self.commit[:7]}, {self.file}{lines}{read}"


def facts(places: Project) -> dict[str, Fact]:
    """Every fact of official code by its name.

    Raises:
        UserError: for a row that is no fact, or a name that stands twice.
    """
    paths = sorted((places.published / OFFICIAL_CODE).glob("*.csv"))
    facts_read = by_key(paths, Fact, lambda fact: (fact.fact,))
    return {fact.fact: fact for fact in facts_read}


class Statement(BaseModel):
    """One claim of a work, and how it is read: a row of ``claims.csv``, in the order of the ledger.
    Whether it is so, a notebook judges (:mod:`chunkstudy.notebook.claims`).

    Attributes:
        id: its number in the study's list, C01 to C139; X: found while reading.
        work: which makes it.
        place: where it stands there.
        sentence: what it says, in our words.
        fair: what a reader takes it to mean, its parts separated by semicolons; empty where the
            sentence says it itself.
        strict: what it literally says, likewise, where that is something else.
        numbers: on what its verdicts rest, in words with a ``{}`` for each number, as
            :meth:`str.format` has them.
        basis: whose numbers these are.
        needs: what would decide it, or a part of it, where nothing at hand does.
        page: the notebook that names it among its open claims, where no line of code judges it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[CX]\d{2,3}$")
    work: str = Field(min_length=1)
    place: str = Field(min_length=1)
    sentence: str = Field(min_length=1)
    fair: str = ""
    strict: str = ""
    numbers: str = ""
    basis: Basis
    needs: str = ""
    page: str = ""

    @property
    def readings(self) -> dict[str, list[str]]:
        """The parts of each reading, the fair one first; ``plain`` where there is but one."""
        strict = {"strict": self.strict.split("; ")} if self.strict else {}
        return {"fair" if strict else "plain": self.fair.split("; ")} | strict


def statements(places: Project) -> dict[str, Statement]:
    """Every claim of every work by its id.

    Raises:
        UserError: for a row that is no claim, or an id that stands twice.
    """
    rows = by_key([places.published / CLAIMS], Statement, lambda row: (row.id,))
    return {row.id: row for row in rows}


def by_key(
    paths: Iterable[Path], kind: type[Row], key: Callable[[Row], tuple[str, ...]]
) -> list[Row]:
    """The rows of CSV files in their order, each checked, none with the key of another.

    Raises:
        UserError: naming the file and the line.
    """
    rows: dict[tuple[str, ...], Row] = {}
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for fields in reader:
                where = f"{path.name}, line {reader.line_num}"
                if None in fields or None in fields.values():
                    raise UserError(f"{where} does not have as many fields as the file has columns")
                try:
                    row = kind.model_validate_strings({k: v for k, v in fields.items() if v})
                except ValidationError as error:
                    column, message = first_fault(error)
                    fault = f"{column}: {message}" if column else message
                    raise UserError(f"{where}: {fault}") from error
                if key(row) in rows:
                    raise UserError(
                        f"{where} has the key of another row "
                        f"({', '.join(filter(None, key(row)))}); keep one of them or tell them "
                        "apart by a column"
                    )
                rows[key(row)] = row
    return list(rows.values())
