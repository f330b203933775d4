"""A server on the loopback that speaks like the APIs of models, faults on demand.

It speaks OpenAI's chat completions, Gemini's ``generateContent``, and OpenAI's embeddings. What it
says to a request is up to ``State.says``; vectors are decided by their texts.
"""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.models import MODELS
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Mode
from chunkstudy.llm.openai_client import OpenAIClient
from chunkstudy.llm.prices import Budget
from tests import loopback
from tests.loopback import Fault, changed


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
class State(loopback.State):
    """Honest replies follow faults, ``seconds`` later each.

    Attributes:
        dimension: of vectors; that of the model asked for if 0.
        keys: those that requests for vectors came with.
    """

    says: Callable[[Asked], str] = hashed
    seconds: float = 0.0
    dimension: int = 0
    keys: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """Those whose vectors were asked for."""
        return [text for request in self.asked for text in request["input"]]


class Handler(loopback.Handler):
    state: State

    def do_POST(self) -> None:
        body = self.read_json()
        if self.path.endswith("/embeddings"):
            self.state.keys.append(self.headers["Authorization"])
            dimension = self.state.dimension or MODELS[body["model"]].dimension
            self.state.meets(body)(self, vectors_reply(body, dimension))
            return
        gemini = ":generateContent" in self.path
        asked = self._gemini(body) if gemini else self._openai(body)
        fault = self.state.meets(asked)
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


def vectors_reply(request: dict[str, Any], dimension: int) -> dict[str, Any]:
    rows = [encoded(vector(text, dimension)) for text in request["input"]]
    return {
        "object": "list",
        "model": request["model"],
        "data": [
            {"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)
        ],
        "usage": {"prompt_tokens": 7, "total_tokens": 7},
    }


def vector(text: str, dimension: int) -> NDArray[np.float32]:
    """A unit vector that only the text decides."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    values = np.random.default_rng(seed).standard_normal(dimension)
    unit: NDArray[np.float32] = (values / np.linalg.norm(values)).astype(np.float32)
    return unit


def encoded(values: NDArray[np.float32]) -> str:
    return base64.b64encode(values.astype("<f4").tobytes()).decode()


def serving(**values: Any) -> AbstractContextManager[tuple[str, State]]:
    """Its address and its state, which has these values."""
    return loopback.serving(Handler, State(**values))


def asker(address: str, folder: Path, mode: Mode = "record", **given: Any) -> Asker:
    """Asks this server whatever model is named, and waits for nothing."""
    return Asker(
        mode,
        folder,
        provider=lambda name: OpenAIClient(
            "openai", name.partition("/")[2], f"{address}/v1", ("OPENAI_API_KEY",)
        ),
        **{"budget": Budget()} | given,
    )


def _choice(**values: Any) -> Fault:
    return changed(lambda honest: honest["choices"][0].update(values))


refusal = changed(
    lambda honest: honest["choices"][0]["message"].update(content=None, refusal="I would not.")
)
filtered = _choice(finish_reason="content_filter")
cut_off = _choice(finish_reason="length")
no_choices = changed(lambda honest: honest.update(choices=[]))
no_usage = changed(lambda honest: honest.pop("usage"))
another_finish = _choice(finish_reason="tired")
another_model = changed(lambda honest: honest.update(model="another"))

no_candidates = changed(lambda honest: honest.update(candidates=[]))
no_usage_metadata = changed(lambda honest: honest.pop("usageMetadata"))
blocked_candidate = changed(
    lambda honest: honest.update(candidates=[{"finishReason": "SAFETY", "index": 0}])
)
another_candidate_finish = changed(
    lambda honest: honest["candidates"][0].update(finishReason="MALFORMED_FUNCTION_CALL")
)


def _blocked_prompt(honest: dict[str, Any]) -> None:
    honest.pop("candidates")
    honest["promptFeedback"] = {"blockReason": "SAFETY"}


blocked_prompt = changed(_blocked_prompt)
