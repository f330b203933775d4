"""Where a system has no locks of POSIX, files are written whole and closed before they are renamed,
as Windows wants it."""

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
def test_a_file_is_closed_before_it_is_renamed_or_removed(
    durable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "fcntl", None)
    rename, remove = Path.replace, Path.unlink
    touched = []

    def renamed(path: Path, target: Path) -> Path:
        assert not is_open(path)
        touched.append("renamed")
        return rename(path, target)

    def removed(path: Path, missing_ok: bool = False) -> None:
        assert not is_open(path)
        touched.append("removed")
        remove(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "replace", renamed)
    monkeypatch.setattr(Path, "unlink", removed)
    target = tmp_path / "table.csv"
    files.write_bytes(target, b"whole", durable)
    assert target.read_bytes() == b"whole"
    with pytest.raises(RuntimeError, match="killed"), files.replacing(target, durable) as part:
        part.write_bytes(b"half")
        raise RuntimeError("killed")
    assert target.read_bytes() == b"whole" and touched == ["renamed", "removed"]
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
