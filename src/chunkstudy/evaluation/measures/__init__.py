"""Scores of a ranking, each with what a reader must know of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

POINT = 0.01
"""A point of a hundred: half of the mean gain over five collections that Jina prints for late
chunking, so that what passes for equal is smaller than what the works speak of."""
TENTH = 0.001
"""Of a share of all that was retrieved, which stays below a tenth at five chunks however good a
system is, a point would be much."""
CUTS = {"Min": "as many as touch"}
NAME = re.compile(r"(?P<base>\w+)(?:\((?P<options>[\w=,]+)\))?(?:@(?P<cut>\w+))?")
BUDGET = re.compile(r"(?P<amount>\d+)(?P<unit>tokens|characters)")
CEILING = re.compile(r"Ceiling\((?P<of>.+)\)")


@dataclass(frozen=True)
class Measure:
    """What a score means.

    Attributes:
        name: as records have it, such as ``SpanRecall(unit=token)@5``.
        title: as a reader reads it.
        tokens: whether it counts tokens and is no fraction.
        lower_is_better: whether less is.
        margin: below which difference two systems count as equal.
    """

    name: str
    title: str
    tokens: bool = False
    lower_is_better: bool = False
    margin: float = POINT


OURS = {
    measure.name: measure
    for measure in (
        Measure("SpanRecall", "Recall of excerpts"),
        Measure("SpanPrecision", "Precision of excerpts", margin=TENTH),
        Measure("SpanIoU", "Overlap with excerpts (IoU)", margin=TENTH),
        Measure("SpanF1", "F1 of excerpts"),
        Measure("PrecisionOmega", "Precision \N{GREEK CAPITAL LETTER OMEGA}"),
        Measure("TokensRead", "Tokens read", tokens=True, lower_is_better=True),
        Measure("R", "Recall"),
    )
}
"""By name without options and cut-off; every other is called by its name in ir-measures."""


def find(name: str) -> Measure:
    """``SpanRecall@5`` is *Recall of excerpts at 5*; ``nDCG@10`` and the like stay as they are."""
    if best := CEILING.fullmatch(name):
        return Measure(name, f"Best reachable {find(best['of']).title}")
    parts = NAME.fullmatch(name)
    known = OURS.get(parts["base"]) if parts else None
    if parts is None or known is None:
        return Measure(name, name)
    title, options = known.title, parts["options"] or ""
    if cut := parts["cut"]:
        budget = BUDGET.fullmatch(cut)
        within = f" within {int(budget['amount']):,} {budget['unit']}" if budget else ""
        title += within or f" at {CUTS.get(cut, cut)}"
    words = {"sum": "copies counted", "unit=token": "in tokens"}
    if extra := [words[option] for option in options.split(",") if option]:
        title += f" ({', '.join(extra)})"
    return replace(known, name=name, title=title)


def in_tokens(name: str) -> bool:
    """Whether a measure such as ``TokensRead@5`` counts tokens and is no fraction."""
    return find(name).tokens
