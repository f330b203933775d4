"""Several processes leave the bytes that one process leaves, on this machine and on a cluster."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.base import places
from chunkstudy.runs import executors, records, running
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.executors import TaskResult
from tests.small_study import SENTENCES, tree

pytestmark = pytest.mark.slow
NAMES = ("alpha", "beta", "gamma")
CHUNKERS = ("sentence-1", "sentence-2", "sentence-3", "none")


def write(folder: Path) -> None:
    """Collections of one's own, each another text, the same whenever they are written."""
    for name in NAMES:
        draw = random.Random(name)
        (folder / name / "documents").mkdir(parents=True)
        lines = []
        for number in range(3):
            sentences = draw.sample(SENTENCES, 20)
            document = f"{number}.txt"
            (folder / name / "documents" / document).write_text(" ".join(sentences))
            excerpt = {"document": document, "text": draw.choice(sentences)}
            lines.append({"id": f"q{number}", "question": f"{number}?", "excerpts": [excerpt]})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name / "questions.jsonl").write_text(text)


def conditions_of(*names: str) -> list[Condition]:
    """What is run of some collections: plain, with context, and without an encoder."""
    plain = [(chunker, MINILM, "pre_embedding") for chunker in CHUNKERS]
    late = [(chunker, MINILM, "contextualized-64") for chunker in CHUNKERS[:2]]
    return [
        Condition(name, *arm, "corrected")
        for name in names
        for arm in (*plain, *late, ("sentence-3", "none", "none"))
    ]


def left_by(folder: Path, *names: str) -> dict[str, bytes]:
    """The files of the records, but for what varies from run to run."""
    return {
        f"{name}/{path}": content
        for name in names
        for path, content in tree(folder / name / "runs").items()
    }


@dataclass(frozen=True)
class World:
    """A folder that all processes share, and what one process leaves elsewhere."""

    folder: Path
    alone: Path

    def expected(self, *names: str) -> dict[str, bytes]:
        collections = self.alone / "collections"
        assert all(len(records.find(collections / name / "runs")) == 7 for name in names)
        return left_by(collections, *names)

    def left(self, *names: str) -> dict[str, bytes]:
        return left_by(self.folder / "collections", *names)


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
        write(root / "collections")
        if root == found.alone:
            assert run(NAMES) == 0
    return found


def run(names: tuple[str, ...], **where: Any) -> int:
    return running.run(conditions_of(*names), places.find(), **where)


def test_local_processes_leave_the_bytes_of_one(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(("alpha", "beta"), processes=2) == 0
    assert world.left("alpha", "beta") == world.expected("alpha", "beta")
    said = capfd.readouterr().err
    assert "14 to run, 0 recorded" in said and "[14/14]" in said and "left on two cores" in said
    assert run(("alpha", "beta"), processes=2) == 0
    assert "0 to run, 14 recorded" in capfd.readouterr().err


@dataclass(frozen=True)
class Dying:
    """Runs nothing, and at one condition its process is killed."""

    at: Condition

    def __call__(self, condition: Condition) -> TaskResult:
        if condition == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        return TaskResult(condition)


@pytest.mark.usefixtures("world")
def test_where_a_process_dies_its_condition_is_named_and_the_others_finish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conditions = conditions_of("gamma")
    monkeypatch.setattr(executors, "run_condition", Dying(conditions[1]))
    results = list(executors.in_processes(2)(executors.tasks_of(conditions)))
    assert {result.condition for result in results} == set(conditions)
    assert {r.condition: r.failure for r in results if r.failure} == {conditions[1]: executors.DIED}


def kill(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_cluster_leaves_the_bytes_of_one_process_and_names_what_its_worker_died_of(
    world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
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
            patch.setattr(executors, "_run_alone", kill)
            assert run(("gamma",), dask=address) == 7
            said = capfd.readouterr().err
            for condition in conditions_of("gamma"):
                assert f"{condition} failed: lost on the Dask cluster (KilledWorker" in said
        cluster.wait_for_workers(1)
        assert run(("gamma",), dask=address.removeprefix("tcp://")) == 0
    assert world.left("gamma") == world.expected("gamma")
