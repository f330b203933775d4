"""What the official implementations do, fact by fact, as far as a claim turns on it.

A fact is one row of ``results/published/official_code/<work>.csv``: where it stands (repository,
commit, file, lines), what it says in our words, and its value, a number or a word that claims
compare with what the sentence says. ``docs/protocols.md`` tells the whole story of each code base;
a fact quotes one line of it.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from chunkstudy.base.places import Places
from chunkstudy.published.cells import by_key

FOLDER = "official_code"


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


def read(places: Places) -> dict[str, Fact]:
    """Every fact by its name.

    Raises:
        CellError: for a row that is no fact, or a name that stands twice.
    """
    paths = sorted((places.published / FOLDER).glob("*.csv"))
    return {one.fact: one for one in by_key(paths, Fact, lambda fact: (fact.fact,))}
