"""What an evaluation says first: one sentence on who leads, another on what is not settled."""

from __future__ import annotations

from dataclasses import dataclass

from chunkstudy.evaluation.statistics import power
from chunkstudy.show import titles

QUESTION = "Is one way of chunking best on these documents?"
FEWEST = 5
"""Questions below which nothing is tested."""
NOTEWORTHY = 0.01
"""The share of text that an encoder never reads from which on it is said of the leader."""
HOPELESS = 100_000


@dataclass(frozen=True)
class Facts:
    """What the sentences are made of.

    Attributes:
        arms: how many are compared; ``behind``: how many of the others trail significantly.
        best: the leader's name; ``score`` its mean of ``measure``, ``unread`` the share of its
            chunks' text that is never read (NaN where unknown).
        n: questions.
        tested: whether the best two were.
        apart: whether they differ significantly, by ``difference``.
        more: questions beyond those at hand that it would take.
        other: who leads by the other measure, ``by``, where another one does.
    """

    arms: int
    behind: int
    best: str
    measure: str
    score: float
    unread: float
    n: int
    tested: bool = False
    apart: bool = False
    difference: float = 0.0
    more: float = 0.0
    other: str = ""
    by: str = ""


def answer(facts: Facts) -> str:
    """Whether one way is best, and whether what leads is read as a whole."""
    others, questions = facts.arms - 1, "1 question" if facts.n == 1 else f"{facts.n} questions"
    led = f"{facts.best} leads with {100 * facts.score:.1f}% ({titles.measure(facts.measure)})"
    scores = led.replace(" leads with ", " scores ")
    if not others:
        said = f"{scores}, the mean over {questions}; name a second chunker, encoder or "
        said += "ordering to compare it with."
    elif facts.n < FEWEST:
        said = f"Not tested: {led} over {questions}, too few to tell; add more."
    elif facts.behind == others:
        said = f"Yes: {led}, significantly more than each of the {others} others."
    elif facts.behind:
        said = f"In part: {led}, significantly more than {facts.behind} of {others} others."
    else:
        said = f"Not shown: {led}, and with {questions} not significantly more than any "
        said += "other."
    if facts.unread >= NOTEWORTHY:
        verb = "leads" if others else "scores so"
        said += f" It {verb} with chunks of which the model never reads {100 * facts.unread:.1f}%."
    return said


def more(facts: Facts) -> str:
    """How many more questions would tell the best two apart, and whether the measures agree."""
    said = _needed(facts) if facts.arms > 1 else ""
    if facts.other:
        by = titles.measure(facts.by)
        said += f" The measures disagree: by {by[0].lower()}{by[1:]} {facts.other} leads."
    return said.strip()


def _needed(facts: Facts) -> str:
    if facts.n < FEWEST:
        return ""
    if facts.apart:
        return "The best two are told apart by the questions at hand."
    if not facts.tested:
        return (
            "The best two differ on no question, or by the same on all, so that it cannot be said "
            "how many more would tell them apart."
        )
    if facts.more > HOPELESS:
        return (
            "The best two lie so close that no number of questions that can be asked would tell "
            "them apart."
        )
    return (
        f"To tell the best two apart takes about {facts.more:,.0f} more questions like these, with "
        f"a chance of {100 * power.POWER:.0f}% to see the difference of "
        f"{100 * facts.difference:.1f} points."
    )
