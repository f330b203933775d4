"""A claim of a published work: a line of the notebook that has its table at hand, and the ledger
that collects these lines.

What it says is data (:class:`chunkstudy.published.cells.Statement`); the line judges it. It is
read fairly, as a reader takes it, and strictly, word for word, which never grants it more; a
sentence that says what it means has one reading. A reading is a truth, or the truth of each of its
parts. What follows:

- ``holds``: it is true, every part of it;
- ``contradicted``: it is not, nor is any part of it;
- ``partly``: some parts are true and some are not;
- ``open``: nothing at hand decides it, or a part of it; ``needs`` says what would.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chunkstudy.core.errors import UserError
from chunkstudy.core.project import Project
from chunkstudy.display.formats import MINUS, Columns
from chunkstudy.display.titles import NAMES, named
from chunkstudy.notebook import summary_files
from chunkstudy.published import cells, sources
from chunkstudy.published.cells import CLAIMS, Fact, Statement

if TYPE_CHECKING:
    from chunkstudy.notebook.study import Study

Decided = bool | np.bool_ | pd.Series | pd.DataFrame | None
Truth = Decided | Sequence[Decided]
Row = dict[str, str]
VERDICTS = ("holds", "partly", "contradicted", "open")
"""Those that grant a sentence more come first; an open one compares with none."""
COLUMNS = [
    "id", "work", "place", "claim", "reading", "verdict", "basis", "numbers", "needs", "page",
]  # fmt: skip
NEGATIVE = re.compile(r"(?<![\w.)])-(?=\d)")
"""A hyphen that stands for a minus."""
SHOWN_AS: Columns = {
    "numbers": lambda text: NEGATIVE.sub(MINUS, text),
    "reading": named("reading"),
}
READINGS = {"fair": "as a fair reader takes them", "strict": "word for word"}
SHOWN = ["id", "claim", "reading", "verdict", "basis", "numbers", "place"]


class Claim:
    """How one claim is judged.

    Args:
        id: of its statement.
        numbers: on what the verdicts rest, in the order in which the statement names them.
        fair: whether what a reader takes from the sentence is true, in each case where it is of
            several; or a list, whether each part of that is, in the statement's order; None where
            nothing at hand decides.
        strict: the same of what it literally says, where the statement tells that apart.
    """

    def __init__(self, id: str, *numbers: object, fair: Truth = None, strict: Truth = None) -> None:
        self.id, self.numbers, self.fair, self.strict = id, numbers, fair, strict


def coded(id: str, fact: Fact, value: str, *others: Fact) -> Claim:
    """A claim that holds if official code does ``value``; the others are quoted beside that."""
    return Claim(id, cited(fact, *others), fair=fact.value == value)


def cited(*facts: Fact) -> str:
    """What official code does, and where: the numbers of a claim that rests on it."""
    return "; ".join(f"{fact.says} ({fact.place})" for fact in facts)


def share(met: pd.Series[Any] | pd.DataFrame) -> str:
    """In how many cells something is so: ``3 of 4``."""
    return f"{met.to_numpy().sum()} of {met.size}"


def verdict(*parts: Decided) -> str:
    """What follows of a reading's parts.

    Raises:
        UserError: if a part is told of no case at all, which would make it true.
    """
    if any(part is None for part in parts):
        return "open"
    if any(not np.asarray(part).size for part in parts):
        raise UserError("a reading is decided by no case; look at what it selects")
    true = {bool(np.all(part)) for part in parts}
    if len(true) > 1:
        return "partly"
    return "holds" if true == {True} else "contradicted"


def rows(statement: Statement, claim: Claim) -> list[Row]:
    """A row of the ledger for each reading, the fair one first.

    Raises:
        UserError: if the claim has other readings, parts or numbers than the statement, no number,
            an open reading without what it needs, or a fair reading that grants it less than the
            strict one.
    """
    numbers, verdicts = _numbers(statement, claim), _verdicts(statement, claim)
    return [
        {
            "id": statement.id,
            "place": statement.place,
            "claim": statement.sentence,
            "reading": ": ".join(filter(None, (reading, "; ".join(parts)))),
            "verdict": verdicts[reading],
            "basis": statement.basis,
            "numbers": numbers,
            "needs": statement.needs if verdicts[reading] == "open" else "",
        }
        for reading, parts in statement.readings.items()
    ]


def _verdicts(statement: Statement, claim: Claim) -> dict[str, str]:
    of_the_claim, verdicts = f"claim {claim.id}", {}
    if claim.strict is not None and not statement.strict:
        raise UserError(f"{of_the_claim} has no strict reading in {CLAIMS}; say it there")
    for (reading, parts), truth in zip(
        statement.readings.items(), (claim.fair, claim.strict), strict=False
    ):
        truths = truth if isinstance(truth, Sequence) else [truth]
        if truth is not None and len(truths) != len(parts):
            raise UserError(
                f"{of_the_claim} is read in parts: {len(parts)} in {CLAIMS}, {len(truths)} here"
            )
        verdicts[reading] = verdict(*truths)
    if ("open" in verdicts.values()) != bool(statement.needs):
        raise UserError(f"{of_the_claim}: `needs` in {CLAIMS} says what an open reading waits for")
    decided = [VERDICTS.index(word) for word in verdicts.values() if word != "open"]
    if decided and not claim.numbers:
        raise UserError(f"{of_the_claim} is decided without a number; give one")
    if decided != sorted(decided):
        raise UserError(f"{of_the_claim}: the strict reading grants it more than the fair one")
    return verdicts


def _numbers(statement: Statement, claim: Claim) -> str:
    given, named = len(claim.numbers), statement.numbers.count("{")
    if given != named:
        raise UserError(f"claim {claim.id} names {named} numbers in {CLAIMS} and is given {given}")
    return statement.numbers.format(*claim.numbers)


def judged(places: Project, claims: Iterable[Claim], before: Iterable[Row]) -> list[Row]:
    """The rows of claims in the order in which they are listed, none of which this page has judged
    before.

    Raises:
        UserError: if one was, if nothing says what one claims, or if one breaks a rule
            (:func:`rows`).
    """
    listed, seen = cells.statements(places), {row["id"] for row in before}
    of_claims: dict[str, list[Row]] = {}
    for claim in claims:
        if claim.id not in listed:
            raise UserError(
                f"claim {claim.id} is not in results/published/{CLAIMS}; add what it says there"
            )
        if claim.id in seen or claim.id in of_claims:
            raise UserError(f"claim {claim.id} is judged twice on this page; leave one")
        of_claims[claim.id] = rows(listed[claim.id], claim)
    return [row for id in listed for row in of_claims.get(id, ())]


def collect(places: Project) -> pd.DataFrame:
    """Every claim that a notebook judged or names as open, a row a reading, as they are listed.

    Raises:
        UserError: if two pages judge one claim, or a page judges one that is not listed.
    """
    pages: Mapping[str, dict[str, list[Row]]] = defaultdict(dict)
    for page, content in summary_files.every(places):
        for row in content.get("claims", ()):
            pages[row["id"]].setdefault(page, []).append(row)
    for id, of_pages in pages.items():
        if len(of_pages) > 1:
            raise UserError(f"claim {id} is judged in {' and in '.join(of_pages)}; leave one")
    listed = cells.statements(places)
    if unlisted := [f"{id} of {next(iter(pages[id]))}" for id in pages if id not in listed]:
        raise UserError(f"{CLAIMS} lacks {', '.join(unlisted)}; add what each says")
    for id, statement in listed.items():
        if statement.page and id not in pages:
            pages[id][statement.page] = rows(statement, Claim(id))
    ledger = [
        row | {"work": statement.work, "page": page}
        for id, statement in listed.items()
        for page in pages[id]
        for row in pages[id][page]
    ]
    return pd.DataFrame(ledger, columns=COLUMNS)


def both(claims: pd.DataFrame) -> pd.DataFrame:
    """A claim a row with its two verdicts, ``fair`` and ``strict``; one that is read in one way has
    the same twice."""
    kind = claims["reading"].str.split(":").str[0]
    rows = claims.drop_duplicates("id")[["id", "work", "place", "claim"]].set_index("id")
    for reading, other in zip(READINGS, reversed(READINGS), strict=True):
        rows[reading] = claims[kind != other].drop_duplicates("id").set_index("id")["verdict"]
    return rows.reset_index()


def counts(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims by work, a row for each way of reading them: how many hold, and so on."""
    rows = [
        {"work": work, "read": READINGS[reading], "claims": len(part)}
        | {verdict: int((part[reading] == verdict).sum()) for verdict in VERDICTS}
        for work, part in both(claims).groupby("work", sort=False)
        for reading in READINGS
    ]
    return pd.DataFrame(rows, columns=["work", "read", "claims", *VERDICTS])


def paper_tables(study: Study, claims: pd.DataFrame) -> None:
    """The paper's tables of claims: their counts, and each work's in the appendix; none where there
    is no claim."""
    if claims.empty:
        return
    heads = {name: name for name in ("work", "read", "claims", *VERDICTS)}
    study.paper_table(
        "claims", counts(claims), heads,
        "Claims by work and verdict, as a fair reader takes them and word for word. Open: waits "
        "for a model that was not at hand.",
        once="work", shorter=sources.SHORTER | {READINGS["fair"]: "fairly"},
    )  # fmt: skip
    heads = {"place": "where it stands", "claim": "claim, in short", "fair": "fairly read",
             "strict": "word for word"}  # fmt: skip
    for work, part in both(claims).groupby("work", sort=False):
        caption = f"Claims of {sources.WORKS[str(work)].title}."
        study.paper_table(
            f"claims_{work}", part, heads, caption, span="appendix", shorter=NAMES["place"]
        )
