"""How many documents a second a work says that a chunker cuts.

No record gives such a number again, since it hangs on the machine and on who is asked; so a speed
is no published cell and gets no verdict, but stands beside what was measured here.
"""

from __future__ import annotations

import csv
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base.places import Places
from chunkstudy.published.cells import CellError


class Speed(BaseModel):
    """Documents a second, as one work prints them."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    work: str = Field(min_length=1)
    chunker: str = Field(min_length=1)
    collection: str = Field(min_length=1)
    published: str = Field(pattern=r"^[0-9]+(,[0-9]{3})*(\.[0-9]+)?$")
    place: str = Field(min_length=1)

    @property
    def value(self) -> float:
        return float(self.published.replace(",", ""))


def read(places: Places) -> list[Speed]:
    """The printed speeds, in the order of their files.

    Raises:
        CellError: for a row that is none.
    """
    found = []
    for path in sorted((places.published / "speeds").glob("*.csv")):
        for line, row in _rows(path):
            try:
                found.append(Speed(**row))
            except (ValidationError, TypeError) as error:
                raise CellError(f"{path.name}, line {line} is not a speed; correct it") from error
    return found


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [(reader.line_num, row) for row in reader]
