"""Whatever is killed, at whatever moment, ends once resumed in the bytes of what was not."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import chat_server
from tests.fault_scenes import AT_ONCE, REQUESTS, tree, vectors
from tests.forking import Forker

pytestmark = pytest.mark.slow

KILLS = 50
IN_A_ROW = 5
"""Of a reproduction, which starts from the beginning every time."""
Make = Callable[[Path], tuple[Any, ...]]


def run_of(folder: Path) -> tuple[Any, ...]:
    return tree(folder / "results"), vectors(folder)


def all_of(folder: Path) -> tuple[Any, ...]:
    return (tree(folder),)


def replies_of(folder: Path) -> tuple[Any, ...]:
    """All but lines that a kill tore and that were laid aside."""
    return tuple(
        one.read_bytes() for one in sorted(folder.rglob("*.json*")) if ".torn" not in one.name
    )


def kill(
    forker: Forker,
    folder: Path,
    make: Make,
    in_a_row: int,
    scene: str,
    *given: object,
    kills: int = KILLS,
) -> tuple[int, int]:
    """Kill a scene so many times at moments spread over its duration, each time or after some
    times let it end, and compare what it made; how often it ended, and was killed."""
    calm = folder / "calm"
    seconds = max(forker.well(scene, *given, folder / name).seconds for name in ("first", "calm"))
    expected = make(calm)
    assert make(folder / "first") == expected
    draw, killed, rounds = random.Random(scene), 0, 0
    while killed < kills:
        rounds += 1
        assert rounds < 3 * kills, "it ends before it can be killed"
        place = folder / f"{rounds}"
        for _ in range(in_a_row):
            end = forker.run(scene, *given, place, kill_after=draw.uniform(0, seconds))
            assert end.killed or end.status == 0, end.said
            assert not end.left, "a process outlives the one that was killed"
            killed += end.killed
        forker.well(scene, *given, place)
        assert make(place) == expected
        shutil.rmtree(place)
    return rounds + 2, killed


def test_a_run_killed_at_random_moments(forker: Forker, world: Path, tmp_path: Path) -> None:
    kill(forker, tmp_path, run_of, 1, "small_run", world)


def test_a_training_killed_at_random_moments(forker: Forker, world: Path, tmp_path: Path) -> None:
    kill(forker, tmp_path, all_of, 1, "small_train", world)


def test_no_reply_that_was_recorded_is_paid_for_twice(forker: Forker, tmp_path: Path) -> None:
    with chat_server.serving(seconds=0.01) as (address, state):
        ended, killed = kill(forker, tmp_path, replies_of, 1, "ask", address, kills=10)
    assert ended * REQUESTS <= len(state.asked) <= ended * REQUESTS + killed * AT_ONCE


def test_a_reproduction_killed_at_random_moments(
    forker: Forker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("projects")
    kill(forker, folder, all_of, IN_A_ROW, "small_reproduce")


def test_a_reproduction_killed_within_a_notebook(forker: Forker, tmp_path: Path) -> None:
    begun, page = tmp_path / "begun", tmp_path / "results" / "notebooks" / "small.ipynb"
    for _ in range(2):
        end = forker.run("kernel_killed", tmp_path, begun)
        assert end.killed and not end.left, end.said
        assert begun.exists() and not page.exists()
        begun.unlink()
    forker.well("one_notebook", tmp_path, begun, "0")
    assert "the end" in page.read_text(encoding="utf-8")
