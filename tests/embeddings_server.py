"""A server on the loopback that speaks like an embeddings API, faults on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray

Fault = Callable[["Handler", dict[str, Any]], None]
"""Answers a request, given the honest reply."""


@dataclass
class State:
    """What the server does next, and what it was asked.

    ``faults`` are used up one a request; honest replies follow.
    """

    dimension: int
    faults: list[Fault] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for request in self.asked for text in request["input"]]


class Handler(BaseHTTPRequestHandler):
    state: State

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.asked.append(request)
        self.state.keys.append(self.headers["Authorization"])
        honest = reply(request, self.state.dimension)
        fault = self.state.faults.pop(0) if self.state.faults else answer
        fault(self, honest)

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


def vector(text: str, dimension: int) -> NDArray[np.float32]:
    """A unit vector that only the text decides."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    values = np.random.default_rng(seed).standard_normal(dimension)
    unit: NDArray[np.float32] = (values / np.linalg.norm(values)).astype(np.float32)
    return unit


def reply(request: dict[str, Any], dimension: int) -> dict[str, Any]:
    rows = [vector(text, dimension) for text in request["input"]]
    return {
        "object": "list",
        "model": request["model"],
        "data": [
            {"object": "embedding", "index": i, "embedding": encoded(row)}
            for i, row in enumerate(rows)
        ],
        "usage": {"prompt_tokens": 7, "total_tokens": 7},
    }


def encoded(values: NDArray[np.float32]) -> str:
    return base64.b64encode(values.astype("<f4").tobytes()).decode()


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


def dropped(handler: Handler, honest: dict[str, Any]) -> None:
    handler.drop()


@contextmanager
def serving(dimension: int) -> Iterator[tuple[str, State]]:
    """Its address, as OPENAI_BASE_URL wants it, and its state."""
    state = State(dimension)
    handler = type("Bound", (Handler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
