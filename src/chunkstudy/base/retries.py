"""Asking again where it may help, within a bound, and no sooner than the server allows."""

from __future__ import annotations

import email.utils
import math
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from chunkstudy.base.budget import Budget

ATTEMPTS = 6
FIRST_WAIT = 1.0
"""Seconds before the second attempt; each further wait is twice as long."""
LONGEST_WAIT = 120.0
"""Seconds; a server that asks for more ends the run, which resumes later."""
TIMEOUT = 120.0
"""Seconds without a byte until an attempt counts as failed."""

Received = TypeVar("Received")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt brought nothing.

    Attributes:
        problem: what the server did, without any text of its own.
        remedy: what to do about it; to run again later if empty.
        again: whether another attempt may help.
        billed: whether it may have been charged for.
        wait: seconds the server asks to wait.
    """

    problem: str
    remedy: str = ""
    again: bool = True
    billed: bool = True
    wait: float = 0.0


class Retries:
    """Attempts at one service; several threads may ask through it.

    Args:
        service: its name, as errors begin.
        error: what is raised where no attempt helped.
        budget: what the attempts are charged to.
        sleep: waits some seconds.
        jitter: a share from 0 to 1 that a wait is prolonged by, so that requests that failed
            together do not come back together.
    """

    def __init__(
        self,
        service: str,
        error: type[RuntimeError],
        budget: Budget,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.service = service
        self.budget = budget
        self.requests = 0
        self._error = error
        self._sleep = sleep
        self._jitter = jitter
        self._lock = threading.Lock()

    def ask(
        self,
        once: Callable[[], Received | Failure],
        dollars: float,
        cost: Callable[[Received], float],
    ) -> Received:
        """What the first attempt that succeeds brings.

        Args:
            dollars: what it may cost at most.

        Raises:
            BudgetError: if an attempt could exceed the ceiling; it is not sent then.
        """
        failed = Failure("")
        for attempt in range(ATTEMPTS):
            if attempt:
                usual = FIRST_WAIT * 2 ** (attempt - 1)
                wait = max(failed.wait, usual) * (1 + self._jitter())
                said = f"{self.service} {failed.problem}; asked again in {wait:.0f} s"
                print(said, file=sys.stderr)
                self._sleep(wait)
            self.budget.spend(dollars)
            with self._lock:
                self.requests += 1
            outcome = once()
            if not isinstance(outcome, Failure):
                self.budget.correct(cost(outcome) - dollars)
                return outcome
            if not outcome.billed:
                self.budget.correct(-dollars)
            failed = outcome
            if not failed.again:
                remedy = f"; {failed.remedy}" if failed.remedy else ""
                raise self._error(f"{self.service} {failed.problem}{remedy}")
            if failed.wait > LONGEST_WAIT:
                raise self._error(
                    f"{self.service} {failed.problem} and asks to wait {failed.wait:.0f} seconds; "
                    "run again then (what was received is kept)"
                )
        raise self._error(
            f"{self.service} failed {ATTEMPTS} times, the last time because it {failed.problem}; "
            f"{failed.remedy or 'run again later'} (what was received is kept)"
        )


def may_pass(status: int) -> bool:
    """Whether a request that was refused with this status may be taken later."""
    return status in (408, 409, 429) or status >= 500


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds a server asks to wait, in any of the header's forms; 0 where it asks nothing.

    A moment is held against the server's own clock where its reply tells it: ours may be wrong.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    until, now = (_moment(headers.get(name, "")) for name in ("retry-after", "date"))
    return max(0.0, until - (time.time() if now is None else now)) if until is not None else 0.0


def _moment(date: str) -> float | None:
    """Seconds since 1970, None where it is no date."""
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
