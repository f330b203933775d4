"""What others measured with the study's encoders where nothing is chunked: a public leaderboard.

A witness judges no published cell; it tells whether encoder, collection and measure are what
others mean by their names. Its row says where the number stands: repository, commit, path, place.
"""

from __future__ import annotations

import csv
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base.faults import first_fault
from chunkstudy.base.places import Places
from chunkstudy.published.cells import CellError

AGREES = 0.004
"""How far a score may lie off: what another library's rounding and ties were seen to move."""


class Witness(BaseModel):
    """One score of one model on one collection, every document read whole up to its window."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    collection: str = Field(min_length=1)
    encoder: str = Field(min_length=1)
    """The study's id; the window is the model's own."""
    model: str = Field(min_length=1)
    """The hub id of what was measured: another than ``encoder`` where its weights were rounded."""
    measure: str = Field(min_length=1)
    published: str = Field(pattern=r"^0\.[0-9]+$")
    """A fraction, as it stands in the file."""
    repository: str = Field(pattern=r"^[^/]+/[^/]+$")
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    path: str = Field(min_length=1)
    place: str = Field(min_length=1)
    """Keys down to the number."""
    benchmark: str = Field(min_length=1)
    """Which software measured it, with its version."""

    @property
    def same_weights(self) -> bool:
        """Whether the very weights were measured that the study runs."""
        return self.model == self.encoder

    @property
    def value(self) -> float:
        return float(self.published)


def read(places: Places) -> list[Witness]:
    """The witnesses, in the order of their files.

    Raises:
        CellError: for a row that is not a witness, or two of the same score.
    """
    found: dict[tuple[str, str, str], Witness] = {}
    for path in sorted((places.published / "witnesses").glob("*.csv")):
        for line, row in _rows(path):
            try:
                witness = Witness(**row)
            except (ValidationError, TypeError) as error:
                where = (
                    first_fault(error)[0] if isinstance(error, ValidationError) else "its columns"
                )
                raise CellError(f"{path.name}, line {line} is not a witness: {where}") from error
            key = (witness.collection, witness.encoder, witness.measure)
            if key in found:
                raise CellError(
                    f"{path.name}, line {line} has a second witness of {', '.join(key)}; keep one"
                )
            found[key] = witness
    return list(found.values())


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [(reader.line_num, row) for row in reader]
