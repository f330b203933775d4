"""What the works claim, sentence by sentence: ``results/published/claims.csv``, a row a claim, in
the order of the ledger. Whether it is so, a notebook judges (:mod:`chunkstudy.study.claims`).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from chunkstudy.base.places import Places
from chunkstudy.published.cells import CLAIMS, by_key

Basis = Literal["published", "own data", "official code"]


class Statement(BaseModel):
    """One claim of a work, and how it is read.

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


def read(places: Places) -> dict[str, Statement]:
    """Every claim by its id.

    Raises:
        CellError: for a row that is no claim, or an id that stands twice.
    """
    rows = by_key([places.published / CLAIMS], Statement, lambda row: (row.id,))
    return {row.id: row for row in rows}
