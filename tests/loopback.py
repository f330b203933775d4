"""A server on the loopback that fails on demand: what the servers of different interfaces share."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

Fault = Callable[["Handler", dict[str, Any]], None]
"""Answers a request, given the honest reply."""
LONGEST_STALL = 60.0
"""Seconds after which a stalled request ends, whatever the client does."""


@dataclass
class Asked:
    """What a server was asked."""

    asked: list[Any] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    """Set when the server ends, so that nothing waits for it."""
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass
class State(Asked):
    """Also what it does next: ``faults`` are used up one a request."""

    faults: list[Fault] = field(default_factory=list)

    def meets(self, asked: Any) -> Fault:
        """Note a request; what it meets."""
        with self.lock:
            self.asked.append(asked)
            return self.faults.pop(0) if self.faults else answer


class Handler(BaseHTTPRequestHandler):
    state: Any
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def read_json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return content

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drop(self) -> None:
        """Close the connection without a word."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        pass


def answer(handler: Handler, honest: dict[str, Any]) -> None:
    handler.send(200, json.dumps(honest).encode())


def status(
    code: int, body: bytes = b'{"error": {}}', headers: Mapping[str, str] | None = None
) -> Fault:
    return lambda handler, _: handler.send(code, body, headers)


def changed(change: Callable[[dict[str, Any]], object]) -> Fault:
    """An honest reply after ``change`` has had its way with it."""

    def fault(handler: Handler, honest: dict[str, Any]) -> None:
        change(honest)
        answer(handler, honest)

    return fault


def cut_json(handler: Handler, honest: dict[str, Any]) -> None:
    body = json.dumps(honest).encode()
    handler.send(200, body[: len(body) // 2])


def cut_body(handler: Handler, honest: dict[str, Any]) -> None:
    """Fewer bytes than announced, then the connection ends."""
    body = json.dumps(honest).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.flush()
    handler.drop()


def dropped(handler: Handler, _: dict[str, Any]) -> None:
    handler.drop()


def stall(handler: Handler, _: dict[str, Any]) -> None:
    """Say nothing until the server ends, or for longer than any client waits."""
    handler.state.released.wait(LONGEST_STALL)
    handler.drop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


S = TypeVar("S", bound=Asked)


@contextmanager
def serving(handler: type[Handler], state: S) -> Iterator[tuple[str, S]]:
    """Its address, such as http://127.0.0.1:4711, and the state, which requests find at their
    handler."""
    server = _Server(("127.0.0.1", 0), type("Bound", (handler,), {"state": state}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
