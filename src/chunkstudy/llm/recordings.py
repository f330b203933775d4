"""Every request and reply, a line each, in ``results/llm/<endpoint>/<model>.jsonl``.

A line holds the digest of all that determines the reply, request and provider, the reply, and a
sha256 of these. Lines are added under a lock of the folder, whole or not at all: what a killed
process left of one is moved to a file of its own, ``<model>.jsonl.torn``, and asked for again.
:meth:`Recordings.settle` brings the lines into the order of their digests, so that the file does
not show who answered first.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chunkstudy.files import replacing
from chunkstudy.llm.interface import Provider, Reply, Request, canonical, digest


class RecordingError(RuntimeError):
    """A recording that cannot be read, or may not be written."""


class Recordings:
    """The recorded replies of one model; several threads and processes may add to them.

    What is kept in memory is where each line begins, not what it says.

    Args:
        folder: of all recordings.
        provider: of the model.
        model: its name, without the provider's.
    """

    def __init__(self, folder: Path, provider: Provider, model: str) -> None:
        self.path = place(folder, provider, model)
        self.provider = provider
        self._described = provider.describe()
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[int, int]] = {}
        self._file: int | None = None
        self._read = 0
        self._warned: set[int] = set()
        self._refresh()

    def __len__(self) -> int:
        return len(self._places)

    def digest(self, request: Request) -> str:
        """The name of a request in these recordings."""
        return digest(self._described, request.recorded())

    def find(self, name: str) -> Reply | None:
        """The reply to the request of that digest, None where it is not recorded."""
        with self._lock:
            return self._reply(name)

    def write(self, request: Request, reply: Reply) -> Reply:
        """Record a reply, unless another process did meanwhile; what is recorded then.

        Raises:
            RecordingError: if the reply is another provider's.
        """
        if reply.provider != self.provider.name:
            raise RecordingError(
                f"a reply of {reply.provider} cannot stand among those of {self.provider.name}"
            )
        asked = request.recorded()
        name = digest(self._described, asked)
        content = {
            "digest": name,
            "provider": self._described,
            "request": asked,
            "reply": reply.recorded(),
        }
        line = canonical({**content, "sha256": _checksum(content)}).encode("utf-8") + b"\n"
        with self._lock, self._alone():
            self._set_torn_aside()
            self._refresh()
            if (known := self._reply(name)) is not None:
                return known
            with self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self._refresh()
        return reply

    def settle(self) -> None:
        """Order the lines by digest; a damaged one is set aside."""
        if not self.path.is_file():
            return
        with self._lock, self._alone():
            self._set_torn_aside()
            before = self.path.read_bytes()
            kept: dict[str, bytes] = {}
            for line in before.splitlines(keepends=True):
                if (content := _parsed(line)) is None:
                    self._set_aside(line)
                else:
                    kept.setdefault(content["digest"], line)
            after = b"".join(kept[name] for name in sorted(kept))
            if after != before:
                with replacing(self.path) as temporary, temporary.open("wb") as file:
                    file.write(after)
                    file.flush()
                    os.fsync(file.fileno())
            self._refresh()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _reply(self, name: str) -> Reply | None:
        place = self._places.get(bytes.fromhex(name))
        if place is None:
            return None
        content = _parsed(self._line(*place))
        if content is None:
            raise RecordingError(f"{self.path} changed while it was read; run again")
        return Reply.of(content["reply"])

    def _line(self, start: int, length: int) -> bytes:
        assert self._file is not None
        return os.pread(self._file, length, start)

    def _refresh(self) -> None:
        """Take in what was added since the last look; all of it where the file is another."""
        if not self.path.is_file():
            return
        if self._file is None or os.fstat(self._file).st_ino != self.path.stat().st_ino:
            self.close()
            self._file = os.open(self.path, os.O_RDONLY)
            self._places, self._read = {}, 0
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break  # another process is writing it, or was killed over it
                self._remember(line)

    def _remember(self, line: bytes) -> None:
        content = _parsed(line)
        if content is not None:
            self._places.setdefault(bytes.fromhex(content["digest"]), (self._read, len(line)))
        elif self._read not in self._warned:
            self._warned.add(self._read)
            print(
                f"{self.path} has a damaged line at byte {self._read}; it counts as not recorded",
                file=sys.stderr,
            )
        self._read += len(line)

    def _set_torn_aside(self) -> None:
        """Move the beginning of a line that a killed process left; nobody else is writing now."""
        if not self.path.is_file():
            return
        with self.path.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            if file.read() in (b"", b"\n"):
                return
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            file.seek(whole)
            self._set_aside(file.read() + b"\n")
            file.truncate(whole)

    def _set_aside(self, content: bytes) -> None:
        with self.path.with_name(f"{self.path.name}.torn").open("ab") as aside:
            aside.write(content)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process writes in the folder meanwhile; a killed one keeps no lock."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def place(folder: Path, provider: Provider, model: str) -> Path:
    """Where the replies of a model are recorded; its name is without the provider's."""
    return folder / provider.endpoint / f"{quote(model.replace('/', '__'))}.jsonl"


def contents(path: Path) -> Iterator[dict[str, Any]]:
    """What each whole line of a file of recordings says; nothing where there is no file."""
    if path.is_file():
        with path.open("rb") as file:
            yield from filter(None, map(_parsed, file))


def _parsed(line: bytes) -> dict[str, Any] | None:
    """A line's content, None where it is cut short or was changed."""
    try:
        content = json.loads(line)
        checksum = content.pop("sha256")
    except (ValueError, KeyError, AttributeError, TypeError):
        return None
    return content if isinstance(content, dict) and checksum == _checksum(content) else None


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(content).encode("utf-8")).hexdigest()
