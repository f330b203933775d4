"""Many requests under way at once, no faster than a rate allows, replies in the order asked."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

AHEAD = 4
"""Items begun beyond the one whose result is due, as a multiple of those under way: a slow one
holds the others up only then."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pace:
    """Beginnings spread evenly over time.

    Args:
        per_minute: how many may begin in a minute; None for as many as come.
        clock: seconds that only go up.
        sleep: waits some seconds.
    """

    def __init__(
        self,
        per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if per_minute is not None and not per_minute > 0:
            raise ValueError(f"{per_minute} requests a minute is impossible; use more than 0")
        self._between = 60 / per_minute if per_minute else 0.0
        self._clock = clock
        self._sleep = sleep
        self._next = -float("inf")
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when it is this caller's turn; callers take turns in the order they come."""
        if not self._between:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._between
        if turn > now:
            self._sleep(turn - now)


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], at_once: int
) -> Generator[Result, None, None]:
    """The result of each item, in the order of the items, ``at_once`` of them worked on together.

    Items are drawn as they are needed, so that their number is no matter of memory. Where one
    fails, none is begun any more, those under way end, and its error is raised in its place.

    Raises:
        ValueError: if ``at_once`` is below 1.
    """
    if at_once < 1:
        raise ValueError(f"{at_once} requests at once is impossible; use 1 or more")
    failed = threading.Event()

    def guarded(item: Item) -> Result:
        if failed.is_set():
            raise _NotBegunError
        try:
            return work(item)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(at_once) as pool:
        begun: deque[Future[Result]] = deque()
        try:
            for item in items:
                begun.append(pool.submit(guarded, item))
                if len(begun) >= AHEAD * at_once:
                    yield _result(begun)
            while begun:
                yield _result(begun)
        finally:
            failed.set()  # where the caller stops early, too
            for one in begun:
                one.cancel()


class _NotBegunError(Exception):
    """In place of the result of an item that was not worked on since another failed."""


def _result(begun: deque[Future[Result]]) -> Result:
    """The next result; where it was not begun, the error of the one that failed."""
    try:
        return begun.popleft().result()
    except _NotBegunError:
        for one in begun:
            error = one.exception()
            if error is not None and not isinstance(error, _NotBegunError):
                raise error from None
        raise
