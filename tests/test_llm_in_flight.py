"""Many requests under way: results in order, no more at once than allowed, lazily."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from chunkstudy.llm.in_flight import AHEAD, Pace, in_order


def test_results_come_in_the_order_of_the_items() -> None:
    def work(i: int) -> int:
        time.sleep(0.002 * (i * 7 % 5))
        return i * i

    assert list(in_order(work, range(50), 8)) == [i * i for i in range(50)]


def test_no_more_than_allowed_are_under_way_and_as_many_as_allowed() -> None:
    lock = threading.Lock()
    together = threading.Barrier(4)
    now, most = 0, 0

    def work(_: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait(10)
        with lock:
            now -= 1

    list(in_order(work, range(16), 4))
    assert most == 4


def test_items_are_drawn_only_as_they_are_needed() -> None:
    drawn = 0

    def items() -> Iterator[int]:
        nonlocal drawn
        for i in range(10**9):
            drawn = i + 1
            yield i

    results = in_order(lambda i: i, items(), 3)
    assert [next(results) for _ in range(10)] == list(range(10))
    assert drawn <= 10 + AHEAD * 3
    results.close()


def test_after_a_failure_nothing_is_begun_and_what_is_under_way_ends() -> None:
    begun: list[int] = []
    ended: list[int] = []
    three_begun = threading.Event()

    def work(i: int) -> int:
        begun.append(i)
        if i == 1:
            three_begun.wait(10)
            raise RuntimeError("one failed")
        if i == 2:
            three_begun.set()
        time.sleep(0.05)
        ended.append(i)
        return i

    received = []
    with pytest.raises(RuntimeError, match="one failed"):
        for one in in_order(work, range(100), 3):
            received.append(one)
    assert received == [0]
    assert sorted([*ended, 1]) == sorted(begun)
    assert len(begun) <= 5


def test_the_first_failure_in_order_is_raised() -> None:
    def work(i: int) -> int:
        if i in (3, 4):
            raise RuntimeError(f"number {i}")
        return i

    for _ in range(20):
        with pytest.raises(RuntimeError, match=r"number [34]"):
            list(in_order(work, range(20), 4))


def test_a_caller_that_stops_early_is_not_held_up_by_what_it_did_not_want() -> None:
    begun: list[int] = []

    def work(i: int) -> int:
        begun.append(i)
        time.sleep(0.01)
        return i

    results = in_order(work, range(1000), 2)
    assert next(results) == 0
    results.close()
    assert len(begun) <= 2 + AHEAD * 2


def test_none_at_once_is_refused() -> None:
    with pytest.raises(ValueError, match="use 1 or more"):
        list(in_order(lambda i: i, [1], 0))


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_beginnings_are_spread_over_the_minute() -> None:
    clock = Clock()
    pace = Pace(120, clock, clock.sleep)
    times = []
    for _ in range(5):
        pace.wait()
        times.append(clock.now)
    assert times == [100.0, 100.5, 101.0, 101.5, 102.0]


def test_time_that_was_not_used_is_not_saved_up() -> None:
    clock = Clock()
    pace = Pace(60, clock, clock.sleep)
    pace.wait()
    clock.now += 30
    times = []
    for _ in range(3):
        pace.wait()
        times.append(clock.now)
    assert times == [130.0, 131.0, 132.0]


def test_without_a_rate_nobody_waits() -> None:
    pace = Pace(None, sleep=lambda _: pytest.fail("waited"))
    for _ in range(100):
        pace.wait()


def test_an_impossible_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="use more than 0"):
        Pace(0)
