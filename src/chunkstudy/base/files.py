"""Writing that cannot leave half a file, and the digest that proves what a file holds."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

PART = ".part"
"""How the name of a file that is being written ends; it begins with a dot."""
DAY = 86_400
"""Seconds after which nobody writes such a file any more."""
LOCK = ".lock"
"""The file in a folder that is locked while somebody writes there."""


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Wait until no other process works in the folder, and keep others out meanwhile.

    The lock is on a hidden file there and ends with the process, so a killed one leaves none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / LOCK):
        yield


def check_writable(folder: Path) -> None:
    """Refuse, before any work is done, a folder that what it finds cannot be written to.

    Raises:
        OSError: of the system; ``faults.of_the_system`` has a sentence for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def write_bytes(path: Path, content: bytes, durable: bool = False) -> None:
    """Write a file whole or not at all, under a temporary name that it loses in the end; one that
    a killed process left is removed a day later.

    Args:
        durable: whether the content is on the disk before it has its name, so that not even a
            power cut leaves a file cut short; takes some milliseconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{PART}"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > DAY:
                left.unlink()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(handle)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
