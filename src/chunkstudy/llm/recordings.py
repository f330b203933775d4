"""What was asked and what came back, a line of JSON each, so that a run replays without asking.

A line holds the digest of what was asked, by which it is found, what came back, and a sha256 of
these. Replies lie in ``results/llm/<endpoint>/<model>.jsonl``: a request is found by the digest of
all that determines its reply, request and provider. What many requests share, the provider, the
model and its limits and every message before the last, is said once in a file of its own,
``<name>.jsonl.settings``, and named by each: the examples before thousands of questions would else
be most of the file.

Lines are added under a lock of the folder and never changed. What a killed process left of one
counts as not recorded and is asked for again.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chunkstudy.core.errors import RecordError
from chunkstudy.core.files import folder_lock
from chunkstudy.core.project import find_project
from chunkstudy.core.settings import Settings
from chunkstudy.llm.interface import Provider, Reply, Request, canonical, checksum, digest

ALIKE = ("model", "output_limit", "temperature")
"""What requests that open alike share too."""


class RecordedLines:
    """The lines of a file, found by their digest; several threads and processes may add to it.

    What is kept in memory is where each line begins, not what it says. A damaged line counts as
    not recorded and is named on stderr.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._places: dict[str, int] = {}
        self._read = 0
        self._refresh()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, digest: str) -> bool:
        return digest in self._places

    def line(self, digest: str) -> dict[str, Any] | None:
        """What the line of that digest says; None where there is none.

        Raises:
            RecordError: if the file was changed since it was listed.
        """
        if (place := self._places.get(digest)) is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            content = _parsed(file.readline())
        if content is None or content["digest"] != digest:
            raise RecordError(f"{self.path} changed while it was read; run again")
        return content

    def add(
        self, lines: Sequence[Mapping[str, Any]], setting: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Record lines that have a ``digest`` each, unless another process did meanwhile; what is
        recorded then, in their order.

        Args:
            setting: what they share.
        """
        named = {} if setting is None else {"setting": checksum(setting)}
        with self._lock, folder_lock(self.path.parent):
            self._refresh()
            new = [{**line, **named} for line in lines if line["digest"] not in self]
            if setting is not None and new and named["setting"] not in _settings(self.path):
                _append(settings_of(self.path), [setting])
            _append(self.path, new)
            self._refresh()
        return [self.line(line["digest"]) or {} for line in lines]

    def _refresh(self) -> None:
        """Take in what was added since the last look."""
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break  # another process is writing it, or was killed over it
                if (content := _parsed(line)) is not None:
                    self._places.setdefault(content["digest"], self._read)
                else:
                    where = f"{self.path} has a damaged line at byte {self._read}"
                    print(f"{where}; it counts as not recorded", file=sys.stderr)
                self._read += len(line)


class Recordings(RecordedLines):
    """The recorded replies of one model.

    Args:
        folder: of all recordings.
        provider: of the model.
        model: its name, without the provider's.
    """

    def __init__(self, folder: Path, provider: Provider, model: str) -> None:
        super().__init__(place(folder, provider.endpoint, model))
        self.provider = provider
        self._described = provider.describe()

    def digest(self, request: Request) -> str:
        """The name of a request in these recordings."""
        return digest(self._described, request.recorded())

    def find(self, name: str) -> Reply | None:
        """The reply to the request of that digest, None where it is not recorded."""
        line = self.line(name)
        return None if line is None else Reply.of(line["reply"])

    def write(self, request: Request, reply: Reply) -> Reply:
        """Record a reply, unless another process did meanwhile; what is recorded then."""
        question = request.recorded()
        name = digest(self._described, question)
        *before, last = question.pop("messages")
        alike = {attribute: question.pop(attribute) for attribute in ALIKE}
        setting = {"provider": self._described, "messages": before, "request": alike}
        if "answers" in question:
            question["answers"] = _counted(question["answers"])
        content = {"request": {**question, "messages": [last]}, "reply": asdict(reply)}
        return Reply.of(self.add([{"digest": name, **content}], setting)[0]["reply"])


def replies_folder() -> Path:
    """CHUNKSTUDY_LLM_RECORDINGS, else ``results/llm``, which travels with the project."""
    return Settings.from_env().replies or find_project().llm


def place(folder: Path, endpoint: str, model: str) -> Path:
    """Where a folder has what a model at an endpoint gave; its name is without the provider's."""
    return folder / endpoint / f"{quote(model.replace('/', '__'))}.jsonl"


def settings_of(path: Path) -> Path:
    """Where the lines of a file of recordings have what they share."""
    return path.with_name(f"{path.name}.settings")


def contents(path: Path) -> Iterator[dict[str, Any]]:
    """What each whole line of a file of recorded replies says, with what it shares with others;
    nothing where there is no file.

    Raises:
        RecordError: if a line names what its file of settings does not hold.
    """
    known = _settings(path)
    for content in _whole(path):
        if (name := content.pop("setting", None)) is not None:
            if name not in known:
                raise RecordError(
                    f"{path} names a setting that {settings_of(path).name} does not hold; restore "
                    "that file from where the recordings come from"
                )
            shared = known[name]
            content["provider"] = shared["provider"]
            messages = [*shared["messages"], *content["request"]["messages"]]
            request = {**shared.get("request", {}), **content["request"], "messages": messages}
            if "answers" in request:
                request["answers"] = _listed(request["answers"])
            content["request"] = request
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
    """What the lines of a file share, by the name that they give it."""
    return {checksum(setting): setting for setting in _whole(settings_of(path))}


def _whole(path: Path) -> Iterator[dict[str, Any]]:
    """What the lines of a file say that are neither cut short nor changed."""
    if path.is_file():
        with path.open("rb") as file:
            yield from filter(None, map(_parsed, file))


def _append(path: Path, contents: Iterable[Mapping[str, Any]]) -> None:
    """Add lines with their checksums, so that they outlive this process, behind the end of what a
    killed one left."""
    text = "".join(
        canonical({**content, "sha256": checksum(content)}) + "\n" for content in contents
    )
    with path.open("a+b") as file:
        if size := file.seek(0, os.SEEK_END):
            file.seek(size - 1)
            text = text if file.read() == b"\n" else f"\n{text}"
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _parsed(line: bytes) -> dict[str, Any] | None:
    """A line's content, None where it is cut short or was changed."""
    try:
        content = json.loads(line)
        stated = content.pop("sha256")
    except (ValueError, KeyError, AttributeError, TypeError):
        return None
    return content if isinstance(content, dict) and stated == checksum(content) else None
