"""What a model behind an API costs, who says so and as of when, what asking it would take, and the
limit on what is spent, held before each request and by all of them together.

Prices change and models retire: a retired one keeps its last price, so that what a published run
cost can still be said.
"""

from __future__ import annotations

import math
import os
import threading
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from chunkstudy.llm.interface import RefusedError

Received = TypeVar("Received")
CEILING = 5.0
"""Dollars a process may spend where CHUNKSTUDY_BUDGET does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens read and written.

    Attributes:
        source: who says so.
        date: as of which month.
    """

    input: float
    output: float
    source: str
    date: str

    def dollars(self, input_tokens: float, output_tokens: float = 0) -> float:
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some requests would take; two add up.

    Attributes:
        requests: to be sent, none of them repeated.
        recorded: what is at hand and not asked for.
        input_tokens: of the requests to be sent.
        output_tokens: as many as they may bring at most, or are expected to bring.
        dollars: None where no price is known.
        counted: whether the tokens are the model's own, or estimated with cl100k's.
    """

    requests: int = 0
    recorded: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    counted: bool = True

    def __add__(self, other: Estimate) -> Estimate:
        known = self.dollars is not None and other.dollars is not None
        return Estimate(
            self.requests + other.requests,
            self.recorded + other.recorded,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.dollars or 0) + (other.dollars or 0) if known else None,
            self.counted and other.counted,
        )

    def __str__(self) -> str:
        about = "" if self.counted else "about "
        recorded = f" ({self.recorded:,} more recorded)" if self.recorded else ""
        written = f" in and {self.output_tokens:,} out" if self.output_tokens else ""
        return (
            f"{self.requests:,} requests{recorded}, {about}{self.input_tokens:,} tokens{written}, "
            f"{money(self.dollars)}"
        )


class BudgetError(RuntimeError):
    """A request that would cost more than is left."""


class Budget:
    """A ceiling in dollars, which several threads may spend from.

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


def money(dollars: float | None) -> str:
    """Dollars as they are shown; what costs something is never "$0.00"."""
    if dollars is None:
        return "at a price not known here"
    return f"${dollars:,.2f}" if not 0 < dollars < 0.005 else f"${dollars:.2g}"


def price(model: str) -> Price | None:
    """What a language model costs, by provider and name: nothing where it runs on the user's own
    machines, None where no price is known."""
    provider, _, name = model.partition("/")
    if provider in FREE:
        return Price(0, 0, "runs on the user's own machines", "")
    return PRICES.get(name)


def expected(model: str, requests: int, read: int, written: int) -> Estimate:
    """What requests to a language model would take that read and write so many tokens in all."""
    sold = price(model)
    dollars = None if sold is None else sold.dollars(read, written)
    return Estimate(requests, 0, read, written, dollars, counted=False)


FREE = ("local", "server", "authored")
"""Providers that sell nothing: a model that runs here, a server of the user's own."""
SOURCE = Path(__file__).parents[1] / "data" / "prices.toml"
PRICES = TypeAdapter(dict[str, Price]).validate_python(tomllib.loads(SOURCE.read_text("utf-8")))
