"""Chat completions through the openai SDK: OpenAI itself, Gemini's compatible endpoint, or any
server that speaks alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, NonNegativeInt, ValidationError

from chunkstudy.base.asking import Finish, LanguageModelError, Reply, Request
from chunkstudy.base.faults import first_fault
from chunkstudy.base.keys import key
from chunkstudy.base.openai_api import Server, Strict
from chunkstudy.base.retries import TIMEOUT, Failure

FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "blocked",
}


class _Message(Strict):
    content: str | None = None
    refusal: str | None = None


class _Choice(Strict):
    message: _Message
    finish_reason: str


class _Usage(Strict):
    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt


class _Body(Strict):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    model: str
    usage: _Usage


class OpenAIProvider:
    """A model behind OpenAI's chat completions or an interface like them.

    Args:
        name: of the provider.
        model: its name at the server.
        base_url: the server's address.
        keys: variables that may hold the key.
        needs_key: whether nothing can be asked without one.
        timeout: seconds without a byte until an attempt counts as failed.
    """

    def __init__(
        self,
        name: str,
        model: str,
        base_url: str,
        keys: tuple[str, ...],
        needs_key: bool = True,
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self.endpoint = urlsplit(base_url).hostname or base_url
        self._model = model
        self._needs_key = needs_key
        self._server = Server(base_url, keys, timeout)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "endpoint": self.endpoint}

    def open(self) -> None:
        if self._needs_key and key(*self._server.keys) is None:
            raise LanguageModelError(
                f"{self._model} at {self.endpoint} needs a key; set {self._server.keys[0]}, or "
                "replay what is recorded"
            )
        self._server.open()

    def once(self, request: Request) -> Reply | Failure:
        sent = self._sent(request)
        body = self._server.once(
            lambda client: client.chat.completions.with_raw_response.create(**sent)
        )
        if isinstance(body, Failure):
            return body
        return self._read(body, ("answers",) if request.answers else ())

    def _sent(self, request: Request) -> dict[str, Any]:
        sent: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            "temperature": request.temperature,
            "max_tokens": request.output_limit,
        }
        if request.seed is not None:
            sent["seed"] = request.seed
        if request.json:
            sent["response_format"] = {"type": "json_object"}
        return sent

    def _read(self, body: bytes, not_sent: tuple[str, ...]) -> Reply | Failure:
        try:
            reply = _Body.model_validate_json(body)
        except ValidationError as error:
            where = first_fault(error)[0] or "not whole JSON"
            return Failure(f"sent a reply that cannot be read ({where})")
        if self.name == "openai" and not reply.model.startswith(self._model):
            return Failure(f"answered with another model than {self._model}", again=False)
        choice = reply.choices[0]
        finish = FINISHES.get(choice.finish_reason)
        if finish is None:
            return Failure("sent a reply that cannot be read (choices.0.finish_reason)")
        if choice.message.refusal:
            finish = "refused"
        text = (choice.message.content or "") if finish in ("stop", "length") else ""
        return Reply(
            text,
            finish,
            reply.usage.prompt_tokens,
            reply.usage.completion_tokens,
            self.name,
            reply.model,
            not_sent=not_sent,
        )
