"""What a power cut may leave: files that are empty, or end too early."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from chunkstudy.base import files
from chunkstudy.base.places import Places
from chunkstudy.runs.vectors import SUFFIX
from tests.forking import Forker
from tests.small_study import MANY, condition, write_record
from tests.test_faults_killed import run_of

pytestmark = pytest.mark.slow

CUTS = 20


@pytest.mark.parametrize("name", ["run.json", "per_query.parquet"])
def test_a_record_cut_short(name: str, forker: Forker, world: Path, tmp_path: Path) -> None:
    forker.well("small_run", world, tmp_path)
    expected = run_of(tmp_path)
    paths = sorted((tmp_path / "results").rglob(name))
    draw = random.Random(name)
    for share in (0.0, *(draw.random() for _ in range(CUTS))):
        path = draw.choice(paths)
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
        forker.well("small_run", world, tmp_path)
        assert run_of(tmp_path) == expected


def test_a_block_of_vectors_cut_short(forker: Forker, world: Path, tmp_path: Path) -> None:
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    seconds = forker.well("small_run", world, calm).seconds
    forker.run("small_run", world, killed, kill_after=0.7 * seconds)
    expected = run_of(calm)
    draw = random.Random("blocks")
    for number, share in enumerate((0.0, *(draw.random() for _ in range(CUTS)))):
        place = tmp_path / f"{number}"
        shutil.copytree(killed, place)
        path = draw.choice(sorted(place.rglob(f"*{SUFFIX}")))
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
        forker.well("small_run", world, place)
        made, kept = run_of(place)
        assert made == expected[0]
        assert kept.items() <= expected[1].items()
        shutil.rmtree(place)


def test_what_a_record_needs_is_on_the_disk_before_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(handle: int) -> None:
        done.append("on the disk")
        sync(handle)

    def renamed(path: Path, target: Path) -> Path:
        done.append(target.name)
        return rename(path, target)

    monkeypatch.setattr(files.os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    write_record(Places(tmp_path), condition(), MANY)
    kept = ["ranking.parquet", "per_query.parquet"]
    assert [one for one in done if one != "timing.json"][-5:] == [
        "on the disk", kept[0], "on the disk", kept[1], "run.json",
    ]  # fmt: skip
