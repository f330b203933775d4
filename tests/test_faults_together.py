"""Several processes may work on one store and one folder of records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fault_scenes import vectors
from tests.forking import Forker
from tests.test_faults_killed import run_of

pytestmark = pytest.mark.slow

ROUNDS, PROCESSES = 10, 3


def test_the_same_run_at_once(forker: Forker, world: Path, tmp_path: Path) -> None:
    _rounds(forker, world, tmp_path, killed=0)


def test_the_same_run_at_once_one_of_them_killed(
    forker: Forker, world: Path, tmp_path: Path
) -> None:
    _rounds(forker, world, tmp_path, killed=1)


def test_a_new_store_at_once(forker: Forker, tmp_path: Path) -> None:
    for number in range(ROUNDS):
        folder = tmp_path / f"{number}"
        forker.well("stores_at_once", folder, 8)
        assert len(vectors(folder)) == 160
        assert not list(folder.rglob("*.part"))


def _rounds(forker: Forker, world: Path, folder: Path, killed: int) -> None:
    forker.well("small_run", world, folder / "calm")
    expected = run_of(folder / "calm")
    for number in range(ROUNDS):
        place = folder / f"{number}"
        forker.well("at_once", world, place, PROCESSES, killed)
        records, remembered = run_of(place)
        records = {name: content for name, content in records.items() if "/." not in name}
        assert (records, remembered) == expected
        shutil.rmtree(place)
