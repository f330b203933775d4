"""What decides a reading of a claim: its cases, met or not, and the verdict that follows.

- ``holds``: every case is met;
- ``contradicted``: one is not, however many are; the figures begin with "n of N";
- ``partly``: only of a sentence of several parts, some of which hold and some of which do not;
- ``open``: nothing at hand can tell; ``needs`` says what would.

No verdict is ever written down, and a case that is missing does not save one that is not met: a
universal sentence with a counterexample is contradicted whatever is still to be run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

VERDICTS = ("holds", "contradicted", "partly", "open")
STRENGTH = {"contradicted": 0, "partly": 1, "holds": 2}
"""Which verdict grants a sentence more; an open one compares with none."""
NAMED = 6
"""Cases that a claim's figures name at most; more of them are only counted."""


class ClaimError(ValueError):
    """A claim, or what decides it, that breaks the ledger's rules; the message says which."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a predicate finds.

    Attributes:
        cases: what was looked at, by name, and whether it bears the claim out.
        figures: the numbers it rests on, as text.
        needed: what would decide, where nothing at hand does.
        parts: what was found of each part of a sentence, by its words, or of each condition.
        together: the parts are conditions of one statement, which a single one contradicts.
        predicate: what kind of computation found it.
        beyond: why no data of this study can ever decide, where that is so.

    Raises:
        ClaimError: without any figure, or without exactly one of cases, needed and parts.
    """

    cases: Mapping[str, bool]
    figures: str
    needed: str = ""
    parts: Mapping[str, Outcome] = field(default_factory=dict)
    together: bool = False
    predicate: str = "function"
    beyond: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.cases, self.needed, self.parts))) != 1:
            raise ClaimError("give cases to count, parts, or what is needed to decide, one of them")
        if not any(character.isdigit() for character in self.figures):
            raise ClaimError("a verdict rests on figures; give at least one number")

    @property
    def verdict(self) -> str:
        """What follows."""
        found = {part.verdict for part in self.parts.values()}
        if self.together and "contradicted" in found:
            return "contradicted"
        if self.needed or "open" in found:
            return "open"
        if found:
            return found.pop() if len(found) == 1 else "partly"
        return "holds" if all(self.cases.values()) else "contradicted"

    @property
    def needs(self) -> str:
        """What would decide; empty where something does."""
        if self.verdict != "open":
            return ""
        needs = (part.needs for part in self.parts.values())
        return self.needed or "; ".join(dict.fromkeys(filter(None, needs)))

    def leaves(self) -> Iterator[Outcome]:
        """What can be wrong by itself: the parts and conditions that have none of their own."""
        if not self.parts:
            yield self
        for part in self.parts.values():
            yield from part.leaves()


def decide(condition: bool, figures: str, predicate: str = "function") -> Outcome:
    """A claim that one condition decides."""
    return Outcome({"": bool(condition)}, figures, predicate=predicate)


def counted(
    cases: Mapping[str, bool] | Iterable[bool],
    figures: str = "",
    missing: str = "",
    predicate: str = "function",
) -> Outcome:
    """A claim about every one of several cases; the figures begin with how many bear it out, and
    name those that do not where they have names and are not too many to read.

    Args:
        missing: what cases that could not be looked at need; without a counterexample they leave
            the claim open.
    """
    by_name = cases if isinstance(cases, Mapping) else {str(n): one for n, one in enumerate(cases)}
    others = [name for name, true in by_name.items() if not true]
    text = f"{len(by_name) - len(others)} of {len(by_name)}"
    if others and len(others) <= NAMED and by_name is cases:
        text += f" (not: {', '.join(others)})"
    text = f"{text}; {figures}" if figures else text
    if missing and not others:
        return unanswered(missing, text, predicate)
    found = {name: bool(true) for name, true in by_name.items()}
    return Outcome(found, text, predicate=predicate)


def unanswered(needs: str, figures: str, predicate: str = "function", beyond: str = "") -> Outcome:
    """A claim that nothing at hand decides."""
    return Outcome({}, figures, needs, predicate=predicate, beyond=beyond)


def in_parts(parts: Mapping[str, Outcome]) -> Outcome:
    """Each part of the sentence is decided by itself; one that is open leaves it open."""
    figures = "; ".join(f"{words}: {part.verdict}, {part.figures}" for words, part in parts.items())
    return Outcome({}, figures, parts=parts, predicate="parts")


def jointly(*conditions: Outcome) -> Outcome:
    """Several conditions have to hold together: a single one that fails contradicts the claim."""
    figures = "; ".join(one.figures for one in conditions)
    parts = {str(number): one for number, one in enumerate(conditions)}
    return Outcome({}, figures, parts=parts, together=True, predicate="all")
