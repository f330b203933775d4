"""What was asked and what came back, a line of JSON each, so that a run replays without asking.

A line holds the digest of what was asked, by which it is found, what came back, and a sha256 of
these. What many lines share is said once in a file of its own, ``<name>.jsonl.settings``, and named
by each: the examples before thousands of questions would else be most of the file.

Lines are added under a lock of the folder, whole or not at all: what a killed process left of one
is moved to ``<name>.jsonl.torn`` and asked for again. :meth:`RecordedLines.settle` brings the lines
into the order of their digests, so that the file does not show who answered first.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from chunkstudy.base.files import alone, replacing


class RecordingError(RuntimeError):
    """A recording that cannot be read, or may not be written."""


class RecordedLines:
    """The lines of a file, found by their digest; several threads and processes may add to it.

    What is kept in memory is where each line begins, not what it says. A damaged line counts as
    not recorded and is named on stderr.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[int, int]] = {}
        self._settings: set[str] = set()
        self._file: int | None = None
        self._read = 0
        self._warned: set[int] = set()
        self._refresh()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, digest: str) -> bool:
        return bytes.fromhex(digest) in self._places

    def digests(self) -> list[str]:
        """Of all lines, in the order of the file."""
        return [one.hex() for one in self._places]

    def line(self, digest: str) -> dict[str, Any] | None:
        """What the line of that digest says; None where there is none.

        Raises:
            RecordingError: if the file was changed since it was listed.
        """
        with self._lock:
            return self._line(digest)

    def add(
        self, lines: Sequence[Mapping[str, Any]], setting: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Record lines that have a ``digest`` each, unless another process did meanwhile; what is
        recorded then, in their order.

        Args:
            setting: what they share.
        """
        named = {} if setting is None else {"setting": _checksum(setting)}
        with self._lock, alone(self.path.parent):
            _set_torn_aside(self.path)
            self._refresh()
            new = [{**one, **named} for one in lines if one["digest"] not in self]
            if setting is not None and new:
                self._say_once(setting)
            _append(self.path, new)
            self._refresh()
            return [self._line(one["digest"]) or {} for one in lines]

    def settle(self) -> None:
        """Order the lines by digest, of what they share by its name; a damaged one is set aside."""
        if not self.path.is_file():
            return
        with self._lock, alone(self.path.parent):
            _settle(self.path, lambda content: str(content["digest"]))
            _settle(settings_of(self.path), _checksum)
            self._refresh()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _line(self, digest: str) -> dict[str, Any] | None:
        place = self._places.get(bytes.fromhex(digest))
        if place is None:
            return None
        assert self._file is not None
        content = _parsed(os.pread(self._file, place[1], place[0]))
        if content is None:
            raise RecordingError(f"{self.path} changed while it was read; run again")
        return content

    def _say_once(self, setting: Mapping[str, Any]) -> None:
        """Add what lines share to its file; nobody else is writing now."""
        if (name := _checksum(setting)) in self._settings:
            return
        path = settings_of(self.path)
        _set_torn_aside(path)
        self._settings |= set(_settings(path))
        if name not in self._settings:
            _append(path, [setting])
            self._settings.add(name)

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


def canonical(content: Any) -> str:
    """Compact sorted JSON on one line: the same content gives the same characters."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def settings_of(path: Path) -> Path:
    """Where the lines of a file of recordings have what they share."""
    return path.with_name(f"{path.name}.settings")


def lines(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """What each whole line of a file of recordings says, and what it shares with others; nothing
    where there is no file.

    Raises:
        RecordingError: if a line names what its file of settings does not hold.
    """
    if not path.is_file():
        return
    known = _settings(settings_of(path))
    with path.open("rb") as file:
        for content in filter(None, map(_parsed, file)):
            name = content.pop("setting", None)
            if name is None:
                yield content, {}
                continue
            if name not in known:
                raise RecordingError(
                    f"{path} names a setting that {settings_of(path).name} does not hold; restore "
                    "that file from where the recordings come from"
                )
            yield content, known[name]


def _settings(path: Path) -> dict[str, dict[str, Any]]:
    """What lines share, by the name that they give it."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return {_checksum(one): one for one in map(_parsed, file) if one is not None}


def _append(path: Path, contents: Iterable[Mapping[str, Any]]) -> None:
    """Add lines with their checksums, so that they outlive this process."""
    text = "".join(canonical({**one, "sha256": _checksum(one)}) + "\n" for one in contents)
    with path.open("ab") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _settle(path: Path, name: Callable[[Mapping[str, Any]], str]) -> None:
    """Order a file's lines by name, each once; nobody else is writing now."""
    if not path.is_file():
        return
    _set_torn_aside(path)
    before = path.read_bytes()
    kept: dict[str, bytes] = {}
    for line in before.splitlines(keepends=True):
        if (content := _parsed(line)) is None:
            _set_aside(path, line)
        else:
            kept.setdefault(name(content), line)
    after = b"".join(kept[one] for one in sorted(kept))
    if after != before:
        with replacing(path, durable=True) as temporary:
            temporary.write_bytes(after)


def _set_torn_aside(path: Path) -> None:
    """Move the beginning of a line that a killed process left; nobody else is writing now."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read() in (b"", b"\n"):
            return
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        file.seek(whole)
        _set_aside(path, file.read() + b"\n")
        file.truncate(whole)


def _set_aside(path: Path, content: bytes) -> None:
    with path.with_name(f"{path.name}.torn").open("ab") as aside:
        aside.write(content)


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
