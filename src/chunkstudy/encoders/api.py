"""An encoder whose vectors come from a server that speaks like OpenAI's: priced before they are
asked for, asked for within a limit, and recorded, so that neither key nor network is needed for
them again."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from math import nan
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core import tokens
from chunkstudy.core.errors import LanguageModelError, ResourceError
from chunkstudy.core.models import MODELS, ModelSpec
from chunkstudy.core.settings import Settings
from chunkstudy.core.sources import cache_folder
from chunkstudy.core.spans import text_digest
from chunkstudy.core.tokens import cl100k_offsets, without_surrogates
from chunkstudy.encoders.interface import Encoder, Role, batches
from chunkstudy.llm.keys import key
from chunkstudy.llm.openai_client import KEY, OpenAIClient, host, usual_address
from chunkstudy.llm.prices import PRICES, Estimate, budget
from chunkstudy.llm.recordings import RecordedLines, place

NAME = "openai/"
"""What the name of a model begins with that is known by its server alone."""
HOME = "api.openai.com"
INPUTS = 2048
REQUEST_TOKENS = 300_000
"""What one request for embeddings may hold (OpenAI's API reference, embeddings, ``input``)."""
INPUTS_ELSEWHERE = 32
"""Texts that any server takes: as many as Hugging Face's by default."""


class VectorRecordings(RecordedLines):
    """The recorded vectors of one model at one endpoint: of each text there is only its sha256, so
    that recordings can be shared where texts cannot."""

    @property
    def dimension(self) -> int:
        """Of the vectors; 0 where there is none."""
        first = next(iter(self._places), None)
        line = self.line(first) if first else None
        return len(base64.b64decode(line["vector"])) // 4 if line else 0

    def find(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The recorded vectors among these texts, by text, as received."""
        lines = {text: self.line(text_digest(text)) for text in texts}
        return {
            text: np.frombuffer(base64.b64decode(line["vector"]), "<f4")
            for text, line in lines.items()
            if line
        }

    def write(self, texts: Sequence[str], vectors: NDArray[np.float32], answered_as: str) -> None:
        """Record vectors (texts, dimension) as received, and the name the model answered under."""
        received = (base64.b64encode(vector.astype("<f4").tobytes()).decode() for vector in vectors)
        self.add(
            [
                {"digest": text_digest(text), "vector": vector, "answered_as": answered_as}
                for text, vector in zip(texts, received, strict=True)
            ]
        )


class ApiEncoder:
    """A model behind OpenAI's embeddings API or one that speaks like it.

    The key comes from OPENAI_API_KEY. What was received is recorded (:func:`vectors_folder`), and
    neither key nor network is needed for it again.

    Args:
        spec: the model, its kind ``api``: registered, or what :func:`served` knows of any other.
        window: cl100k tokens sent of each text; the model's own by default.
        newlines: ``spaces`` sends each line feed as a space, as the API's client in chromadb does
            (chromadb/utils/embedding_functions/openai_embedding_function.py at 0196264d; issue
            2129 shows that it changes the vectors).
        base_url: the server's address; OPENAI_BASE_URL by default, else OpenAI's own.

    Attributes:
        price: None of a model that its server alone knows.

    Raises:
        ResourceError: if OpenAI sells the model at a price not known here.
        ValueError: if the window is larger than the model's.
    """

    def __init__(
        self,
        spec: ModelSpec,
        window: int | None = None,
        newlines: Literal["kept", "spaces"] = "kept",
        base_url: str | None = None,
    ) -> None:
        self.spec = spec
        self.window = spec.window if window is None else window
        if not 0 < self.window <= spec.window:
            raise ValueError(
                f"a window of {self.window} tokens is impossible for {spec.id}, which reads "
                f"{spec.window}"
            )
        self.newlines = newlines
        address, name = base_url or usual_address(), spec.id.removeprefix(NAME)
        self.endpoint = host(address)
        self._known = bool(spec.dimension)
        self._sold = self._known or self.endpoint == HOME
        if self._sold and name not in PRICES:
            raise ResourceError(
                f"no price is known for {name} at OpenAI, so that no budget can be held; name "
                "another model, or with --base-url the server that has it"
            )
        self.price = PRICES[name] if self._sold else None
        self.recordings = VectorRecordings(place(vectors_folder(), self.endpoint, name))
        self._client = OpenAIClient("openai" if self._sold else "server", name, address)

    @property
    def dimension(self) -> int:
        """Of a model that is known by its server alone 0 until one of its vectors is."""
        return self.spec.dimension or self.recordings.dimension

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
            "normalised": True,
            "query_prefix": self.spec.query_prefix,
            "document_prefix": self.spec.document_prefix,
        }

    def encode(self, texts: Sequence[str], role: Role = "document") -> NDArray[np.float32]:
        """Vectors, shape (texts, dimension), float32, in the order of the texts.

        A text is asked for once; of a long one the first ``window`` tokens count; an empty one,
        which the API refuses, is a zero row.

        Raises:
            LanguageModelError: if a text is not recorded and cannot be asked for.
            BudgetError: if asking could exceed the ceiling.
        """
        sent = self.sent(texts, role)
        known = self._vectors(list(dict.fromkeys(filter(None, sent))))
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(sent):
            if text:
                vectors[row] = known[text]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """What decides each text's vector, given the model: the text as it is sent."""
        return [bytes.fromhex(text_digest(text)) for text in self.sent(texts, role)]

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """cl100k tokens of each whole text: nothing is cut."""
        return tokens.counter("cl100k").count_many(texts)

    def characters_read(self, texts: Sequence[str], role: Role = "document") -> list[int]:
        """Characters of each text that are sent."""
        prefix = self.spec.query_prefix if role == "query" else self.spec.document_prefix
        return [max(0, len(text) - len(prefix)) for text in self.sent(texts, role)]

    def sent(self, texts: Sequence[str], role: Role = "document") -> list[str]:
        """Each text as it is sent: prefixed, line feeds and lone surrogates replaced, cut to the
        window at a character."""
        prefix = self.spec.query_prefix if role == "query" else self.spec.document_prefix
        whole = [without_surrogates(prefix + text) for text in texts]
        if self.newlines == "spaces":
            whole = [text.replace("\n", " ") for text in whole]
        return [self._cut(text) for text in whole]

    def estimate(self, texts: Sequence[str], role: Role = "document") -> Estimate:
        """What encoding the texts would take, those not recorded yet; nothing is asked."""
        unique = list(dict.fromkeys(filter(None, self.sent(texts, role))))
        missing = [text for text in unique if text_digest(text) not in self.recordings]
        sizes = [size for _, size in self._batches(missing)]
        return Estimate(len(sizes), sum(sizes), dollars=self.dollars(sum(sizes)) if sizes else 0.0)

    def dollars(self, tokens: int) -> float:
        """What reading so many tokens costs; NaN where no price is known."""
        return self.price.dollars(tokens) if self.price else nan

    def _vectors(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Of each text its vector as received; what is not recorded is asked for."""
        vectors = self.recordings.find(texts)
        if missing := [text for text in texts if text not in vectors]:
            if self._sold and not key(KEY):
                raise LanguageModelError(
                    f"{len(missing)} of {len(texts)} texts have no vector recorded in "
                    f"{self.recordings.path}; set {KEY} to ask for them, or CHUNKSTUDY_RECORDINGS "
                    "to a folder with the recordings"
                )
            costs = self.dollars if self._sold else lambda _: 0.0
            for batch, size in self._batches(missing):
                reply = budget().charge(
                    costs(size),
                    partial(self._client.embed, batch, self.dimension),
                    lambda reply: costs(reply.tokens),
                )
                self.recordings.write(batch, reply.vectors, reply.model)
                vectors.update(zip(batch, reply.vectors, strict=True))
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[str], int]]:
        """Texts in order, as many as one request may hold, with their tokens."""
        most = INPUTS if self._known else INPUTS_ELSEWHERE
        sizes = self.token_count(texts)
        for batch in batches(sizes, REQUEST_TOKENS, most):
            yield [texts[i] for i in batch], sum(sizes[i] for i in batch)

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
        ResourceError: if it is not a name of that form.
    """
    model = name.removeprefix(NAME)
    if model == name or not model:
        raise ResourceError(
            f"{name!r} names no model behind an API; use {NAME} and the model's name"
        )
    if (
        model in MODELS
        and MODELS[model].kind == "api"
        and host(base_url or usual_address()) == HOME
    ):
        return MODELS[model]
    return ModelSpec(
        id=name,
        window=8191,
        positions=8191,
        dimension=0,
        licence="not looked up",
        kind="api",
    )


def describe(encoder: Encoder, vectors: Sequence[NDArray[np.float32]]) -> dict[str, Any]:
    """An encoder's description; behind an API with the sha256 of the vectors themselves, since
    nothing else pins them."""
    described = encoder.describe()
    if isinstance(encoder, ApiEncoder):
        content = b"".join(array.astype("<f4").tobytes() for array in vectors)
        described["vectors_sha256"] = hashlib.sha256(content).hexdigest()
    return described


def vectors_folder() -> Path:
    """CHUNKSTUDY_RECORDINGS, else in the user's cache: what was paid for outlives a checkout."""
    return Settings.from_env().recordings or cache_folder() / "recordings"


def at_hand(model: str) -> bool:
    """Whether a model of OpenAI's can be used here: with a key, or any recording of it."""
    recorded = place(vectors_folder(), host(usual_address()), model)
    has_key = bool(Settings.from_env().keys[KEY])
    return has_key or (recorded.is_file() and recorded.stat().st_size > 0)
