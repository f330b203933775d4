"""A limit on what is spent, held before each request and by all of them together."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from chunkstudy.llm.interface import RefusedError

Received = TypeVar("Received")
CEILING = 5.0
"""Dollars a process may spend where CHUNKSTUDY_BUDGET does not say otherwise."""


class BudgetError(RuntimeError):
    """A request that would cost more than is left."""


class Budget:
    """A ceiling in dollars: what may be spent is set aside before a request is sent.

    Several threads may spend from it.

    Raises:
        BudgetError: if the ceiling is not a number of dollars from 0 up.
    """

    def __init__(self, ceiling: float = CEILING) -> None:
        if not (math.isfinite(ceiling) and ceiling >= 0):
            raise BudgetError(f"a budget of {ceiling} dollars is impossible; use 0 or more")
        self.ceiling = ceiling
        self.spent = 0.0
        self._lock = threading.Lock()

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

    def charge(
        self, most: float, send: Callable[[], Received], cost: Callable[[Received], float]
    ) -> Received:
        """What a request brings, paid for.

        It counts as the most it may cost until its reply says what it did cost. A refusal costs
        nothing; a reply that was lost stays counted, since it may be billed.

        Raises:
            BudgetError: if it could exceed the ceiling; nothing is sent then.
        """
        with self._lock:
            self.check(most)
            self.spent += most
        try:
            received = send()
        except RefusedError:
            self._correct(-most)
            raise
        self._correct(cost(received) - most)
        return received

    def _correct(self, difference: float) -> None:
        with self._lock:
            self.spent += difference


@lru_cache(maxsize=1)
def budget() -> Budget:
    """What this process may spend, on vectors and on replies together: CHUNKSTUDY_BUDGET, in
    dollars.

    Raises:
        BudgetError: if it is not a number.
    """
    text = os.environ.get("CHUNKSTUDY_BUDGET") or str(CEILING)
    try:
        ceiling = float(text)
    except ValueError:
        raise BudgetError(f"CHUNKSTUDY_BUDGET is {text!r}; set it to dollars, like 5") from None
    return Budget(ceiling)
