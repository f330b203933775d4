"""Writing that cannot leave half a file, and the digest that proves what a file holds."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` to write to, renamed into place when the block is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write UTF-8 with line feeds, atomically."""
    write_bytes(path, content.encode("utf-8"))


def json_text(content: Any) -> str:
    """Sorted, indented JSON, so that the same content gives the same bytes."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_json(path: Path, content: Any) -> None:
    write_text(path, json_text(content))


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
