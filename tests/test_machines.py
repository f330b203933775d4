"""Several processes leave the bytes that one process leaves, on this machine and on a cluster."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from threadpoolctl import threadpool_limits

from chunkstudy.core.project import find_project
from chunkstudy.pipeline import scheduler
from chunkstudy.pipeline.conditions import MINILM, Condition, parse
from chunkstudy.pipeline.scheduler import TaskResult
from tests.fault_scenes import COLLECTION
from tests.small_study import tree

pytestmark = pytest.mark.slow
PATHS = (
    f"{COLLECTION}/fixed-64/{MINILM}/pre_embedding/corrected",
    f"{COLLECTION}/recursive-200-0/{MINILM}/pre_embedding/corrected",
    f"{COLLECTION}/fixed-64/{MINILM}/contextualized-64/corrected",
    f"{COLLECTION}/fixed-64/none/none/corrected",
    f"builtin/none/{MINILM}/pre_embedding/corrected",
)
"""Of a collection of one's own, whose records lie beside its questions, and of the study's."""


def work_in(folder: Path, world: Path, patch: pytest.MonkeyPatch) -> None:
    """Let this process and its children work in a folder, with a collection of one's own."""
    shutil.copytree(world / "collections", folder / "collections")
    for name in ("CHUNKSTUDY_VECTORS", "CHUNKSTUDY_RANKINGS"):
        patch.delenv(name, raising=False)
    patch.setenv("CHUNKSTUDY_ROOT", str(folder))
    patch.setenv("CHUNKSTUDY_COLLECTIONS", str(folder / "collections"))


def left(folder: Path) -> dict[str, bytes]:
    return tree(folder / "collections") | tree(folder / "results")


@pytest.fixture(scope="module")
def expected(world: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process leaves, with one thread as each of several has.

    On some processors a matrix product has other last bits with two threads than with one.
    """
    folder, threads = tmp_path_factory.mktemp("alone"), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with pytest.MonkeyPatch.context() as patch, threadpool_limits(1, "blas"):
            work_in(folder, world, patch)
            assert run() == 0
    finally:
        torch.set_num_threads(threads)
    return left(folder)


@pytest.fixture
def here(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, bytes]
) -> Path:
    work_in(tmp_path, world, monkeypatch)
    return tmp_path


def conditions() -> list[Condition]:
    return list(map(parse, PATHS))


def run(**where: Any) -> int:
    return scheduler.run(conditions(), find_project(), **where)


def test_local_processes_leave_the_bytes_of_one(
    here: Path, expected: dict[str, bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(processes=2) == 0
    assert left(here) == expected
    said = capfd.readouterr().err
    assert "5 to run, 0 recorded" in said and "[5/5]" in said and "left on two cores" in said
    assert run(processes=2) == 0
    assert "0 to run, 5 recorded" in capfd.readouterr().err


@dataclass(frozen=True)
class Dying:
    """Runs nothing, and at one condition its process is killed."""

    at: Condition

    def __call__(self, condition: Condition) -> TaskResult:
        if condition == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        return TaskResult(condition)


@pytest.mark.usefixtures("here")
def test_where_a_process_dies_its_condition_is_named_and_the_others_finish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = conditions()
    monkeypatch.setattr(scheduler, "run_condition", Dying(some[1]))
    results = list(scheduler.in_processes(scheduler.tasks_of(some), 2))
    assert {result.condition for result in results} == set(some)
    assert {r.condition: r.failure for r in results if r.failure} == {some[1]: scheduler.DIED}


def kill(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_cluster_leaves_the_bytes_of_one_process_and_names_what_its_worker_died_of(
    here: Path,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("distributed")
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster,
    ):
        address = cluster.scheduler_address
        with monkeypatch.context() as patch:
            patch.setattr(scheduler, "_run_alone", kill)
            assert run(dask=address) == 5
            said = capfd.readouterr().err
            for path in PATHS:
                assert f"{path} failed: lost on the Dask cluster (KilledWorker" in said
        cluster.wait_for_workers(1)
        assert run(dask=address.removeprefix("tcp://")) == 0
    assert left(here) == expected
