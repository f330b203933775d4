"""Many processes and machines leave the bytes that one process leaves, whatever is killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from chunkstudy.base import places
from chunkstudy.runs import executors, running
from chunkstudy.runs.running import Where
from chunkstudy.runs.units import units
from chunkstudy.runs.workers import Done, Order
from tests import several_collections as several
from tests.dask_cluster import Cluster, kill

pytestmark = pytest.mark.slow

LONG = 240.0
"""Seconds a test waits before it says that nothing comes any more."""


@dataclass(frozen=True)
class World:
    """A folder that all processes share, and what one process leaves elsewhere."""

    folder: Path
    alone: Path

    def expected(self, *names: str) -> dict[str, bytes]:
        found = several.left_by(self.alone / "collections", *names)
        assert len([path for path in found if path.endswith("run.json")]) == 7 * len(names)
        return found

    def left(self, *names: str) -> dict[str, bytes]:
        return several.left_by(self.folder / "collections", *names)

    def records(self, name: str) -> int:
        return len(list((self.folder / "collections" / name / "runs").rglob("run.json")))


@pytest.fixture(scope="module")
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, patch: pytest.MonkeyPatch) -> World:
    """One process runs everything; from then on this process works in the shared folder."""
    found = World(tmp_path_factory.mktemp("shared"), tmp_path_factory.mktemp("alone"))
    for name in ("CHUNKSTUDY_VECTORS", "CHUNKSTUDY_RANKINGS"):
        patch.delenv(name, raising=False)
    for root in (found.alone, found.folder):
        patch.setenv("CHUNKSTUDY_ROOT", str(root))
        patch.setenv("CHUNKSTUDY_COLLECTIONS", str(root / "collections"))
        several.write(root / "collections")
        if root == found.alone:
            assert run(Where(), *several.NAMES) == 0
    return found


def run(where: Where, *names: str) -> int:
    chosen = several.conditions(*names)
    return running.run(chosen, places.find(), where, dry_run=False, again=False)


class Running(threading.Thread):
    """A command at work while the test goes on; ``failed`` is what it returned."""

    def __init__(self, where: Where, *names: str) -> None:
        super().__init__(daemon=True)
        self.where, self.names, self.failed = where, names, -1
        self.start()

    def run(self) -> None:
        self.failed = run(self.where, *self.names)

    def ended(self) -> int:
        self.join(LONG)
        assert not self.is_alive(), "the command does not end"
        return self.failed


def wait_for(due: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not due():
        assert time.monotonic() < end, "what the test waits for does not come"
        time.sleep(0.01)


def test_local_processes_leave_the_bytes_of_one_and_their_vectors(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(Where(processes=2), "alpha", "beta") == 0
    assert world.left("alpha", "beta") == world.expected("alpha", "beta")
    said = capfd.readouterr().err
    assert "14 to run, 0 recorded" in said and "[4/4]" in said and "left on two cores" in said
    vectors = world.folder / "build" / "vectors"
    assert list(vectors.glob("*/*.safetensors"))
    assert not list((vectors / "units").rglob("*.safetensors"))
    assert run(Where(processes=2), "alpha", "beta") == 0
    assert "0 to run, 14 recorded" in capfd.readouterr().err


def test_a_process_killed_is_begun_again_once_and_then_said_to_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    orders = [Order(unit) for unit in units(several.conditions("alpha", "beta"))]
    monkeypatch.setattr(executors, "perform", Dying(tmp_path, orders[0].unit.name))
    found = {done.unit.name: done for done in executors.processes(2)(orders)}
    assert "was killed 2 times" in found[orders[0].unit.name].failure
    assert len(list(tmp_path.glob("begun-*"))) == 2
    assert [one.failure for one in found.values()].count("") == len(orders) - 1


@dataclass(frozen=True)
class Dying:
    """Performs every unit but one, at which its process is killed."""

    folder: Path
    at: str

    def __call__(self, order: Order) -> Done:
        if order.unit.name == self.at:
            (self.folder / f"begun-{os.getpid()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Done(order.unit)


@pytest.fixture(scope="module")
def cluster(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if find_spec("distributed") is None:
        pytest.skip("the package distributed is missing; install the extra `cluster`")
    started = Cluster(tmp_path_factory.mktemp("dask"), {"CHUNKSTUDY_SLOW_FOLDER": "0.05"})
    try:
        yield started
    finally:
        sys.stdout.write(started.log())
        started.close()


def test_a_worker_without_enough_memory_fails_a_unit_that_another_takes(
    world: World, cluster: Cluster, capfd: pytest.CaptureFixture[str]
) -> None:
    small = cluster.start_worker(memory="300MB")
    assert run(Where(executor=cluster.address), "zeta") == 2
    said = capfd.readouterr().err
    assert "its worker was lost again and again" in said and "--memory-limit" in said
    assert world.records("zeta") == 0
    kill(small)
    enough = cluster.start_worker("--no-nanny")
    assert run(Where(executor=cluster.address), "zeta") == 0
    assert world.left("zeta") == world.expected("zeta")
    kill(enough)


def test_a_worker_killed_in_the_middle_is_replaced_by_another(
    world: World, cluster: Cluster
) -> None:
    first = cluster.start_worker("--no-nanny")
    command = Running(Where(executor=cluster.address), "gamma")
    wait_for(lambda: world.records("gamma") >= 2)
    kill(first)
    assert world.records("gamma") < 7
    cluster.start_worker("--no-nanny")
    assert command.ended() == 0
    assert world.left("gamma") == world.expected("gamma")


def test_two_commands_at_once_leave_the_bytes_of_one(world: World, cluster: Cluster) -> None:
    cluster.start_worker("--no-nanny")
    commands = [Running(Where(executor=cluster.address), "delta") for _ in range(2)]
    assert [command.ended() for command in commands] == [0, 0]
    assert world.left("delta") == world.expected("delta")


def test_a_command_goes_on_when_its_scheduler_comes_back(world: World, cluster: Cluster) -> None:
    command = Running(Where(executor=cluster.address), "epsilon")
    wait_for(lambda: world.records("epsilon") >= 2)
    kill(cluster.scheduler)
    assert world.records("epsilon") < 7
    cluster.start_scheduler()
    cluster.start_worker("--no-nanny")
    assert command.ended() == 0
    assert world.left("epsilon") == world.expected("epsilon")
