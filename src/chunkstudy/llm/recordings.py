"""Every request and reply, a line each, in ``results/llm/<endpoint>/<model>.jsonl``.

A line holds the digest of all that determines the reply, request and provider, the reply, and a
sha256 of these. What many requests share, the provider, the model and its limits and every message
before the last, is said once in a file of its own, ``<model>.jsonl.settings``, and named by each
line: the examples before thousands of questions would else be most of the file. Allowed answers
that are counted up are the first of them and how many there are.

Lines are added under a lock of the folder, whole or not at all: what a killed process left of one
is moved to ``<model>.jsonl.torn`` and asked for again. :meth:`Recordings.settle` brings the lines
into the order of their digests, so that the file does not show who answered first.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chunkstudy.base.asking import Reply, Request
from chunkstudy.base.files import alone, replacing
from chunkstudy.llm.interface import Provider, canonical, digest

ALIKE = ("model", "output_limit", "temperature")
"""What requests that open alike share too."""


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
        self._settings: set[str] = set()
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
        *before, last = asked.pop("messages")
        alike = {one: asked.pop(one) for one in ALIKE}
        setting = {"provider": self._described, "messages": before, "request": alike}
        if "answers" in asked:
            asked["answers"] = _counted(asked["answers"])
        content = {
            "digest": name,
            "setting": _checksum(setting),
            "request": {**asked, "messages": [last]},
            "reply": reply.recorded(),
        }
        with self._lock, alone(self.path.parent):
            _set_torn_aside(self.path)
            self._refresh()
            if (known := self._reply(name)) is not None:
                return known
            self._say_once(setting)
            _append(self.path, content)
            self._refresh()
        return reply

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

    def _reply(self, name: str) -> Reply | None:
        place = self._places.get(bytes.fromhex(name))
        if place is None:
            return None
        content = _parsed(self._line(*place))
        if content is None:
            raise RecordingError(f"{self.path} changed while it was read; run again")
        return Reply.of(content["reply"])

    def _say_once(self, setting: Mapping[str, Any]) -> None:
        """Add what requests share to its file; nobody else is writing now."""
        if (name := _checksum(setting)) in self._settings:
            return
        path = settings_of(self.path)
        _set_torn_aside(path)
        self._settings |= set(_settings(path))
        if name not in self._settings:
            _append(path, setting)
            self._settings.add(name)

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


def place(folder: Path, provider: Provider, model: str) -> Path:
    """Where the replies of a model are recorded; its name is without the provider's."""
    return folder / provider.endpoint / f"{quote(model.replace('/', '__'))}.jsonl"


def settings_of(path: Path) -> Path:
    """Where the lines of a file of recordings have what they share."""
    return path.with_name(f"{path.name}.settings")


def contents(path: Path) -> Iterator[dict[str, Any]]:
    """What each whole line of a file of recordings says, with what it shares with others; nothing
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
            if name in known:
                shared, request = known[name], content["request"]
                content["provider"] = shared["provider"]
                messages = [*shared["messages"], *request["messages"]]
                content["request"] = {**shared.get("request", {}), **request, "messages": messages}
                if "answers" in request:
                    content["request"]["answers"] = _listed(request["answers"])
            elif name is not None:
                raise RecordingError(
                    f"{path} names a setting that {settings_of(path).name} does not hold; restore "
                    "that file from where the recordings come from"
                )
            yield content


def _counted(answers: list[str]) -> list[str] | dict[str, Any]:
    """Answers that end in numbers one after the other by their first, any others as they are."""
    short = {"first": answers[0], "count": len(answers)}
    return short if _listed(short) == answers else answers


def _listed(answers: list[str] | dict[str, Any]) -> list[str]:
    """The answers that :func:`_counted` gave in short."""
    if isinstance(answers, list):
        return answers
    before = answers["first"].rstrip("0123456789")
    first = int(answers["first"][len(before) :] or 0)
    return [f"{before}{first + i}" for i in range(answers["count"])]


def _settings(path: Path) -> dict[str, dict[str, Any]]:
    """What lines share, by the name that they give it."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return {_checksum(one): one for one in map(_parsed, file) if one is not None}


def _append(path: Path, content: Mapping[str, Any]) -> None:
    """Add a line with its checksum, so that it outlives this process."""
    line = canonical({**content, "sha256": _checksum(content)}).encode("utf-8") + b"\n"
    with path.open("ab") as file:
        file.write(line)
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
        with replacing(path) as temporary, temporary.open("wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())


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
