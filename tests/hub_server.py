"""A model hub on the loopback: repositories at a revision, and plain files, faults on demand.

It speaks what the hub's own client asks for: the list of a revision's files
(``/api/models/<id>/tree/<revision>``), a file's size and digest (``HEAD`` of
``/<id>/resolve/<revision>/<file>``), and the file. Other addresses are those of plain files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests import loopback
from tests.hub_models import Checkpoint

LARGE = (".safetensors", ".bin")
"""Files that the hub keeps in its storage for large ones."""
TREE = re.compile(r"/api/models/(?P<id>[^/]+/[^/]+)/tree/(?P<revision>[^/]+)")
PATHS = re.compile(r"/api/models/(?P<id>[^/]+/[^/]+)/paths-info/(?P<revision>[^/]+)")
FILE = re.compile(r"/(?P<id>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")

Fault = Callable[["Handler"], bool]
"""Deals with a request, and says whether it was answered."""


@dataclass
class State(loopback.Asked):
    """What the hub holds, what it does next, and what it was asked.

    Attributes:
        checkpoints: by model id.
        files: content by the path of its address.
        faults: by a part of the path, each used up by the first request that has it.
        asked: method and path of each request.
    """

    checkpoints: Mapping[str, Checkpoint] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    faults: list[tuple[str, Fault]] = field(default_factory=list)

    def fault(self, path: str) -> Fault | None:
        """The next fault that a request of this path meets."""
        with self.lock:
            for at, (part, one) in enumerate(self.faults):
                if part in path:
                    del self.faults[at]
                    return one
        return None


class Handler(loopback.Handler):
    state: State
    swaps = False
    """Whether other bytes are sent in the place of a file's."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        path = unquote(urlsplit(self.path).path)
        if (found := PATHS.fullmatch(path)) and (one := self._checkpoint(found)):
            named = {name: one.files[name] for name in asked["paths"] if name in one.files}
            self.send(200, json.dumps(entries(named)).encode())

    def refuse(self, status: int, code: str, message: str = "") -> None:
        """An error as the hub words it: its code and message in headers."""
        headers = {"X-Error-Code": code, "X-Error-Message": message}
        self.send(status, b"" if self.command == "HEAD" else b"{}", headers)

    def content(self, body: bytes, headers: Mapping[str, str]) -> None:
        """A body, or what is known of it where that is asked."""
        self.send_response(200)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(bytes(len(body)) if self.swaps else body)

    def _answer(self) -> None:
        path, self.swaps = unquote(urlsplit(self.path).path), False
        with self.state.lock:
            self.state.asked.append(f"{self.command} {path}")
        fault = self.state.fault(f"{self.command} {path}")
        if fault is not None and fault(self):
            return
        if found := TREE.fullmatch(path):
            if one := self._checkpoint(found):
                self.send(200, json.dumps(entries(one.files)).encode())
        elif path in self.state.files:
            self.content(self.state.files[path], {})
        elif found := FILE.fullmatch(path):
            if one := self._checkpoint(found):
                self._file(one, found["file"])
        else:
            self.refuse(404, "EntryNotFound", "Entry not found")

    def _file(self, one: Checkpoint, name: str) -> None:
        if name not in one.files:
            self.refuse(404, "EntryNotFound", "Entry not found")
            return
        body = one.files[name]
        digest = hashlib.sha256(body).hexdigest() if name.endswith(LARGE) else git_digest(body)
        self.content(body, {"X-Repo-Commit": one.revision, "ETag": f'"{digest}"'})

    def _checkpoint(self, found: re.Match[str]) -> Checkpoint | None:
        """The repository of a request, None where it was refused."""
        one = self.state.checkpoints.get(found["id"])
        if one is None:
            self.refuse(401, "RepoNotFound", "Invalid username or password.")
        elif found["revision"] != one.revision:
            self.refuse(404, "RevisionNotFound", f"Invalid rev id: {found['revision']}")
            one = None
        return one


def entries(files: Mapping[str, bytes]) -> list[dict[str, object]]:
    """Files as the hub lists them."""
    return [
        {"type": "file", "oid": git_digest(body), "size": len(body), "path": name}
        | ({"lfs": {"oid": hashlib.sha256(body).hexdigest(), "size": len(body),
                    "pointerSize": 134}} if name.endswith(LARGE) else {})
        for name, body in files.items()
    ]  # fmt: skip


def git_digest(body: bytes) -> str:
    """The name that git gives a content."""
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def gated(handler: Handler) -> bool:
    """A repository whose licence nobody of this account accepted."""
    handler.refuse(403, "GatedRepo", "Access to this model is restricted.")
    return True


def asks_for_login(handler: Handler) -> bool:
    """The same without any account."""
    handler.refuse(401, "GatedRepo", "Access to this model is restricted. You must be logged in.")
    return True


def overloaded(handler: Handler) -> bool:
    handler.refuse(503, "", "Service unavailable")
    return True


def stalls(handler: Handler) -> bool:
    loopback.stall(handler, {})
    return True


def another_file(handler: Handler) -> bool:
    """Bytes that nobody pinned, of the right number."""
    handler.swaps = True
    return False


@contextmanager
def only_source(
    checkpoints: Mapping[str, Checkpoint], folder: Path, patch: pytest.MonkeyPatch
) -> Iterator[tuple[str, State]]:
    """Its address and its state, where nothing else is at hand: its caches are below a folder."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "CHUNKSTUDY_DATA"):
        patch.delenv(name, raising=False)
    for name in ("NO_PROXY", "no_proxy"):
        patch.setenv(name, "127.0.0.1,localhost")
    patch.setenv("HF_HOME", str(folder / "hub"))
    patch.setenv("CHUNKSTUDY_CACHE", str(folder / "cache"))
    with loopback.serving(Handler, State(checkpoints=checkpoints)) as (address, state):
        patch.setenv("HF_ENDPOINT", address)
        yield address, state
