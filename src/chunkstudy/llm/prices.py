"""What a model behind an API costs, who says so and as of when, what some work would take, and the
limit on what is spent, held before each request and by all of them together.

Prices change and models retire: a retired one keeps its last price, so that what a published run
cost can still be said.
"""

from __future__ import annotations

import math
import sys
import threading
import tomllib
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import lru_cache
from operator import add
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from chunkstudy.core.errors import BudgetError, LanguageModelError
from chunkstudy.core.settings import Settings

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
    """What some work would take; two add up.

    Attributes:
        requests: to be sent to a server.
        input_tokens: read by any model.
        output_tokens: as many as replies may bring at most, or are expected to bring.
        seconds: of models that run here; NaN where nobody knows.
        dollars: NaN where no price is known.
    """

    requests: int = 0
    input_tokens: float = 0
    output_tokens: int = 0
    seconds: float = 0.0
    dollars: float = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(*map(add, astuple(self), astuple(other)))

    def __str__(self) -> str:
        written = f" in and {self.output_tokens:,} out" if self.output_tokens else ""
        amounts = {
            f"{self.requests:,} request{'s' if self.requests > 1 else ''}": self.requests,
            f"{self.input_tokens:,.0f} tokens{written}": self.input_tokens,
            in_words(self.seconds): self.seconds,
            money(self.dollars): self.dollars,
        }
        return ", ".join(words for words, amount in amounts.items() if amount) or "nothing more"


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

    def announce(self, what: str, expected: Estimate) -> None:
        """Say on stderr what is to be asked for.

        Raises:
            BudgetError: if all of it would exceed the ceiling.
        """
        if expected.requests:
            print(f"{what}: {expected}", file=sys.stderr)
        self.check(expected.dollars)

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
        except LanguageModelError as error:
            if error.refused:
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
    text = Settings.from_env().budget or str(CEILING)
    try:
        ceiling = float(text)
    except ValueError:
        raise BudgetError(f"CHUNKSTUDY_BUDGET is {text!r}; set it to dollars, like 5") from None
    return Budget(ceiling)


def in_words(seconds: float) -> str:
    """A duration as a person says it."""
    if math.isnan(seconds):
        return "time not known"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


def money(dollars: float) -> str:
    """Dollars as they are shown; what costs something is never "$0.00"."""
    if math.isnan(dollars):
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
    dollars = sold.dollars(read, written) if sold else math.nan
    return Estimate(requests, read, written, dollars=dollars)


FREE = ("local", "server", "authored")
"""Providers that sell nothing: a model that runs here, a server of the user's own."""
SOURCE = Path(__file__).parents[1] / "data" / "prices.toml"
PRICES = TypeAdapter(dict[str, Price]).validate_python(tomllib.loads(SOURCE.read_text("utf-8")))
