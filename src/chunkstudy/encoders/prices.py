"""What an API's embeddings cost, said before they are asked for, and a ceiling on what is spent."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from chunkstudy.encoders.models import ModelError

BUDGET = 5.0
"""Dollars a process may spend where CHUNKSTUDY_BUDGET does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million input tokens, who says so, and as of which date."""

    dollars: float
    source: str
    date: str


_SOURCE = "OpenAI's pricing page, as two price lists quote it (tokenmix.ai, embeddingcost.com)"
PRICES = {
    "text-embedding-ada-002": Price(0.10, _SOURCE, "2026-05"),
    "text-embedding-3-small": Price(0.02, _SOURCE, "2026-05"),
    "text-embedding-3-large": Price(0.13, _SOURCE, "2026-05"),
}


class BudgetError(ModelError):
    """A request that would cost more than is left."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What encoding some texts would take.

    Attributes:
        texts: distinct texts to ask for; recorded and empty ones are not among them.
        recorded: distinct texts whose vectors were received before.
        empty: texts the API refuses; each gets a zero vector without being asked for.
        cut: texts longer than the window.
        tokens: cl100k tokens sent.
        requests: as few as the API allows, none repeated.
        dollars: at the price of ``PRICES``.
    """

    texts: int
    recorded: int
    empty: int
    cut: int
    tokens: int
    requests: int
    dollars: float

    def __str__(self) -> str:
        return (
            f"{self.texts} texts, {self.tokens} tokens, about ${self.dollars:.4f} "
            f"({self.recorded} recorded, {self.empty} empty, {self.cut} cut)"
        )


class Budget:
    """A ceiling in dollars: what may be spent is set aside before a request is sent.

    Raises:
        BudgetError: if the ceiling is not a number of dollars from 0 up.
    """

    def __init__(self, ceiling: float = BUDGET) -> None:
        if not (math.isfinite(ceiling) and ceiling >= 0):
            raise BudgetError(f"a budget of {ceiling} dollars is impossible; use 0 or more")
        self.ceiling = ceiling
        self.spent = 0.0

    def check(self, dollars: float) -> None:
        """Refuse what would exceed the ceiling.

        Raises:
            BudgetError: if it would.
        """
        if self.spent + dollars > self.ceiling:
            raise BudgetError(
                f"asking for ${dollars:.4f} more would bring the cost to "
                f"${self.spent + dollars:.4f}, above the ceiling of ${self.ceiling:.4f}; set "
                "CHUNKSTUDY_BUDGET to more dollars, what was received is kept"
            )

    def spend(self, dollars: float) -> None:
        """Set dollars aside, if :meth:`check` allows it."""
        self.check(dollars)
        self.spent += dollars

    def correct(self, difference: float) -> None:
        """Add what a request cost beyond what was set aside, or less where it cost less."""
        self.spent += difference


def budget_from_environment() -> Budget:
    """The ceiling that CHUNKSTUDY_BUDGET names, in dollars.

    Raises:
        BudgetError: if it is not a number.
    """
    text = os.environ.get("CHUNKSTUDY_BUDGET") or str(BUDGET)
    try:
        ceiling = float(text)
    except ValueError:
        raise BudgetError(f"CHUNKSTUDY_BUDGET is {text!r}; set it to dollars, like 5") from None
    return Budget(ceiling)
