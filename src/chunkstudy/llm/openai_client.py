"""A server that speaks like OpenAI's: chat and embeddings through the library ``openai``, which
asks again where that may help, no sooner than the server allows.

Replies are believed only when whole. Refusals are told in words of this file, since a server's own
text may quote the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from chunkstudy.core.errors import LanguageModelError, first_fault
from chunkstudy.core.settings import Settings
from chunkstudy.llm.interface import Finish, Reply, Request
from chunkstudy.llm.keys import key, refused, without_keys

if TYPE_CHECKING:
    from openai import OpenAI

Received = TypeVar("Received")
KEY = "OPENAI_API_KEY"
ADDRESS = "https://api.openai.com/v1"
RETRIES = 5
"""How often a request is sent again; the library waits longer each time."""
TIMEOUT = 120.0
"""Seconds without a byte until an attempt counts as failed."""
CONNECTING = 10.0
"""Seconds to reach a server, which then may take longer to answer."""
FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "blocked",
}
ALIKE = "check that a server like OpenAI's is at that address"
SHOWN = 40
"""Characters of a text that an error shows."""


class EmbeddingReply(NamedTuple):
    """Vectors (texts, dimension) in the order of the texts, as received; the model's name and the
    tokens counted as the server gives them."""

    vectors: NDArray[np.float32]
    model: str
    tokens: int


class OpenAIClient:
    """A model behind a server that speaks like OpenAI.

    Args:
        name: of the provider; ``openai`` needs a key and answers under the model's own name,
            servers of all kinds under any.
        model: its name at the server.
        address: of the server; OPENAI_BASE_URL by default, else OpenAI's own.
        keys: variables that may hold its key.
    """

    def __init__(
        self, name: str, model: str, address: str = "", keys: tuple[str, ...] = (KEY,)
    ) -> None:
        self.name = name
        self.model = model
        self.keys = keys
        self._address = address or usual_address()
        self.endpoint = host(self._address)
        # a user, password or query of the address may be secret
        parts = urlsplit(self._address)
        where = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._who = f"{model} at {where}"

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "endpoint": self.endpoint}

    @cached_property
    def _client(self) -> OpenAI:
        secret = key(*self.keys)
        if self.name == "openai" and secret is None:
            raise LanguageModelError(
                f"{self.model} at {self.endpoint} needs a key; set {self.keys[0]}, or replay what "
                "is recorded",
                refused=True,
            )
        import openai  # late: the import alone takes a second, and the extra llm installs it

        return openai.OpenAI(
            api_key=secret or "none",
            base_url=self._address,
            max_retries=RETRIES,
            timeout=openai.Timeout(TIMEOUT, connect=CONNECTING),
        )

    def ask(self, request: Request) -> Reply:
        sent: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            "temperature": request.temperature,
            "max_tokens": request.output_limit,
        }
        if request.seed is not None:
            sent["seed"] = request.seed
        if request.json:
            sent["response_format"] = {"type": "json_object"}
        reply = self._asked(lambda: self._client.chat.completions.create(**sent))
        usage = reply.usage
        if usage is None or not reply.choices or reply.choices[0].finish_reason not in FINISHES:
            raise self._error("sent a reply that cannot be read (choices or usage)")
        choice = reply.choices[0]
        finish = "refused" if choice.message.refusal else FINISHES[choice.finish_reason]
        return Reply(
            (choice.message.content or "") if finish in ("stop", "length") else "",
            finish,
            usage.prompt_tokens,
            usage.completion_tokens,
            self.name,
            reply.model,
            not_sent=("answers",) if request.answers else (),
        )

    def embed(self, texts: Sequence[str], dimension: int = 0) -> EmbeddingReply:
        """The vectors of texts that fit one request.

        Args:
            dimension: numbers that each must have; as many as the first has if 0.

        Raises:
            LanguageModelError: if no reply came that can be used.
        """
        reply = self._asked(
            lambda: self._client.embeddings.create(model=self.model, input=list(texts))
        )
        if sorted(item.index for item in reply.data) != list(range(len(texts))):
            raise self._error(
                f"sent {len(reply.data)} vectors, not one for each of {len(texts)} texts; {ALIKE}"
            )
        items = sorted(reply.data, key=lambda item: item.index)
        dimension = dimension or len(items[0].embedding)
        if wrong := [len(i.embedding) for i in items if len(i.embedding) != dimension]:
            raise self._error(
                f"sent a vector of {wrong[0]} numbers where {dimension} are expected; if another "
                "model answers there by now, set CHUNKSTUDY_RECORDINGS to a new folder"
            )
        with np.errstate(over="ignore"):
            vectors = np.array([item.embedding for item in items], dtype=np.float32)
        usable = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
        if not usable.all():
            text = texts[int(usable.argmin())][:SHOWN]
            raise self._error(
                f"sent a vector of zeros, or with a number that is not finite, for the text "
                f"{text!r}; see what it makes of that text alone"
            )
        return EmbeddingReply(vectors, without_keys(reply.model), reply.usage.prompt_tokens)

    def _asked(self, ask: Callable[[], Received]) -> Received:
        """What the library receives, which does not check it, if it is whole and of this model; or
        why not, in words of this file.

        Errors are raised outside of the handlers, so that none carries the library's own, which
        may quote the key.
        """
        import openai

        _ = self._client
        try:
            reply: Any = ask()
            whole: Received = type(reply).model_validate(reply.to_dict(warnings=False))
            if self.name != "openai" or reply.model.startswith(self.model):
                return whole
            problem = self._error(f"answered with another model than {self.model}")
        except openai.APIStatusError as error:
            problem = refused(self._who, error.status_code, error.code, self.keys)
        except openai.APITimeoutError:
            problem = self._error(f"sent nothing for {TIMEOUT:g} seconds; run again later")
        except openai.OpenAIError:
            problem = self._error("cannot be reached; check that a server listens there")
        except (ValueError, TypeError, AttributeError) as error:
            where = first_fault(error)[0] if isinstance(error, ValidationError) else "no such form"
            problem = self._error(f"sent a reply that cannot be read ({where}); {ALIKE}")
        raise problem

    def _error(self, problem: str) -> LanguageModelError:
        return LanguageModelError(f"{self._who} {problem} (what was received is kept)")


def usual_address() -> str:
    """Where OpenAI's models are asked: OPENAI_BASE_URL, else at OpenAI."""
    return Settings.from_env().openai_address or ADDRESS


def host(address: str) -> str:
    """Who answers at an address: two servers of one machine may call two models the same."""
    parts = urlsplit(address)
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise LanguageModelError(
            f"{address!r} is no address; write it as http://localhost:11434/v1"
        )
    return f"{parts.hostname}-{parts.port}" if parts.port else parts.hostname
