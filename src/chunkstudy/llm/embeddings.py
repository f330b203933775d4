"""Embeddings behind a server that speaks like OpenAI's: recorded, priced before they are asked for,
and asked for within a limit."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from chunkstudy.base.sources import cache_folder
from chunkstudy.base.spans import text_digest
from chunkstudy.base.tokens import counter
from chunkstudy.llm.interface import LanguageModelError
from chunkstudy.llm.keys import key
from chunkstudy.llm.openai_client import KEY, OpenAIClient, usual_address
from chunkstudy.llm.prices import PRICES, Budget, Estimate, Price
from chunkstudy.llm.recordings import RecordedLines, place

HOME = "api.openai.com"
INPUTS = 2048
REQUEST_TOKENS = 300_000
"""What one request for embeddings may hold (OpenAI's API reference, embeddings, ``input``)."""
INPUTS_ELSEWHERE = 32
"""Texts that any server takes: as many as Hugging Face's by default."""


class EmbeddingModel:
    """A model, asked for what is not recorded.

    Args:
        name: at its server.
        dimension: numbers that its vectors have; 0 for a model that its server alone knows.
        address: of the server; OPENAI_BASE_URL by default, else OpenAI's own.
        folder: of what was received; :func:`vectors_folder` by default.
        budget: what may be spent.

    Raises:
        LanguageModelError: if OpenAI sells it at a price not known here.
    """

    def __init__(
        self,
        name: str,
        dimension: int,
        address: str = "",
        folder: Path | None = None,
        budget: Budget | None = None,
    ) -> None:
        address = address or usual_address()
        self.endpoint = host(address)
        self.known = bool(dimension)
        self._dimension = dimension
        self._sold = self.known or self.endpoint == HOME
        if self._sold and name not in PRICES:
            raise LanguageModelError(
                f"no price is known for {name} at OpenAI, so that no budget can be held; name "
                "another model, or with --base-url the server that has it"
            )
        self.price = PRICES[name] if self._sold else None
        self.recordings = VectorRecordings(place(folder or vectors_folder(), self.endpoint, name))
        self.budget = budget or Budget()
        self._client = OpenAIClient("openai", name, address, needs_key=self._sold)

    @property
    def dimension(self) -> int:
        """Of a model that is known by its server alone 0 until one of its vectors is."""
        return self._dimension or self.recordings.dimension

    def vectors(
        self, texts: Sequence[str], progress: bool = False
    ) -> dict[str, NDArray[np.float32]]:
        """Of each text, none of them empty, its vector as received.

        Raises:
            LanguageModelError: if one is not recorded and cannot be asked for.
            BudgetError: if asking could exceed the ceiling.
        """
        unique = list(dict.fromkeys(texts))
        found = self.recordings.find(unique)
        if missing := [text for text in unique if text not in found]:
            if self._sold and not key(KEY):
                raise LanguageModelError(
                    f"{len(missing)} of {len(unique)} texts have no vector recorded in "
                    f"{self.recordings.path}; set {KEY} to ask for them, or CHUNKSTUDY_RECORDINGS "
                    "to a folder with the recordings"
                )
            self._client.open()
            with tqdm(total=len(missing), desc="asking", unit="text", disable=not progress) as bar:
                for batch, size in self._batches(missing):
                    found.update(zip(batch, self._asked(batch, size), strict=True))
                    bar.update(len(batch))
        return found

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """What it would take to ask for those that are not recorded yet; nothing is asked."""
        unique = list(dict.fromkeys(texts))
        missing = [text for text in unique if text_digest(text) not in self.recordings]
        sizes = [size for _, size in self._batches(missing)]
        return Estimate(
            requests=len(sizes),
            recorded=len(unique) - len(missing),
            input_tokens=sum(sizes),
            dollars=self.price.dollars(sum(sizes)) if self.price else None,
            counted=self.known,
        )

    def _asked(self, texts: Sequence[str], size: int) -> NDArray[np.float32]:
        """Vectors of texts that one request may hold, received and recorded."""
        price = self.price or Price(0, 0, "no price is known", "")
        reply = self.budget.charge(
            price.dollars(size),
            lambda: self._client.embed(texts, self.dimension, any_name=not self.known),
            lambda reply: price.dollars(reply.tokens),
        )
        self.recordings.write(texts, reply.vectors, reply.model)
        return reply.vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[str], int]]:
        """Texts in order, as many as one request may hold, with their tokens."""
        most = INPUTS if self.known else INPUTS_ELSEWHERE
        batch: list[str] = []
        total = 0
        for text, size in zip(texts, counter("cl100k").count_many(texts), strict=True):
            if batch and (len(batch) == most or total + size > REQUEST_TOKENS):
                yield batch, total
                batch, total = [], 0
            batch.append(text)
            total += size
        if batch:
            yield batch, total


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
        received = (base64.b64encode(one.astype("<f4").tobytes()).decode() for one in vectors)
        self.add(
            [
                {"digest": text_digest(text), "vector": vector, "answered_as": answered_as}
                for text, vector in zip(texts, received, strict=True)
            ]
        )


def vectors_folder() -> Path:
    """CHUNKSTUDY_RECORDINGS, else in the user's cache: what was paid for outlives a checkout."""
    return Path(os.environ.get("CHUNKSTUDY_RECORDINGS") or cache_folder() / "recordings")


def at_hand(name: str) -> bool:
    """Whether a model can be used here: with a key, or any recording of it."""
    recorded = place(vectors_folder(), host(usual_address()), name)
    has_key = bool(os.environ.get(KEY, "").strip())
    return has_key or (recorded.is_file() and recorded.stat().st_size > 0)


def host(address: str) -> str:
    """Who answers at an address: two servers of one machine may call two models the same."""
    parts = urlsplit(address)
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise LanguageModelError(
            f"{address!r} is no address; write it as http://localhost:11434/v1"
        )
    return f"{parts.hostname}-{parts.port}" if parts.port else parts.hostname
