"""What is killed, finds its disk full or read-only, or meets others at the same work, ends once
resumed in the bytes of what was not disturbed."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.cli.cli_errors import one_sentence
from chunkstudy.core.errors import REMEDIES
from chunkstudy.llm.recordings import contents
from tests import api_server, forking, mounts
from tests.fault_scenes import AT_ONCE, REQUESTS, vectors
from tests.small_study import tree

pytestmark = pytest.mark.slow
needs_mounts = pytest.mark.skipif(
    not mounts.allowed(), reason="mounting is not allowed here, so no disk can be full or read-only"
)
KILLS = 50
ROUNDS, PROCESSES = 10, 3


def run_of(folder: Path) -> tuple[Any, ...]:
    return tree(folder / "results"), vectors(folder)


def all_of(folder: Path) -> tuple[Any, ...]:
    return (tree(folder),)


def replies_of(folder: Path) -> tuple[Any, ...]:
    """What was replied, and what is recorded of it, whoever was answered first."""
    (recorded,) = folder.rglob("*.jsonl")
    lines = sorted(contents(recorded), key=itemgetter("digest"))
    return (folder / "replies.json").read_bytes(), lines


@dataclass(frozen=True)
class Scene:
    """A function of :mod:`tests.fault_scenes`, and how it is disturbed.

    Attributes:
        made: what it leaves, below a folder.
        kilobytes: that a disk which is too small grows by after each failure.
        in_a_row: kills before it may end; a reproduction starts from the beginning every time.
        in_world: whether it works on the small collection and model.
    """

    made: Callable[[Path], tuple[Any, ...]]
    kilobytes: int = 0
    in_a_row: int = 1
    in_world: bool = True

    def given(self, world: Path) -> tuple[Path, ...]:
        return (world,) if self.in_world else ()


SCENES = {
    "small_run": Scene(run_of, 16),
    "small_reproduce": Scene(all_of, 64, in_a_row=5, in_world=False),
}


def kill(
    folder: Path, scene: Scene, name: str, *given: object, kills: int = KILLS
) -> tuple[int, int]:
    """Kill a scene so many times at moments spread over its duration, each time or after some
    times let it end, and compare what it made; how often it ended, and was killed."""
    calm = folder / "calm"
    seconds = max(forking.well(name, *given, folder / one).seconds for one in ("first", "calm"))
    expected = scene.made(calm)
    assert scene.made(folder / "first") == expected
    draw, killed, rounds = random.Random(name), 0, 0
    while killed < kills:
        rounds += 1
        assert rounds < 3 * kills, "it ends before it can be killed"
        place = folder / f"{rounds}"
        for _ in range(scene.in_a_row):
            end = forking.run(name, *given, place, kill_after=draw.uniform(0, seconds))
            assert end.killed or end.status == 0, end.said
            assert not end.left, "a process outlives the one that was killed"
            killed += end.killed
        forking.well(name, *given, place)
        assert scene.made(place) == expected
        shutil.rmtree(place)
    return rounds + 2, killed


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose path is as short as sockets want it, whatever the test's name."""
    return tmp_path_factory.mktemp("faults")


@pytest.mark.parametrize("name", SCENES)
def test_killed_at_random_moments(name: str, world: Path, folder: Path) -> None:
    kill(folder, SCENES[name], name, *SCENES[name].given(world))


def test_no_reply_that_was_recorded_is_paid_for_twice(folder: Path) -> None:
    with api_server.serving(seconds=0.01) as (address, state):
        ended, killed = kill(folder, Scene(replies_of), "ask", address, kills=10)
    assert ended * REQUESTS <= len(state.asked) <= ended * REQUESTS + killed * AT_ONCE


def test_a_reproduction_killed_within_a_notebook(folder: Path) -> None:
    begun, page = folder / "begun", folder / "results" / "notebooks" / "small.ipynb"
    for _ in range(2):
        end = forking.run("kernel_killed", folder, begun)
        assert end.killed and not end.left, end.said
        assert begun.exists() and not page.exists()
        begun.unlink()
    forking.well("one_notebook", folder, begun, "0")
    assert "the end" in page.read_text(encoding="utf-8")


@needs_mounts
@pytest.mark.parametrize("name", SCENES)
def test_a_full_disk(name: str, world: Path, folder: Path) -> None:
    scene = SCENES[name]
    given = scene.given(world)
    forking.well(name, *given, folder / "calm")
    forking.well("filling_disk", name, folder / "disk", folder / "out", scene.kilobytes, *given)
    assert scene.made(folder / "out") == scene.made(folder / "calm")
    failures = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert len(failures) >= 3
    for said in failures:
        assert said.startswith("chunkstudy: ") and "no sentence" not in said
        assert "no space is left" in said


@pytest.mark.parametrize("number", REMEDIES)
def test_an_error_of_the_system_is_one_sentence(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit), one_sentence():
        raise OSError(number, os.strerror(number), "a file")
    assert capsys.readouterr().err == f"chunkstudy: a file: {REMEDIES[number]}\n"


@needs_mounts
@pytest.mark.parametrize(
    ("name", "locked"),
    [("small_run", "results"), ("small_run", "build/vectors"), ("small_reproduce", "results")],
)
def test_a_read_only_folder(name: str, locked: str, world: Path, folder: Path) -> None:
    scene, place = SCENES[name], folder / "place"
    given = scene.given(world)
    forking.well(name, *given, folder / "calm")
    if name == "small_reproduce":
        forking.well("small_project", place)
    said = forking.well("read_only", name, place / locked, *given, place).said
    assert "mounted read-only; make it writable" in said
    assert scene.made(place) == scene.made(folder / "calm")


def test_the_same_run_at_once_one_of_them_killed(world: Path, folder: Path) -> None:
    forking.well("small_run", world, folder / "calm")
    expected = run_of(folder / "calm")
    for number in range(ROUNDS):
        place = folder / f"{number}"
        forking.well("at_once", world, place, PROCESSES, 1)
        records, remembered = run_of(place)
        records = {name: content for name, content in records.items() if "/." not in name}
        assert (records, remembered) == expected
        shutil.rmtree(place)
