"""What a power cut may leave: files that are empty, or end too early."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from chunkstudy.base import files
from chunkstudy.base.places import Places
from tests import small_study
from tests.fault_scenes import vectors
from tests.fault_table import tried
from tests.forking import Forker
from tests.small_study import MANY, condition, write_record
from tests.test_faults_killed import run_of

pytestmark = pytest.mark.slow

CUTS = 20


@tried(
    "a record's last part never reached the disk",
    f"`run.json` or the scores of a finished run, cut at {CUTS} random bytes or empty; resumed",
    "the record counts as not made and is made again, with the same bytes; vectors are kept",
)
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


@tried(
    "the store's last block never reached the disk",
    f"a run killed halfway, the store's file or its log then cut at {CUTS} random bytes each or "
    "empty; resumed",
    "what is damaged is set aside and what is needed of it computed anew: the same bytes of "
    "records, and no vector is another",
)
@pytest.mark.parametrize("ending", ["", "-wal"])
def test_a_store_cut_short(ending: str, forker: Forker, world: Path, tmp_path: Path) -> None:
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    seconds = forker.well("small_run", world, calm).seconds
    forker.run("small_run", world, killed, kill_after=0.7 * seconds)
    expected = run_of(calm)
    draw = random.Random(ending)
    for number, share in enumerate((0.0, *(draw.random() for _ in range(CUTS)))):
        place = tmp_path / f"{number}"
        shutil.copytree(killed, place)
        for path in place.rglob(f"*.sqlite{ending}"):
            path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
        forker.well("small_run", world, place)
        for aside in place.rglob("*.damaged*"):
            aside.unlink()
        made, kept = run_of(place)
        assert made == expected[0]
        assert kept.items() <= expected[1].items()
        shutil.rmtree(place)


@tried(
    "the power is cut while a record is written",
    "the order in which scores, ranking and `run.json` are written to the disk and get their names",
    "scores and ranking are on the disk before they have their names, and `run.json`, which says "
    "that they are whole, comes after them",
)
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
    assert [one for one in done if one != "timing.json"] == [
        "on the disk", kept[0], "on the disk", kept[1], "run.json",
    ]  # fmt: skip


@tried(
    "a store is damaged, or only busy",
    "a store of vectors that another process holds, and one whose file is no store",
    "the busy one is waited for and then named in a sentence, never set aside; the damaged one is "
    "set aside and another one begun",
)
def test_a_busy_store_is_not_taken_for_a_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from chunkstudy.runs import store, vector_database

    monkeypatch.setattr(vector_database, "PATIENCE", 0.05)
    first = store.VectorStore(small_study.Letters(), tmp_path)
    first.encode(["a"])
    (path,) = tmp_path.glob("*.sqlite")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(vector_database.StoreError, match="locked; it needs free space"):
        store.VectorStore(small_study.Letters(), tmp_path).encode(["b"])
    other.execute("ROLLBACK")
    other.close()
    first.close()
    assert not list(tmp_path.glob("*.damaged*"))

    damaged = tmp_path / "other" / path.name
    damaged.parent.mkdir()
    damaged.write_bytes(b"no store" * 1000)
    Path(f"{damaged}-wal").write_bytes(b"its log")
    store.VectorStore(small_study.Letters(), damaged.parent).close()
    assert damaged.with_suffix(".damaged").read_bytes().startswith(b"no store")
    assert not vectors(damaged.parent)
