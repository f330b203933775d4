"""One embeddings request: sent, repeated within a bound, and its reply believed only when whole."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import NonNegativeInt, ValidationError

from chunkstudy.base.budget import Budget
from chunkstudy.base.faults import ModelError, first_fault
from chunkstudy.base.openai_api import Server, Strict
from chunkstudy.base.prices import Price
from chunkstudy.base.retries import Failure, Retries

ANSWERED_AS = {"text-embedding-ada-002": "text-embedding-ada-002-v2"}
"""Another name that a model's replies have carried (Helicone pull request 1346)."""
NOT_ALIKE = "check that the address is that of an embeddings API like OpenAI's"
SHOWN = 40
"""Characters of a text that an error shows."""
FREE = Price(0, 0, "no price is known", "")


class ApiError(ModelError):
    """An API that cannot be asked, or whose replies cannot be used."""


@dataclass(frozen=True)
class Reply:
    """Vectors (texts, dimension) in the order of the texts, as received; the model's name and
    the tokens counted as the server gives them."""

    vectors: NDArray[np.float32]
    model: str
    tokens: int


class _Item(Strict):
    index: int
    embedding: str | list[float]


class _Usage(Strict):
    prompt_tokens: NonNegativeInt


class _Body(Strict):
    data: list[_Item]
    model: str
    usage: _Usage


class EmbeddingsClient:
    """One model behind OpenAI's embeddings API or one that speaks like it.

    Args:
        model: its name at the API.
        dimension: numbers a vector must have; None for as many as the first has.
        any_name: whether it may answer under any name, as servers of all kinds do.
        server: where it is.
        price: what it costs; nothing is charged to the budget where it is not known.
        budget: what the attempts are charged to.
        sleep: waits some seconds.
    """

    def __init__(
        self,
        model: str,
        dimension: int | None,
        any_name: bool,
        server: Server,
        price: Price | None,
        budget: Budget,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self._any_name = any_name
        self._price = price or FREE
        self._retries = Retries(f"{model} at {server.shown}", ApiError, budget, sleep)
        self._server = server
        server.open()

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
        reply = self._retries.ask(
            lambda: self._once(texts),
            self._price.dollars(tokens),
            lambda reply: self._price.dollars(reply.tokens),
        )
        self.dimension = reply.vectors.shape[1]
        return reply

    def _once(self, texts: Sequence[str]) -> Reply | Failure:
        body = self._server.once(
            lambda client: client.embeddings.with_raw_response.create(
                model=self.model, input=list(texts), encoding_format="base64"
            )
        )
        if isinstance(body, Failure):
            return body
        return read_reply(body, texts, self.dimension, None if self._any_name else self.model)


def read_reply(
    body: bytes, texts: Sequence[str], dimension: int | None, model: str | None
) -> Reply | Failure:
    """A reply's vectors in the order of the texts, or what is wrong with it.

    Args:
        body: as received.
        texts: that were sent.
        dimension: numbers a vector must have; None for any number that all have.
        model: the name it must answer under; None for any.
    """
    try:
        reply = _Body.model_validate_json(body)
    except ValidationError as error:
        where = first_fault(error)[0] or "not whole JSON"
        return Failure(f"sent a reply that cannot be read ({where})", NOT_ALIKE)
    if model is not None and reply.model not in (model, ANSWERED_AS.get(model)):
        return Failure(f"answered with another model than {model}", NOT_ALIKE, False)
    if sorted(item.index for item in reply.data) != list(range(len(texts))):
        problem = f"sent {len(reply.data)} vectors, not one for each of {len(texts)} texts"
        return Failure(problem, NOT_ALIKE)
    rows = [_numbers(item.embedding) for item in sorted(reply.data, key=lambda one: one.index)]
    found = [row for row in rows if row is not None]
    if len(found) < len(rows):
        return Failure("sent a vector that is not base64 of 32-bit numbers", NOT_ALIKE)
    dimension = dimension or len(found[0])
    if others := [len(row) for row in found if len(row) != dimension]:
        return Failure(
            f"sent a vector of {others[0]} numbers where {model or 'one before'} has {dimension}",
            "if another model answers there by now, set CHUNKSTUDY_RECORDINGS to a new folder",
            again=False,
        )
    for text, row in zip(texts, found, strict=True):
        if not np.isfinite(row).all() or not row.any():
            what = "with a number that is not finite" if row.any() else "of zeros"
            return Failure(
                f"sent a vector {what} for the text {text[:SHOWN]!r}",
                "see what it makes of that text alone",
            )
    return Reply(np.stack(found), reply.model, reply.usage.prompt_tokens)


def _numbers(embedding: str | list[float]) -> NDArray[np.float32] | None:
    if isinstance(embedding, str):
        try:
            return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
        except (binascii.Error, ValueError):
            return None
    with np.errstate(over="ignore"):
        return np.asarray(embedding, dtype=np.float32)
