"""A server on the loopback that speaks like a language model's API, faults on demand.

It speaks OpenAI's chat completions (``/v1/chat/completions``, and below ``/v1beta/openai`` as
Gemini does) and Gemini's ``generateContent``. What it says to a request is up to ``State.says``.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from chunkstudy.rehearsal import loopback
from chunkstudy.rehearsal.loopback import Fault, answer, running


@dataclass(frozen=True)
class Asked:
    """A request as any interface sends it."""

    wire: str
    model: str
    system: str
    texts: tuple[str, ...]
    settings: dict[str, Any]
    key: str


def hashed(asked: Asked) -> str:
    """A reply that only the request's texts decide."""
    return f"reply {hashlib.sha256(chr(0).join(asked.texts).encode()).hexdigest()[:8]}"


@dataclass
class State:
    """What the server does next, and what it was asked.

    ``faults`` are used up one a request; honest replies follow, ``seconds`` later each.
    """

    says: Callable[[Asked], str] = hashed
    seconds: float = 0.0
    faults: list[Fault] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    released: threading.Event = field(default_factory=threading.Event)
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def counted(self, asked: Asked) -> Iterator[Fault]:
        """Note a request for as long as it is under way; what it meets."""
        with self._lock:
            self.asked.append(asked)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            fault = self.faults.pop(0) if self.faults else answer
        try:
            yield fault
        finally:
            with self._lock:
                self._now -= 1


class Handler(loopback.Handler):
    state: State

    def do_POST(self) -> None:
        body = self.read_json()
        gemini = ":generateContent" in self.path
        asked = self._gemini(body) if gemini else self._openai(body)
        with self.state.counted(asked) as fault:
            time.sleep(self.state.seconds)
            text = self.state.says(asked)
            fault(self, gemini_reply(text) if gemini else openai_reply(text, asked.model))

    def _openai(self, body: dict[str, Any]) -> Asked:
        settings = {k: v for k, v in body.items() if k not in ("model", "messages")}
        said = body["messages"]
        return Asked(
            "openai",
            body["model"],
            "".join(m["content"] for m in said if m["role"] == "system"),
            tuple(m["content"] for m in said if m["role"] != "system"),
            settings,
            self.headers["Authorization"].removeprefix("Bearer "),
        )

    def _gemini(self, body: dict[str, Any]) -> Asked:
        system = body.get("systemInstruction", {}).get("parts", [])
        return Asked(
            "gemini",
            self.path.partition("/models/")[2].partition(":")[0],
            "".join(part["text"] for part in system),
            tuple(part["text"] for one in body["contents"] for part in one["parts"]),
            {k: v for k, v in body.items() if k not in ("contents", "systemInstruction", "model")},
            self.headers["x-goog-api-key"],
        )


def openai_reply(text: str, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{model}-2024-07-18",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def gemini_reply(text: str) -> dict[str, Any]:
    return {
        "candidates": [
            {"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP"}
        ],
        "usageMetadata": {
            "promptTokenCount": 100,
            "candidatesTokenCount": 10,
            "totalTokenCount": 110,
        },
    }


@contextmanager
def serving(port: int = 0, **values: Any) -> Iterator[tuple[str, State]]:
    """Its address and its state."""
    state = State(**values)
    handler = type("Bound", (Handler,), {"state": state})
    with running(handler, port) as address:
        try:
            yield address, state
        finally:
            state.released.set()
