"""A server on the loopback that speaks like an embeddings API, faults on demand."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests import loopback
from tests.loopback import running


@dataclass
class State(loopback.State):
    dimension: int = 0
    keys: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for request in self.asked for text in request["input"]]


class Handler(loopback.Handler):
    state: State

    def do_POST(self) -> None:
        request = self.read_json()
        self.state.keys.append(self.headers["Authorization"])
        self.state.meets(request)(self, reply(request, self.state.dimension))


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


@contextmanager
def serving(dimension: int) -> Iterator[tuple[str, State]]:
    """Its address, as OPENAI_BASE_URL wants it, and its state."""
    state = State(dimension=dimension)
    with running(Handler, state) as address:
        yield f"{address}/v1", state
