"""Several processes may work on one store and one folder of records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.forking import Forker
from tests.test_faults_killed import run_of

pytestmark = pytest.mark.slow

ROUNDS, PROCESSES = 10, 3


def test_the_same_run_at_once_one_of_them_killed(
    forker: Forker, world: Path, tmp_path: Path
) -> None:
    forker.well("small_run", world, tmp_path / "calm")
    expected = run_of(tmp_path / "calm")
    for number in range(ROUNDS):
        place = tmp_path / f"{number}"
        forker.well("at_once", world, place, PROCESSES, 1)
        records, remembered = run_of(place)
        records = {name: content for name, content in records.items() if "/." not in name}
        assert (records, remembered) == expected
        shutil.rmtree(place)
