"""What a computation says of a claim: a verdict that follows from conditions, and its figures.

A computation never writes a verdict down. It states conditions and figures, and one of
:func:`decide`, :func:`counted` and :func:`unanswered` says what follows:

- ``holds``: every condition is met;
- ``contradicted``: none is;
- ``partly``: some are;
- ``open``: nothing at hand can tell; ``needs`` says what would.

Where a sentence is loose, a computation returns its strict and its charitable reading, each with
what it takes the sentence to mean.

Whose evidence counts: a claim about a work's own tables is decided by its printed cells; a claim
about what a model scores is decided by records of that model alone. Records of another model
(all-MiniLM-L6-v2 where the work used something else) stand beside it as a witness and never
decide. A general claim, one that names no model, is decided by printed cells and records together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

Verdict = Literal["holds", "contradicted", "partly", "open"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
PLAIN = "plain"
WITNESS = "; witness, all-MiniLM-L6-v2: "


class ClaimError(ValueError):
    """A claim, or what decides it, that breaks the ledger's rules; the message says which."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reading of a claim, decided.

    Attributes:
        verdict: one of ``VERDICTS``.
        figures: the numbers it rests on, as text.
        needs: what an open claim waits for.
        reading: ``plain``, or ``strict: ...`` and ``charitable: ...`` with what is meant.

    Raises:
        ClaimError: for an unknown verdict or reading, no figure, or an open one without its need.
    """

    verdict: str
    figures: str
    needs: str = ""
    reading: str = PLAIN

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ClaimError(f"unknown verdict {self.verdict!r}; use one of {', '.join(VERDICTS)}")
        if not any(character.isdigit() for character in self.figures):
            raise ClaimError("a verdict rests on figures; give at least one number")
        if (self.verdict == "open") != bool(self.needs):
            raise ClaimError("an open claim, and no other, says what it needs")
        name, _, meaning = self.reading.partition(": ")
        if self.reading != PLAIN and (name not in ("strict", "charitable") or not meaning):
            raise ClaimError(
                f"reading {self.reading!r} must be plain, or strict or charitable with a meaning"
            )

    def witnessed(self, figures: str) -> Finding:
        """The same verdict with another model's figures beside it."""
        return replace(self, figures=self.figures + WITNESS + figures) if figures else self


Readings = Finding | tuple[Finding, ...]


def decide(condition: bool, figures: str) -> Finding:
    """A claim that one condition decides."""
    return Finding("holds" if condition else "contradicted", figures)


def counted(cases: Mapping[str, bool] | Iterable[bool], figures: str = "") -> Finding:
    """A claim about several cases; the figures begin with how many bear it out.

    Cases that do not are named where they have names and are not too many to read.
    """
    named = cases if isinstance(cases, Mapping) else {}
    met = list(cases.values()) if isinstance(cases, Mapping) else list(cases)
    if not met:
        raise ClaimError("no case to count; a claim without evidence is open")
    text = f"{sum(met)} of {len(met)}"
    others = [name for name, true in named.items() if not true]
    if others and len(others) <= 6:
        text += f" (not: {', '.join(others)})"
    text = f"{text}; {figures}" if figures else text
    return Finding("holds" if all(met) else "partly" if any(met) else "contradicted", text)


def unanswered(needs: str, figures: str) -> Finding:
    """A claim that nothing at hand decides."""
    return Finding("open", figures, needs)


def strict(meaning: str, finding: Finding) -> Finding:
    """The reading that takes the sentence at its word."""
    return replace(finding, reading=f"strict: {meaning}")


def charitable(meaning: str, finding: Finding) -> Finding:
    """The weakest reading that still says something."""
    return replace(finding, reading=f"charitable: {meaning}")
