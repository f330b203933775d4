"""What the official implementations do, fact by fact, as far as a claim turns on it.

A fact is one row of ``results/published/official_code/<work>.csv``: where it stands (repository,
commit, file, lines), what it says in our words, and its value, a number or a word that claims
compare with what the sentence says. ``docs/protocols.md`` tells the whole story of each code base;
a fact quotes one line of it.
"""

from __future__ import annotations

import csv

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base.faults import first_fault
from chunkstudy.base.places import Places

FOLDER = "official_code"


class FactError(ValueError):
    """A file of facts that cannot be read as one."""


class Fact(BaseModel):
    """One thing that official code does.

    Attributes:
        fact: its name, by which claims ask for it.
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
    lines: str = Field(pattern=r"^(\d+(-\d+)?)?$")
    says: str = Field(min_length=10)
    value: str = Field(min_length=1)
    read: str = ""

    @property
    def place(self) -> str:
        """Where a reader finds it."""
        lines = f":{self.lines}" if self.lines else ""
        read = f", read at {self.read}" if self.read else ""
        return f"{self.repository} at {self.commit[:7]}, {self.file}{lines}{read}"


def read(places: Places) -> dict[str, Fact]:
    """Every fact by its name.

    Raises:
        FactError: for a row that is no fact, or a name that stands twice.
    """
    found: dict[str, Fact] = {}
    for path in sorted((places.published / FOLDER).glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                where = f"{FOLDER}/{path.name}, line {number}"
                try:
                    fact = Fact.model_validate(row)
                except ValidationError as error:
                    column, fault = first_fault(error)
                    raise FactError(f"{where}, {column}: {fault}") from error
                if fact.fact in found:
                    raise FactError(f"{where}: fact {fact.fact} stands twice; rename one")
                found[fact.fact] = fact
    return found
