"""Recorded requests and replies, in ``results/llm/<endpoint>/<model>.jsonl``.

A request is found by the digest of all that determines its reply, request and provider. What many
requests share is the provider, the model and its limits and every message before the last. Allowed
answers that are counted up are the first of them and how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chunkstudy.base.asking import Reply, Request
from chunkstudy.base.recordings import RecordedLines, RecordingError, lines
from chunkstudy.llm.interface import Provider, digest

ALIKE = ("model", "output_limit", "temperature")
"""What requests that open alike share too."""


class Recordings:
    """The recorded replies of one model; several threads and processes may add to them.

    Args:
        folder: of all recordings.
        provider: of the model.
        model: its name, without the provider's.
    """

    def __init__(self, folder: Path, provider: Provider, model: str) -> None:
        self.path = place(folder, provider, model)
        self.provider = provider
        self._described = provider.describe()
        self._lines = RecordedLines(self.path)
        self.settle, self.close = self._lines.settle, self._lines.close

    def __len__(self) -> int:
        return len(self._lines)

    def digest(self, request: Request) -> str:
        """The name of a request in these recordings."""
        return digest(self._described, request.recorded())

    def find(self, name: str) -> Reply | None:
        """The reply to the request of that digest, None where it is not recorded."""
        line = self._lines.line(name)
        return None if line is None else Reply.of(line["reply"])

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
        line = {
            "digest": name,
            "request": {**asked, "messages": [last]},
            "reply": reply.recorded(),
        }
        return Reply.of(self._lines.add([line], setting)[0]["reply"])


def place(folder: Path, provider: Provider, model: str) -> Path:
    """Where the replies of a model are recorded; its name is without the provider's."""
    return folder / provider.endpoint / f"{quote(model.replace('/', '__'))}.jsonl"


def contents(path: Path) -> Iterator[dict[str, Any]]:
    """What each whole line of a file of recordings says, with what it shares with others.

    Raises:
        RecordingError: if a line names what its file of settings does not hold.
    """
    for content, shared in lines(path):
        if shared:
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
