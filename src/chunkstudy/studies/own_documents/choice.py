"""Which way to take: of those that no test tells from the best, the one that costs least."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd

from chunkstudy.evaluation.statistics.differences import SIGNIFICANT

RERANKED = "tokens reranked a question"
LESS = 0.9
"""The share of the best way's cost from which on another is recommended in its place."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A row of the table of systems.

    Attributes:
        place: its place in the table, 0 for the best.
        sentence: what it saves; empty where the best itself is taken.
    """

    place: int
    sentence: str = ""


def choose(
    table: pd.DataFrame, tests: pd.DataFrame, labels: list[str], cost: str, fewest: int
) -> Choice:
    """The way to take.

    Args:
        table: a row a system, the best first.
        tests: every other against the best, in the same order.
        labels: what the systems are called.
        cost: the column that says what one costs, tokens handed to a reader or encoded.
        fewest: questions below which nothing is told apart, so that the best is taken.
    """
    if len(table) == 1 or table["n"].iloc[0] < fewest:
        return Choice(0)
    level = [0, *(i for i, p in enumerate(tests["p_holm"], start=1) if not p < SIGNIFICANT)]
    costs = table[cost].astype(float).round()
    cheapest = min(level, key=lambda place: (costs[place], place))
    if not costs[cheapest] <= LESS * costs[0]:
        return _without_reranking(table, level, labels, costs)
    does = "encodes" if cost == "tokens encoded" else "hands over"
    return Choice(
        cheapest,
        f"To save, take {labels[cheapest]}: no test tells it from the best, and it {does} "
        f"{costs[cheapest]:,.0f} tokens where the best {does} {costs[0]:,.0f}.",
    )


def _without_reranking(
    table: pd.DataFrame, level: list[int], labels: list[str], costs: pd.Series
) -> Choice:
    """What costs hardly more than the best and asks no reranker for it; the best, where it asks
    none itself."""
    reads = table[RERANKED] if RERANKED in table else pd.Series(float("nan"), table.index)
    plain = [place for place in level if pd.isna(reads[place]) and LESS * costs[place] <= costs[0]]
    if pd.isna(reads[0]) or not plain:
        return Choice(0)
    return Choice(
        plain[0],
        f"To save, take {labels[plain[0]]}: no test tells it from the best, which reranks "
        f"{reads[0]:,.0f} tokens a question.",
    )


def as_yaml(settings: dict[str, object], why: str) -> str:
    """Settings to paste into a configuration, with the reason on top."""
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items())
    return "\n".join((f"# {why}", *lines, ""))
