"""A disk that is full, limited or read-only ends a run in one sentence, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import mounts
from tests.forking import Forker
from tests.test_faults_killed import all_of, run_of

pytestmark = pytest.mark.slow

needs_mounts = pytest.mark.skipif(
    not mounts.allowed(), reason="mounting is not allowed here, so no disk can be full or read-only"
)


@needs_mounts
@pytest.mark.parametrize(
    ("scene", "step"), [("small_run", 16), ("small_train", 48), ("small_reproduce", 64)]
)
def test_a_full_disk(
    scene: str, step: int, forker: Forker, world: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("disk")
    given = () if scene == "small_reproduce" else (world,)
    forker.well(scene, *given, folder / "calm")
    forker.well("filling_disk", scene, folder / "disk", folder / "out", step, *given)
    made = run_of if scene == "small_run" else all_of
    assert made(folder / "out") == made(folder / "calm")
    failures = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert len(failures) >= 3
    for said in failures:
        assert said.startswith("chunkstudy: ") and "no sentence" not in said
        assert "no space is left" in said


@pytest.mark.parametrize(("scene", "step"), [("small_run", 1), ("small_train", 24)])
def test_a_limit_on_files(
    scene: str, step: int, forker: Forker, world: Path, tmp_path: Path
) -> None:
    forker.well(scene, world, tmp_path / "calm")
    forker.well("growing_limit", scene, tmp_path / "out", step, world)
    made = run_of if scene == "small_run" else all_of
    assert made(tmp_path / "out") == made(tmp_path / "calm")
    failures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert failures
    for said in failures:
        assert said.startswith("chunkstudy: ")
        assert "larger than is allowed" in said


@needs_mounts
@pytest.mark.parametrize("scene", ["small_run", "small_reproduce"])
def test_read_only_results(
    scene: str, forker: Forker, world: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("locked")
    given = (world,) if scene == "small_run" else ()
    forker.well(scene, *given, folder / "calm")
    locked, place = folder / "place" / "results", folder / "place"
    if scene == "small_reproduce":
        forker.well("small_project", place)
    said = forker.well("read_only", scene, locked, *given, place).said
    assert "mounted read-only; make it writable" in said
    made = run_of if scene == "small_run" else all_of
    assert made(place) == made(folder / "calm")


@needs_mounts
def test_a_read_only_store(forker: Forker, world: Path, tmp_path: Path) -> None:
    forker.well("small_run", world, tmp_path / "calm")
    place = tmp_path / "place"
    said = forker.well("read_only", "small_run", place / "build" / "vectors", world, place).said
    assert "mounted read-only; make it writable" in said
    assert run_of(place) == run_of(tmp_path / "calm")
