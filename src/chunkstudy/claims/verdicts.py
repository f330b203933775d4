"""What decides a reading of a claim: its cases, met or not, and the verdict that follows.

- ``holds``: every case is met;
- ``contradicted``: one is not, however many are; the figures begin with "n of N";
- ``partly``: only of a sentence of several parts, some of which hold and some of which do not;
- ``open``: nothing at hand can tell; ``needs`` says what would.

No verdict is ever written down, and a case that is missing does not save one that is not met: a
universal sentence with a counterexample is contradicted whatever is still to be run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

VERDICTS = ("holds", "contradicted", "partly", "open")
STRENGTH = {"contradicted": 0, "partly": 1, "holds": 2}
"""Which verdict grants a sentence more; an open one compares with none."""
WITNESS = "; witness: "
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
        needs: what would decide, where nothing at hand does.
        parts: what was found of each part, by its words, of a sentence that has several.

    Raises:
        ClaimError: without any figure, or without exactly one of cases, needs and parts.
    """

    cases: Mapping[str, bool]
    figures: str
    needs: str = ""
    parts: Mapping[str, Outcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if sum(map(bool, (self.cases, self.needs, self.parts))) != 1:
            raise ClaimError("give cases to count, parts, or what is needed to decide, one of them")
        if not any(character.isdigit() for character in self.figures):
            raise ClaimError("a verdict rests on figures; give at least one number")

    def verdict(self) -> str:
        """What follows."""
        if self.needs:
            return "open"
        if self.parts:
            found = {part.verdict() for part in self.parts.values()}
            return found.pop() if len(found) == 1 else "partly"
        return "holds" if all(self.cases.values()) else "contradicted"

    def beside(self, figures: str) -> Outcome:
        """The same with further figures."""
        return replace(self, figures=f"{self.figures}; {figures}") if figures else self

    def witnessed(self, figures: str) -> Outcome:
        """The same with the figures of another model or collection beside it."""
        return replace(self, figures=self.figures + WITNESS + figures) if figures else self


def decide(condition: bool, figures: str) -> Outcome:
    """A claim that one condition decides."""
    return Outcome({"": bool(condition)}, figures)


def counted(
    cases: Mapping[str, bool] | Iterable[bool], figures: str = "", missing: str = ""
) -> Outcome:
    """A claim about every one of several cases; the figures begin with how many bear it out.

    Cases that do not are named where they have names and are not too many to read.

    Args:
        cases: whether each bears it out.
        figures: what is shown after the count.
        missing: what cases that could not be looked at need; without a counterexample they leave
            the claim open.
    """
    if not isinstance(cases, Mapping):
        return counted({f"#{n}": true for n, true in enumerate(cases)}, figures, missing)
    others = [name for name, true in cases.items() if not true]
    text = f"{len(cases) - len(others)} of {len(cases)}"
    if others and len(others) <= NAMED and not others[0].startswith("#"):
        text += f" (not: {', '.join(others)})"
    text = f"{text}; {figures}" if figures else text
    if missing and not others:
        return unanswered(missing, text)
    return Outcome({name: bool(true) for name, true in cases.items()}, text)


def unanswered(needs: str, figures: str) -> Outcome:
    """A claim that nothing at hand decides."""
    return Outcome({}, figures, needs)


def in_parts(parts: Mapping[str, Outcome]) -> Outcome:
    """A sentence of several parts by their words; what none of them can tell leaves it open."""
    figures = "; ".join(
        f"{words}: {part.verdict()}, {part.figures}" for words, part in parts.items()
    )
    if needs := _needs(parts.values()):
        return unanswered(needs, figures)
    return Outcome({}, figures, parts=dict(parts))


def jointly(conditions: Iterable[Outcome]) -> Outcome:
    """One statement that several conditions make: a single one that fails contradicts it."""
    found = list(conditions)
    figures = "; ".join(one.figures for one in found)
    if any(one.verdict() == "contradicted" for one in found):
        return decide(False, figures)
    if needs := _needs(found):
        return unanswered(needs, figures)
    return decide(True, figures)


def _needs(outcomes: Iterable[Outcome]) -> str:
    return "; ".join(dict.fromkeys(one.needs for one in outcomes if one.needs))
