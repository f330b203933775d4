"""Files are written whole and closed before they are renamed or removed; vectors in files that
never change are whole or not there: killed, shared and torn."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from chunkstudy.core import files
from chunkstudy.pipeline.vector_store import VectorStore
from tests.small_study import Letters

TEXTS = [f"text {i} {'abc' * (i % 7)}" for i in range(2500)]


def left(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.safetensors")}


def test_a_run_killed_between_blocks_ends_with_the_files_of_an_undisturbed_one(
    tmp_path: Path,
) -> None:
    whole = VectorStore(Letters(), tmp_path / "whole").encode(TEXTS)
    killed = tmp_path / "killed"
    with pytest.raises(KeyboardInterrupt):
        VectorStore(Letters(fail_after=1500), killed).encode(TEXTS)
    resumed = Letters()
    np.testing.assert_array_equal(VectorStore(resumed, killed).encode(TEXTS), whole)
    assert resumed.calls == len(TEXTS) - 1024
    assert left(killed) == left(tmp_path / "whole") and len(left(killed)) == 3


def test_two_processes_on_one_folder_read_what_the_other_wrote(tmp_path: Path) -> None:
    first, second = (VectorStore(Letters(), tmp_path) for _ in range(2))
    first.encode(TEXTS[:10])
    second.encode(TEXTS[:20])
    assert second.computed == 10
    first.encode(TEXTS[:20])
    assert first.computed == 10


@pytest.mark.parametrize("size", [0, 7, 200])
def test_a_torn_file_counts_as_not_there_and_is_written_anew(tmp_path: Path, size: int) -> None:
    whole = VectorStore(Letters(), tmp_path).encode(TEXTS[:50])
    (path,) = tmp_path.rglob("*.safetensors")
    content = path.read_bytes()
    path.write_bytes(content[:size])
    again = VectorStore(encoder := Letters(), tmp_path)
    np.testing.assert_array_equal(again.encode(TEXTS[:50]), whole)
    assert encoder.calls == 50 and path.read_bytes() == content


def test_a_text_that_stands_twice_is_computed_once_and_fills_both_rows(tmp_path: Path) -> None:
    store = VectorStore(encoder := Letters(), tmp_path)
    first, second, third = store.encode(["a", "bb", "a"])
    assert encoder.calls == 2
    np.testing.assert_array_equal(first, third)
    assert not np.array_equal(first, second)
    assert store.missing(["a", "c", "c"]) == ["c"]


OPEN = Path("/proc/self/fd")


def is_open(path: Path) -> bool:
    """Whether this process holds the file open."""
    return any(os.path.realpath(link) == str(path) for link in OPEN.iterdir())


@pytest.mark.skipif(not OPEN.is_dir(), reason="only Linux says which files are open")
@pytest.mark.parametrize("durable", [False, True])
def test_a_file_that_cannot_be_renamed_leaves_the_old_one_and_nothing_else(
    durable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, left = tmp_path / "table.csv", tmp_path / f".table.csv.killed{files.PART}"
    left.write_bytes(b"ha")
    os.utime(left, (0, 0))
    files.write_bytes(target, b"whole", durable)

    def refused(path: Path, _: Path) -> None:
        assert not is_open(path)
        raise RuntimeError("killed")

    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(RuntimeError, match="killed"):
        files.write_bytes(target, b"half", durable)
    assert target.read_bytes() == b"whole"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
