"""A claim of a published work: a line of the notebook that has its table at hand, and the ledger
that collects these lines.

A sentence is read fairly, as a reader takes it, and strictly, word for word, which never grants it
more; a sentence that says what it means has one reading. A reading is a truth, or the truth of each
of several parts by its words. What follows:

- ``holds``: it is true, every part of it;
- ``contradicted``: it is not, nor is any part of it;
- ``partly``: some parts are true and some are not;
- ``open``: nothing at hand decides it, or a part of it; ``needs`` says what would.

Ids C01 to C139 are those of the study's list; X ids are claims found while reading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published.cells import Fact
from chunkstudy.published.sources import WORKS
from chunkstudy.show.columns import Columns, one_of
from chunkstudy.show.formats import MINUS

Decided = bool | np.bool_ | None
Truth = Decided | Mapping[str, Decided]
Basis = Literal["published", "own data", "official code"]
VERDICTS = ("holds", "partly", "contradicted", "open")
STRENGTH = {"contradicted": 0, "partly": 1, "holds": 2}
"""Which verdict grants a sentence more; an open one compares with none."""
COLUMNS = [
    "id",
    "work",
    "place",
    "claim",
    "reading",
    "verdict",
    "basis",
    "numbers",
    "needs",
    "page",
]
NEGATIVE = re.compile(r"(?<![\w.)])-(?=\d)")
"""A hyphen that stands for a minus."""
SHOWN_AS: Columns = {
    "numbers": lambda text: NEGATIVE.sub(MINUS, text),
    "reading": one_of({"plain": "as it stands"}),
}
OF_PAGES = {"labels": "tutorial"}
"""Works whose pages are not called by their names."""


class ClaimError(ValueError):
    """A claim that breaks the ledger's rules; the message says which."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, restated and judged.

    >>> Claim("C01", "Summary", "Recall differs by 9%.", fair=9.4 > 9, numbers="9.4%").verdicts
    ['holds']

    Attributes:
        id: its number in the study's list.
        place: where it stands in the work.
        sentence: what it says, in our words.
        fair: what a reader takes from the sentence: true or not, or so by each of its parts; None
            where nothing at hand decides.
        strict: what it literally says; None where that is the same.
        numbers: on what the verdicts rest, in words and figures.
        basis: whose numbers these are.
        needs: what would decide it where it is open.

    Raises:
        ClaimError: if it has no reading, no number, an open reading without what it needs, or a
            fair reading that grants it less than the strict one.
    """

    id: str
    place: str
    sentence: str
    _: KW_ONLY
    fair: Truth = None
    strict: Truth = None
    numbers: str = ""
    basis: Basis = "own data"
    needs: str = ""

    def __post_init__(self) -> None:
        verdicts, of_the_claim = self.verdicts, f"claim {self.id}"
        if self.fair is None and self.strict is None and not self.needs:
            raise ClaimError(f"{of_the_claim} has no reading; give `fair`, `strict` or `needs`")
        if self.basis not in get_args(Basis):
            raise ClaimError(f"{of_the_claim} rests on {', '.join(get_args(Basis))}; say which")
        if ("open" in verdicts) != bool(self.needs):
            raise ClaimError(f"{of_the_claim}: `needs` says what an open reading waits for")
        if set(verdicts) != {"open"} and not any(map(str.isdigit, self.numbers)):
            raise ClaimError(f"{of_the_claim} is decided without a number; give `numbers`")
        decided = [STRENGTH[one] for one in verdicts if one != "open"]
        if decided != sorted(decided, reverse=True):
            raise ClaimError(f"{of_the_claim}: the strict reading grants it more than the fair one")

    @property
    def verdicts(self) -> list[str]:
        """Of each reading, the fair one first."""
        return [verdict(truth) for _, truth in self._readings()]

    def rows(self) -> list[dict[str, str]]:
        """A row of the ledger for each reading, the fair one first."""
        return [
            {
                "id": self.id,
                "place": self.place,
                "claim": self.sentence,
                "reading": name + meaning(truth),
                "verdict": verdict(truth),
                "basis": self.basis,
                "numbers": self.numbers,
                "needs": self.needs if verdict(truth) == "open" else "",
            }
            for name, truth in self._readings()
        ]

    def _readings(self) -> list[tuple[str, Truth]]:
        given = [("fair", self.fair), ("strict", self.strict)]
        if any(truth is None for _, truth in given):
            return [("plain", self.strict if self.fair is None else self.fair)]
        return given


def cited(*facts: Fact) -> str:
    """What official code does, and where: the numbers of a claim that rests on it."""
    return "; ".join(f"{fact.says} ({fact.place})" for fact in facts)


def verdict(truth: Truth) -> str:
    """What follows of a reading."""
    parts = list(truth.values()) if isinstance(truth, Mapping) else [truth]
    if any(part is None for part in parts):
        return "open"
    if len({bool(part) for part in parts}) > 1:
        return "partly"
    return "holds" if parts[0] else "contradicted"


def meaning(truth: Truth) -> str:
    """What a reading takes the sentence to mean, where it says so."""
    return f": {'; '.join(truth)}" if isinstance(truth, Mapping) else ""


def collect(places: Places) -> pd.DataFrame:
    """Every claim that the notebooks judged, a row a reading, by work and id.

    Raises:
        ClaimError: if two pages judge one claim, or a page is of no work.
    """
    pages: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    for path in sorted((places.results / "answers").glob("*.json")):
        page = path.stem
        for row in json.loads(path.read_text(encoding="utf-8")).get("claims", ()):
            if pages.setdefault(row["id"], page) != page:
                raise ClaimError(
                    f"claim {row['id']} is judged in {pages[row['id']]} and in {page}; leave one"
                )
            rows.append(row | {"work": work(page), "page": page})
    found = pd.DataFrame(rows, columns=COLUMNS)
    order = found["work"].map(list(WORKS).index).astype(int)
    number = found["id"].str[1:].astype(int)
    keys = pd.DataFrame({"work": order, "kind": found["id"].str[0], "number": number})
    in_order = keys.sort_values(["work", "kind", "number"], kind="stable").index
    return found.loc[in_order].reset_index(drop=True)


def work(page: str) -> str:
    """The work that a notebook reproduces, from its name.

    Raises:
        ClaimError: if it is of none.
    """
    begins = page.partition("_")[0]
    name = OF_PAGES.get(begins, begins)
    if name not in WORKS:
        raise ClaimError(f"{page} is a page of no published work ({', '.join(WORKS)})")
    return name


def once(claims: Iterable[Claim], before: list[dict[str, str]]) -> list[Claim]:
    """The claims, none of which this page has judged before.

    Raises:
        ClaimError: if one was.
    """
    found = list(claims)
    seen = {row["id"] for row in before}
    for one in found:
        if one.id in seen:
            raise ClaimError(f"claim {one.id} is judged twice on this page; leave one")
        seen.add(one.id)
    return found
