"""Texts become vectors behind an API: cut, recorded before, or asked for in batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from chunkstudy.base import tokens
from chunkstudy.base.budget import Budget
from chunkstudy.base.keys import key
from chunkstudy.base.models import MODELS, ModelSpec
from chunkstudy.base.openai_api import ADDRESS, KEY, Server
from chunkstudy.base.prices import PRICES, Estimate, Price
from chunkstudy.base.tokens import TokenOffsets, cl100k_offsets, without_surrogates
from chunkstudy.encoders.embeddings_client import ApiError, EmbeddingsClient
from chunkstudy.encoders.interface import Role
from chunkstudy.encoders.recordings import Recordings, place, text_digest

HOME = "api.openai.com"
INPUTS = 2048
REQUEST_TOKENS = 300_000
"""What one request may hold (OpenAI's API reference, embeddings, ``input``)."""
INPUTS_ELSEWHERE = 32
"""Texts that any server takes: as many as Hugging Face's by default."""
NAME = "openai/"
"""What the name of a model begins with that is known by its server alone."""


class ApiEncoder:
    """A model behind OpenAI's embeddings API or one that speaks like it.

    The key comes from OPENAI_API_KEY. What was received is recorded, and neither key nor network
    is needed for it again.

    Args:
        spec: the model, its kind ``api``: registered, or what :func:`served` knows of any other.
        window: cl100k tokens sent of each text; the model's own by default.
        newlines: ``spaces`` sends each line feed as a space, as the API's client in chromadb does
            (chromadb/utils/embedding_functions/openai_embedding_function.py at 0196264d; issue
            2129 shows that it changes the vectors).
        base_url: the server's address; OPENAI_BASE_URL by default, else OpenAI's own.
        recordings: the folder of what was received; :func:`recordings_folder` by default.
        budget: what may be spent.
        sleep: waits some seconds.

    Raises:
        ApiError: if the model is not behind an API, or OpenAI sells it at a price not known here.
        ValueError: if the window is larger than the model's.
    """

    def __init__(
        self,
        spec: ModelSpec,
        window: int | None = None,
        newlines: Literal["kept", "spaces"] = "kept",
        base_url: str | None = None,
        recordings: Path | None = None,
        budget: Budget | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if spec.kind != "api":
            raise ApiError(f"{spec.id} is not behind an API; its weights are loaded instead")
        self.spec = spec
        self.window = spec.window if window is None else window
        if not 0 < self.window <= spec.window:
            raise ValueError(
                f"a window of {self.window} tokens is impossible for {spec.id}, which reads "
                f"{spec.window}"
            )
        self.newlines = newlines
        self._model = spec.id.removeprefix(NAME)
        self._server = Server(base_url or _address())
        self.endpoint = _host(self._server.address)
        self.price = _price(self._model, self.endpoint, spec)
        self.recordings = Recordings(place(self.endpoint, self._model, recordings))
        self.budget = budget or Budget()
        self._sleep = sleep
        self._client: EmbeddingsClient | None = None

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def revision(self) -> str:
        return self.spec.revision

    @property
    def dimension(self) -> int:
        """Of a model that is known by its server alone 0 until one of its vectors is."""
        known = self._client.dimension if self._client else None
        return self.spec.dimension or known or self.recordings.dimension

    @property
    def requests(self) -> int:
        """Requests sent so far, repeated ones included."""
        return self._client.requests if self._client else 0

    def describe(self) -> dict[str, Any]:
        """What is known to determine the vectors, for records and for the store's key.

        An API shows no revision, and asking twice need not give the same numbers.
        """
        return {
            "id": self.spec.id,
            "endpoint": self.endpoint,
            **({"dimension": self.spec.dimension} if self.spec.dimension else {}),
            "tokenizer": "cl100k_base",
            "tokenizer_sha256": tokens.CL100K_SHA256,
            "window": self.window,
            "newlines": self.newlines,
            "normalised": self.spec.normalise,
            "query_prefix": self.spec.query_prefix,
            "document_prefix": self.spec.document_prefix,
        }

    def encode(
        self,
        texts: Sequence[str],
        role: Role = "document",
        progress: bool = False,
    ) -> NDArray[np.float32]:
        """Vectors, shape (texts, dimension), float32, in the order of the texts.

        A text is asked for once; of a long one the first ``window`` tokens count; an empty one,
        which the API refuses, is a zero row.

        Raises:
            ApiError: if a text is not recorded and cannot be asked for.
            BudgetError: if asking could exceed the ceiling.
        """
        sent = self.sent(texts, role)
        unique = list(dict.fromkeys(text for text in sent if text))
        known = self.recordings.find(unique)
        missing = [text for text in unique if text not in known]
        if missing:
            client = self._client = self._client or self._open(len(missing), len(unique))
            with tqdm(total=len(missing), desc="asking", unit="text", disable=not progress) as bar:
                for batch, size in self._batches(missing):
                    reply = client.ask(batch, size)
                    self.recordings.write(batch, reply.vectors, reply.model)
                    known.update(zip(batch, reply.vectors, strict=True))
                    bar.update(len(batch))
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(sent):
            if text:
                vectors[row] = known[text]
        if self.spec.normalise:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """What decides each text's vector, given the model: the text as it is sent."""
        return [bytes.fromhex(text_digest(text)) for text in self.sent(texts, role)]

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """cl100k tokens of each whole text: nothing is cut."""
        return tokens.counter("cl100k").count_many(texts)

    def characters_read(self, texts: Sequence[str]) -> list[int]:
        """Characters of each text that are sent."""
        prefix = self.spec.document_prefix
        return [max(0, len(text) - len(prefix)) for text in self.sent(texts)]

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Refused, and with it contextualized encoding.

        Raises:
            ApiError: always.
        """
        raise ApiError(
            f"{self.id} cannot encode {len(texts)} texts in context, since an API returns no "
            "token states; use the ordering pre_embedding"
        )

    def sent(self, texts: Sequence[str], role: Role = "document") -> list[str]:
        """Each text as it is sent: prefixed, line feeds and lone surrogates replaced, cut to the
        window at a character."""
        return [self._cut(text) for text in self._whole(texts, role)]

    def estimate(self, texts: Sequence[str], role: Role = "document") -> Estimate:
        """What encoding the texts would take, those not recorded yet; nothing is asked."""
        sent = self.sent(texts, role)
        unique = list(dict.fromkeys(text for text in sent if text))
        missing = [text for text in unique if text_digest(text) not in self.recordings]
        batches = [size for _, size in self._batches(missing)]
        return Estimate(
            requests=len(batches),
            recorded=len(unique) - len(missing),
            input_tokens=sum(batches),
            dollars=self.price.dollars(sum(batches)) if self.price else None,
            counted=bool(self.spec.dimension),
        )

    def _whole(self, texts: Sequence[str], role: Role) -> list[str]:
        prefix = self.spec.query_prefix if role == "query" else self.spec.document_prefix
        whole = [without_surrogates(prefix + text) for text in texts]
        return [text.replace("\n", " ") for text in whole] if self.newlines == "spaces" else whole

    def _open(self, missing: int, unique: int) -> EmbeddingsClient:
        known = bool(self.spec.dimension)
        if (known or self.endpoint == HOME) and not key(KEY):
            raise ApiError(
                f"{missing} of {unique} texts have no vector recorded in {self.recordings.path}; "
                f"set {KEY} to ask for them, or CHUNKSTUDY_RECORDINGS to a folder with the "
                "recordings"
            )
        return EmbeddingsClient(
            self._model,
            self.dimension or None,
            any_name=not known,
            server=self._server,
            price=self.price,
            budget=self.budget,
            sleep=self._sleep,
        )

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[str], int]]:
        """Texts in order, as many as one request may hold, with their tokens."""
        most = INPUTS if self.spec.dimension else INPUTS_ELSEWHERE
        batch: list[str] = []
        total = 0
        for text, size in zip(texts, self.token_count(texts), strict=True):
            if batch and (len(batch) == most or total + size > REQUEST_TOKENS):
                yield batch, total
                batch, total = [], 0
            batch.append(text)
            total += size
        if batch:
            yield batch, total

    def _cut(self, text: str) -> str:
        # A token has at least one byte; a cut text may tokenize into more than it was cut from.
        while len(text.encode("utf-8")) > self.window:
            offsets = cl100k_offsets(text)
            if len(offsets) <= self.window:
                break
            text = text[: int(offsets[self.window, 0])]
        return text


def served(name: str, base_url: str | None = None) -> ModelSpec:
    """What is known of ``openai/MODEL``: all that is registered where OpenAI serves it, else that
    it is behind an API.

    Raises:
        ApiError: if it is not a name of that form.
    """
    model = name.removeprefix(NAME)
    if model == name or not model:
        raise ApiError(f"{name!r} names no model behind an API; use {NAME} and the model's name")
    if model in MODELS and MODELS[model].kind == "api" and _host(base_url or _address()) == HOME:
        return MODELS[model]
    return ModelSpec(
        id=name,
        window=8191,
        positions=8191,
        dimension=0,
        licence="not looked up",
        papers=(),
        kind="api",
        tokenizer="cl100k_base",
    )


def at_hand(spec: ModelSpec) -> bool:
    """Whether a model behind the API can be used here: with a key, or any recording of it."""
    recorded = place(_host(_address()), spec.id)
    has_key = bool(os.environ.get(KEY, "").strip())
    return has_key or (recorded.is_file() and recorded.stat().st_size > 0)


def _address() -> str:
    return os.environ.get("OPENAI_BASE_URL") or ADDRESS


def _host(address: str) -> str:
    """Who answers at an address: two servers of one machine may call two models the same."""
    parts = urlsplit(address)
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise ApiError(f"{address!r} is no address; write it as http://localhost:11434/v1")
    return f"{parts.hostname}-{parts.port}" if parts.port else parts.hostname


def _price(model: str, endpoint: str, spec: ModelSpec) -> Price | None:
    """None where somebody else than OpenAI serves the model."""
    if not spec.dimension and endpoint != HOME:
        return None
    if model not in PRICES:
        raise ApiError(
            f"no price is known for {model} at OpenAI, so that no budget can be held; name another "
            "model, or with --base-url the server that has it"
        )
    return PRICES[model]
