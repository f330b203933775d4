"""What decides a reading of a claim: its cases, met or not, and the verdict that follows.

- ``holds``: every case is met;
- ``contradicted``: none is, or one is not and the reading cannot hold in part;
- ``partly``: some are;
- ``open``: nothing at hand can tell; ``needs`` says what would.

No verdict is ever written down. Whose evidence counts: a claim about a work's own tables is
decided by its published cells; a claim about what a model scores by records of that model alone.
Records of another model (all-MiniLM-L6-v2 where the work used something else) stand beside it as
a witness and never decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

VERDICTS = ("holds", "contradicted", "partly", "open")
WITNESS = "; witness, all-MiniLM-L6-v2: "
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
        needs: what would decide, where nothing at hand does; there are no cases then.

    Raises:
        ClaimError: without any figure, or with both or neither of cases and needs.
    """

    cases: Mapping[str, bool]
    figures: str
    needs: str = ""

    def __post_init__(self) -> None:
        if bool(self.cases) == bool(self.needs):
            raise ClaimError("give cases to count, or what is needed to decide, and not both")
        if not any(character.isdigit() for character in self.figures):
            raise ClaimError("a verdict rests on figures; give at least one number")

    def verdict(self, whole: bool = False) -> str:
        """What follows; ``whole`` where a single case that is not met contradicts."""
        if self.needs:
            return "open"
        met = [bool(true) for true in self.cases.values()]
        if all(met):
            return "holds"
        return "partly" if any(met) and not whole else "contradicted"

    def beside(self, figures: str) -> Outcome:
        """The same with further figures."""
        return replace(self, figures=f"{self.figures}; {figures}") if figures else self

    def witnessed(self, figures: str) -> Outcome:
        """The same with another model's figures beside it."""
        return replace(self, figures=self.figures + WITNESS + figures) if figures else self


def decide(condition: bool, figures: str) -> Outcome:
    """A claim that one condition decides."""
    return Outcome({"": bool(condition)}, figures)


def counted(cases: Mapping[str, bool] | Iterable[bool], figures: str = "") -> Outcome:
    """A claim about several cases; the figures begin with how many bear it out.

    Cases that do not are named where they have names and are not too many to read.
    """
    if not isinstance(cases, Mapping):
        return counted({f"#{n}": true for n, true in enumerate(cases)}, figures)
    others = [name for name, true in cases.items() if not true]
    text = f"{len(cases) - len(others)} of {len(cases)}"
    if others and len(others) <= NAMED and not others[0].startswith("#"):
        text += f" (not: {', '.join(others)})"
    return Outcome(dict(cases), f"{text}; {figures}" if figures else text)


def unanswered(needs: str, figures: str) -> Outcome:
    """A claim that nothing at hand decides."""
    return Outcome({}, figures, needs)


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Several parts of one sentence; what none of them can tell leaves it open."""
    parts = list(outcomes)
    needs = "; ".join(dict.fromkeys(part.needs for part in parts if part.needs))
    cases = {
        f"{number}: {name}": true
        for number, part in enumerate(parts, 1)
        for name, true in part.cases.items()
    }
    return Outcome({} if needs else cases, "; ".join(part.figures for part in parts), needs)
