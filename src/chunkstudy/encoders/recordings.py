"""Vectors that an embeddings API sent, in ``<endpoint>/<model>.jsonl``.

Of each text there is only its sha256, so that recordings can be shared where texts cannot.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.recordings import RecordedLines
from chunkstudy.base.sources import cache_folder


def recordings_folder() -> Path:
    """CHUNKSTUDY_RECORDINGS, else in the user's cache: what was paid for outlives a checkout."""
    return Path(os.environ.get("CHUNKSTUDY_RECORDINGS") or cache_folder() / "recordings")


def place(endpoint: str, model: str, folder: Path | None = None) -> Path:
    """Where the vectors of a model at an endpoint are recorded."""
    name = f"{quote(model.replace('/', '__'))}.jsonl"
    return (folder or recordings_folder()) / endpoint / name


def text_digest(text: str) -> str:
    """The sha256 of a text as it is sent."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Recordings(RecordedLines):
    """The recorded vectors of one model at one endpoint."""

    @property
    def dimension(self) -> int:
        """Of the vectors; 0 where there is none."""
        first = next(iter(self.digests()), None)
        line = self.line(first) if first else None
        return len(base64.b64decode(line["vector"])) // 4 if line else 0

    def find(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The recorded vectors among these texts, by text, as received.

        Raises:
            RecordingError: if the file was changed since it was listed.
        """
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
