"""What an evaluation concludes, in sentences: which system leads, by what tests, at what cost, and
how many more questions would decide."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.display import titles
from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, SIGNIFICANT
from chunkstudy.user_data.recommendation import READ, SAVING, count_ties

MIN_TESTED = 5
"""Questions below which nothing is tested."""
NOT_TESTED = "not tested"
NAMED = 3
"""Tied systems that a sentence names."""
TOO_MANY_QUESTIONS = 100_000


def state_answer(table: pd.DataFrame, tests: pd.DataFrame, names: Sequence[str]) -> str:
    """State whether one system is best.

    Args:
        table: a row per system, the best first.
        tests: every other system against the best.
        names: display names of the systems.
    """
    first, ties = table.iloc[0], count_ties(table)
    questions = "1 question" if first["n"] == 1 else f"{first['n']} questions"
    measured = f"{100 * first['score']:.1f}% ({titles.measure(first['measure'])})"
    if len(table) == 1:
        return (
            f"{names[0]} scores {measured}, the mean over {questions}; name a second chunker, "
            "encoder or ordering to compare it with."
        )
    led = f"{names[0]} leads with {measured}"
    if ties > 1:
        led = f"{_listed(names[:ties])} tie at {measured}"
    if first["n"] < MIN_TESTED:
        return f"Not tested: {questions} cannot tell ways of chunking apart; {led}."
    others = len(table) - ties
    if not others:
        return f"No: {led}."
    behind = int((tests["p_holm"].iloc[ties - 1 :] < SIGNIFICANT).sum())
    unit = f"paired t-tests over {_unit(tests)}"
    if behind == others:
        each = f"each of the {others} others" if others > 1 else "the other"
        compared = f"significantly more than {each} ({unit})"
    elif behind:
        compared = f"significantly more than {behind} of {others} others ({unit})"
    else:
        compared = f"with {questions} not significantly more than any other ({unit})"
    if ties > 1:
        return f"No: {led}, {compared}."
    verdict = "Yes" if behind == others else "In part" if behind else "Not shown"
    return f"{verdict}: {led}, {compared}."


def state_tokens(table: pd.DataFrame, names: Sequence[str]) -> str:
    """State the tokens that the best system returns beside those of the system that returns least,
    or of the second if that is the best itself; nothing where tokens decide."""
    if len(table) == 1 or READ not in table or "tokens" in str(table["measure"].iloc[0]):
        return ""
    tokens = table[READ].astype(float).to_list()
    other = tokens.index(min(tokens)) or 1
    returned = f"{names[0]} returns {tokens[0]:,.0f} tokens per question"
    if 0 < tokens[other] <= SAVING * tokens[0]:
        times = _times(tokens[0] / tokens[other])
        return f"{returned}, {times} times the text of {names[other]} ({tokens[other]:,.0f})."
    return f"{returned} and {names[other]} {tokens[other]:,.0f}."


def state_needed(tests: pd.DataFrame, needed: pd.DataFrame) -> str:
    """State how many more questions would tell the best two apart; nothing with one system.

    Args:
        tests: every other system against the best.
        needed: one row about the best two, as :class:`Evaluation` has it.
    """
    if not len(needed) or needed["n"].iloc[0] < MIN_TESTED:
        return ""
    second, questions = tests.iloc[0], needed["more than there are"].iloc[0]
    if second["p_holm"] < SIGNIFICANT:
        return "The best two are told apart by the questions at hand."
    if second["shown"] == NOT_TESTED:
        return (
            "The best two differ on no question, or by the same on all, so that it cannot be said "
            "how many more would tell them apart."
        )
    if round(float(needed["a minus b"].iloc[0]), 9) == 0:
        return "The best two tie, so that no number of questions like these would tell them apart."
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


def _listed(names: Sequence[str]) -> str:
    """Join names, as many as a sentence bears, in quotation marks where one has an "and"."""
    quoted = any(" and " in name for name in names)
    shown = [f'"{name}"' if quoted else name for name in names]
    if len(names) > NAMED:
        shown = [*shown[: NAMED - 1], f"{len(names) - NAMED + 1} others"]
    return f"{'; '.join(shown[:-1])} and {shown[-1]}"


def _unit(tests: pd.DataFrame) -> str:
    """Return what the tests draw: documents if enough are asked about, else questions."""
    if "documents" in tests and (tests["documents"].dropna() >= FEWEST_DOCUMENTS).any():
        return "documents"
    return "questions"


def _times(ratio: float) -> str:
    """Return a ratio with two digits."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}"
