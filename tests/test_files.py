"""Files are written whole and closed before they are renamed or removed, as Windows wants it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chunkstudy.base import files

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
