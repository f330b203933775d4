"""Writing that cannot leave half a file, and the digest that proves what a file holds."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
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
        OSError: of the system; ``errors.of_the_system`` has a sentence for it.
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
    write_files({path: content}, durable)


def write_files(contents: Mapping[Path, bytes], durable: bool = False) -> None:
    """Write several files; no file is replaced before all are written under temporary names.

    Args:
        contents: content by path.
        durable: as for :func:`write_bytes`.
    """
    parts: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            parts[path] = _write_part(path, content, durable)
        for path, part in parts.items():
            part.replace(path)
    except BaseException:
        for part in parts.values():
            part.unlink(missing_ok=True)
        raise


def _write_part(path: Path, content: bytes, durable: bool) -> Path:
    """Write a file under a temporary name beside its own, and return that name."""
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
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


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
