"""Writing that cannot leave half a file, and the digest that proves what a file holds."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be taken for a left-over
    fcntl = None  # type: ignore[assignment]

PART = ".part"
"""How the name of a file that is being written ends; it begins with a dot."""
LOCK = ".lock"
"""The file in a folder that is locked while somebody writes there."""


@contextmanager
def replacing(path: Path, durable: bool = False) -> Iterator[Path]:
    """A temporary file beside ``path`` to write to, renamed into place when the block is left.

    What a killed process left of an earlier attempt is removed.

    Args:
        durable: whether its content is on the disk before it has its name, so that not even a
            power cut leaves a file cut short; takes some milliseconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_over(path)
    handle, temporary = _created(path)
    try:
        try:
            yield temporary
            temporary.chmod(0o644)
            if durable:
                os.fsync(handle)
        finally:
            if not fcntl:
                os.close(handle)  # Windows neither renames nor removes a file that is open
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        if fcntl:
            os.close(handle)


def _created(path: Path) -> tuple[int, Path]:
    """A temporary file and a handle that holds its lock, so that others see it is being written."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path), suffix=PART)
        with suppress(OSError):
            if fcntl:
                fcntl.flock(handle, fcntl.LOCK_EX)  # waits for who takes it for a left-over
        if os.fstat(handle).st_nlink or not fcntl:
            return handle, Path(name)
        os.close(handle)  # it was taken for one before it was locked


def _remove_left_over(path: Path) -> None:
    """Remove temporary files of this path that nobody writes any more: a dead process holds no
    lock. Where a file system knows no locks they stay."""
    for left in path.parent.glob(f"{glob.escape(_prefix(path))}*{PART}"):
        with suppress(FileNotFoundError):
            handle = os.open(left, os.O_RDWR)
            try:
                if _locked(handle):
                    left.unlink()
            finally:
                os.close(handle)


def _locked(handle: int) -> bool:
    if not fcntl:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Wait until no other process works in the folder, and keep others out meanwhile.

    The lock is on a hidden file there and ends with the process, so a killed one leaves none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / LOCK):
        yield


def _prefix(path: Path) -> str:
    return f".{path.name}."


def check_writable(folder: Path) -> None:
    """Refuse, before any work is done, a folder that what it finds cannot be written to.

    Raises:
        OSError: of the system; ``faults.of_the_system`` has a sentence for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def write_bytes(path: Path, content: bytes, durable: bool = False) -> None:
    """Write a file whole or not at all; ``durable``: see :func:`replacing`."""
    with replacing(path, durable) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write UTF-8 with line feeds, atomically; a lone surrogate becomes a question mark."""
    write_bytes(path, content.encode("utf-8", "replace"))


def json_text(content: Any) -> str:
    """Sorted, indented JSON, so that the same content gives the same bytes."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_json(path: Path, content: Any) -> None:
    write_text(path, json_text(content))


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
