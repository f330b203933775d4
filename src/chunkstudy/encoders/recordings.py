"""What an embeddings API was asked and what came back, so that a run replays without it.

A request is a file named by its digest, ``<endpoint>/<model>/<sha256>.safetensors``: the vectors as
received, and of each text only its sha256, so that recordings can be shared where texts cannot. A
vector is found by its text, whichever request brought it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from chunkstudy.base.files import write_bytes
from chunkstudy.base.sources import cache_folder

FORMAT = "1"


class RecordingError(RuntimeError):
    """A recording that is cut short or was changed."""


def recordings_folder() -> Path:
    """CHUNKSTUDY_RECORDINGS, else in the user's cache: what was paid for outlives a checkout."""
    return Path(os.environ.get("CHUNKSTUDY_RECORDINGS") or cache_folder() / "recordings")


def text_digest(text: str) -> str:
    """The sha256 of a text as it is sent."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def request_digest(model: str, dimension: int, digests: Sequence[str]) -> str:
    """The sha256 over model, dimension and the digests of the texts, in order."""
    asked = json.dumps([model, dimension, list(digests)])
    return hashlib.sha256(asked.encode("utf-8")).hexdigest()


class Recordings:
    """The recorded requests of one model at one endpoint.

    A file that is damaged counts as never received and is named on stderr.
    """

    def __init__(self, folder: Path, endpoint: str, model: str, dimension: int) -> None:
        self.folder = folder / endpoint / model
        self.model = model
        self.dimension = dimension
        self._places: dict[str, tuple[Path, int]] = {}
        for path in sorted(self.folder.glob("*.safetensors")):
            try:
                digests = self._texts_of(path)
                self._vectors_of(path, len(digests))
            except RecordingError as error:
                print(f"{error}; it is left aside and asked for again", file=sys.stderr)
            else:
                self._remember(path, digests)

    def __len__(self) -> int:
        """Texts whose vectors are recorded."""
        return len(self._places)

    def __contains__(self, text: str) -> bool:
        return text_digest(text) in self._places

    def find(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The recorded vectors among these texts, by text, as received.

        Raises:
            RecordingError: if a file was changed since it was listed.
        """
        by_file: dict[Path, list[tuple[str, int]]] = {}
        for text in texts:
            if place := self._places.get(text_digest(text)):
                by_file.setdefault(place[0], []).append((text, place[1]))
        found: dict[str, NDArray[np.float32]] = {}
        for path, wanted in by_file.items():
            vectors = self._vectors_of(path, len(self._texts_of(path)))
            found.update({text: vectors[row] for text, row in wanted})
        return found

    def write(
        self, texts: Sequence[str], vectors: NDArray[np.float32], answered_as: str, tokens: int
    ) -> None:
        """Record a request: vectors (texts, dimension) as received, the name the model answered
        under, and the tokens it counted."""
        digests = [text_digest(text) for text in texts]
        path = self.folder / f"{request_digest(self.model, self.dimension, digests)}.safetensors"
        metadata = {
            "format": FORMAT,
            "model": self.model,
            "dimension": str(self.dimension),
            "answered_as": answered_as,
            "tokens": str(tokens),
            "texts": json.dumps(digests),
            "vectors_sha256": _sha256(vectors),
        }
        received = safetensors.numpy.save({"vectors": vectors}, metadata)
        write_bytes(path, received, durable=True)  # it was paid for
        self._remember(path, digests)

    def _remember(self, path: Path, digests: Sequence[str]) -> None:
        for row, digest in enumerate(digests):
            self._places.setdefault(digest, (path, row))

    def _texts_of(self, path: Path) -> list[str]:
        """The texts' digests, checked against the file's name."""
        try:
            digests = json.loads(_metadata(path)["texts"])
            named = request_digest(self.model, self.dimension, digests)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordingError(f"{path} does not say what was asked") from error
        if path.stem != named:
            raise RecordingError(f"{path} does not hold the request it is named after")
        return [str(digest) for digest in digests]

    def _vectors_of(self, path: Path, texts: int) -> NDArray[np.float32]:
        """Shape (texts, dimension), checked against their digest."""
        expected = _metadata(path).get("vectors_sha256")
        try:
            vectors = safetensors.numpy.load_file(path)["vectors"]
        except (safetensors.SafetensorError, KeyError, OSError) as error:
            raise RecordingError(f"{path} is cut short or damaged") from error
        if vectors.shape != (texts, self.dimension) or _sha256(vectors) != expected:
            raise RecordingError(f"{path} does not hold the vectors that were received")
        return vectors


def _metadata(path: Path) -> dict[str, str]:
    try:
        with safetensors.safe_open(path, "np") as file:
            return file.metadata() or {}
    except (safetensors.SafetensorError, OSError) as error:
        raise RecordingError(f"{path} is cut short or damaged") from error


def _sha256(vectors: NDArray[np.float32]) -> str:
    return hashlib.sha256(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).hexdigest()
