"""What an evaluation says first: one sentence on who leads, another on what is not settled."""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import SIGNIFICANT
from chunkstudy.study import titles

QUESTION = "Is one way of chunking best on these documents?"
NOT_TESTED = "not tested"
FEWEST = 5
"""Questions below which nothing is tested."""
NOTEWORTHY = 0.01
"""The share of text that an encoder never reads from which on it is said of the leader."""
TOO_MANY_QUESTIONS = 100_000


def answer(table: pd.DataFrame, tests: pd.DataFrame, best: str) -> str:
    """Whether one way is best, and whether what leads is read as a whole.

    Args:
        table: a row a system, the best first.
        tests: every other against the best.
        best: the best one's name.
    """
    first, others = table.iloc[0], len(table) - 1
    behind = int((tests["p_holm"] < SIGNIFICANT).sum()) if others else 0
    questions = "1 question" if first["n"] == 1 else f"{first['n']} questions"
    measured = f"{100 * first['score']:.1f}% ({titles.measure(first['measure'])})"
    led = f"{best} leads with {measured}"
    if not others:
        sentence = f"{best} scores {measured}, the mean over {questions}; name a second chunker, "
        sentence += "encoder or ordering to compare it with."
    elif first["n"] < FEWEST:
        sentence = f"Not tested: {led} over {questions}, too few to tell; add more."
    elif behind == others:
        sentence = f"Yes: {led}, significantly more than each of the {others} others."
    elif behind:
        sentence = f"In part: {led}, significantly more than {behind} of {others} others."
    else:
        sentence = f"Not shown: {led}, and with {questions} not significantly more than any other."
    if first["unread"] >= NOTEWORTHY:
        verb, unread = "leads" if others else "scores so", f"{100 * first['unread']:.1f}%"
        sentence += f" It {verb} with chunks of which the model never reads {unread}."
    return sentence


def more(tests: pd.DataFrame, needed: pd.DataFrame) -> str:
    """How many more questions would tell the best two apart; empty where there is one system.

    Args:
        tests: every other against the best.
        needed: of the best two, what :func:`tables.needed` says.
    """
    if not len(needed) or needed["n"].iloc[0] < FEWEST:
        return ""
    second, questions = tests.iloc[0], needed["more than there are"].iloc[0]
    if second["p_holm"] < SIGNIFICANT:
        return "The best two are told apart by the questions at hand."
    if second["shown"] == NOT_TESTED:
        return (
            "The best two differ on no question, or by the same on all, so that it cannot be said "
            "how many more would tell them apart."
        )
    if questions > TOO_MANY_QUESTIONS:
        return (
            "The best two lie so close that no number of questions that can be asked would tell "
            "them apart."
        )
    return (
        f"To tell the best two apart takes about {questions:,.0f} more questions like these, with "
        f"a chance of {100 * power.POWER:.0f}% to see the difference of "
        f"{100 * needed['a minus b'].iloc[0]:.1f} points."
    )


def disagreement(measure: str, leader: str) -> str:
    """That another system leads by another measure."""
    title = titles.measure(measure)
    return f"The measures disagree: by {title[0].lower()}{title[1:]} {leader} leads."
