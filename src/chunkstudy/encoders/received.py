"""Vectors that servers sent: recorded, so that neither key nor network is needed for them again."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.sources import cache_folder
from chunkstudy.base.spans import text_digest
from chunkstudy.llm.interface import LanguageModelError
from chunkstudy.llm.openai_client import KEY, usual_address
from chunkstudy.llm.recordings import RecordedLines, place


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


def at_hand(model: str) -> bool:
    """Whether a model of OpenAI's can be used here: with a key, or any recording of it."""
    recorded = place(vectors_folder(), host(usual_address()), model)
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
