"""One embeddings request: sent, repeated within a bound, and its reply believed only when whole."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from chunkstudy.base.budget import Budget
from chunkstudy.base.faults import first_fault
from chunkstudy.base.keys import code
from chunkstudy.base.prices import PRICES
from chunkstudy.base.retries import TIMEOUT, Failure, Retries, may_pass, retry_after
from chunkstudy.encoders.models import ModelError

if TYPE_CHECKING:
    from openai import OpenAI

ANSWERED_AS = {"text-embedding-ada-002": "text-embedding-ada-002-v2"}
"""Another name that a model's replies have carried (Helicone pull request 1346)."""
ADVICE = {
    401: "; check OPENAI_API_KEY",
    403: "; check what the key of OPENAI_API_KEY may use",
    404: "; check OPENAI_BASE_URL and that the key may use the model",
}


class ApiError(ModelError):
    """An API that cannot be asked, or whose replies cannot be used."""


@dataclass(frozen=True)
class Reply:
    """Vectors (texts, dimension) in the order of the texts, as received; the model's name and
    the tokens counted as the server gives them."""

    vectors: NDArray[np.float32]
    model: str
    tokens: int


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Item(_Strict):
    index: int
    embedding: str | list[float]


class _Usage(_Strict):
    prompt_tokens: NonNegativeInt


class _Body(_Strict):
    data: list[_Item]
    model: str
    usage: _Usage


class EmbeddingsClient:
    """One model behind OpenAI's embeddings API.

    Errors say what the server did in words of this file: its own text may quote the key.

    Args:
        model: its name at the API.
        dimension: numbers a vector must have.
        key: sent as the bearer token and kept nowhere else.
        base_url: the API's address; OpenAI's own if None.
        budget: what the attempts are charged to.
        sleep: waits some seconds.
    """

    def __init__(
        self,
        model: str,
        dimension: int,
        key: str,
        base_url: str | None,
        budget: Budget,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self._retries = Retries("the embeddings API", ApiError, budget, sleep)
        self._key = key
        self._base_url = base_url
        self._openai: OpenAI | None = None

    @property
    def requests(self) -> int:
        """Attempts so far."""
        return self._retries.requests

    def ask(self, texts: Sequence[str], tokens: int) -> Reply:
        """The vectors of texts that fit one request and hold that many tokens together.

        Raises:
            ApiError: if no attempt brought a reply that can be used.
            BudgetError: if an attempt could exceed the ceiling; it is not sent then.
        """
        price = PRICES[self.model]
        return self._retries.ask(
            lambda: self._once(texts),
            price.dollars(tokens),
            lambda reply: price.dollars(reply.tokens),
        )

    def _once(self, texts: Sequence[str]) -> Reply | Failure:
        import openai  # late: the import alone takes a second

        if self._openai is None:
            self._openai = openai.OpenAI(
                api_key=self._key, base_url=self._base_url, max_retries=0, timeout=TIMEOUT
            )
        try:
            raw = self._openai.embeddings.with_raw_response.create(
                model=self.model, input=list(texts), encoding_format="base64"
            )
            return read_reply(raw.content, len(texts), self.dimension, self.model)
        except openai.APIStatusError as error:
            return self._refusal(error.status_code, error.code, error.response.headers)
        except openai.APITimeoutError:
            return Failure(f"sent nothing for {TIMEOUT:.0f} seconds")
        except openai.OpenAIError:
            return Failure("could not be reached or dropped the connection")

    def _refusal(self, status: int, word: object, headers: Mapping[str, str]) -> Failure:
        shown = code(word)
        if word == "insufficient_quota":
            return Failure(
                f"answered {status}{shown}; add credit to the account", again=False, billed=False
            )
        again = may_pass(status)
        advice = "" if again else ADVICE.get(status, "")
        return Failure(f"answered {status}{shown}{advice}", again, False, retry_after(headers))


def read_reply(body: bytes, texts: int, dimension: int, model: str) -> Reply | Failure:
    """A reply's vectors in the order of the texts, or what is wrong with it."""
    try:
        reply = _Body.model_validate_json(body)
    except ValidationError as error:
        where = first_fault(error)[0] or "not whole JSON"
        return Failure(f"sent a reply that cannot be read ({where})")
    if reply.model not in (model, ANSWERED_AS.get(model)):
        return Failure(f"answered with another model than {model}", again=False)
    if sorted(item.index for item in reply.data) != list(range(texts)):
        return Failure(f"sent {len(reply.data)} vectors, not one for each of {texts} texts")
    vectors = np.zeros((texts, dimension), dtype=np.float32)
    for item in reply.data:
        vector = _numbers(item.embedding)
        if vector is None:
            return Failure("sent a vector that is not base64 of 32-bit numbers")
        if len(vector) != dimension:
            return Failure(
                f"sent a vector of {len(vector)} numbers where {model} has {dimension}",
                again=False,
            )
        vectors[item.index] = vector
    if not np.isfinite(vectors).all():
        return Failure("sent a vector with a number that is not finite")
    if not vectors.any(axis=1).all():
        return Failure("sent a vector of zeros")
    return Reply(vectors, reply.model, reply.usage.prompt_tokens)


def _numbers(embedding: str | list[float]) -> NDArray[np.float32] | None:
    if isinstance(embedding, str):
        try:
            return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
        except (binascii.Error, ValueError):
            return None
    with np.errstate(over="ignore"):
        return np.asarray(embedding, dtype=np.float32)
