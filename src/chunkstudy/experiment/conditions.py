"""The grid: every condition of the study, where its record lies, and whether it can be run here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath

from chunkstudy.chunkers import catalogue
from chunkstudy.encoders import models
from chunkstudy.protocols import AS_PUBLISHED_CHROMA, CORRECTED, PROTOCOLS

COLLECTIONS = ("chroma", "builtin")
NONE = "none"
MINILM = "sentence-transformers__all-MiniLM-L6-v2"
LARGE = "text-embedding-3-large"

MAIN_SIZES = ("800-400", "400-200", "400-0", "200-0")
MINILM_SIZES = ("250-125", "250-0", "200-0")


class ConditionError(ValueError):
    """A condition that does not exist or cannot be run; the message says why."""


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """collection x chunker x encoder x ordering x protocol; encoder and ordering are ``none``
    where no model takes part."""

    collection: str
    chunker: str
    encoder: str
    ordering: str
    protocol: str

    def __post_init__(self) -> None:
        if self.collection not in COLLECTIONS:
            raise ConditionError(
                f"unknown collection {self.collection!r}; use one of {', '.join(COLLECTIONS)}"
            )
        if self.protocol not in PROTOCOLS:
            raise ConditionError(
                f"unknown protocol {self.protocol!r}; use one of {', '.join(PROTOCOLS)}"
            )
        catalogue.parse(self.chunker)
        if self.encoder != NONE:
            models.parse_slug(self.encoder)
        if (self.encoder == NONE) != (self.ordering == NONE):
            raise ConditionError("encoder and ordering are both none, or neither is")
        if self.ordering not in (NONE, "pre_embedding"):
            raise ConditionError(f"unknown ordering {self.ordering!r}; use pre_embedding or none")
        if self.encoder == NONE and catalogue.parse(self.chunker).needs_encoder:
            raise ConditionError(f"chunker {self.chunker} needs an encoder to find its boundaries")

    def __str__(self) -> str:
        return self.path.as_posix()

    @property
    def path(self) -> PurePosixPath:
        """The record's folder below ``results/runs``."""
        return PurePosixPath(
            self.collection, self.chunker, self.encoder, self.ordering, self.protocol
        )

    @property
    def reason_not_run(self) -> str | None:
        """Why the condition cannot be run here, in words a reader can act on; None if it can."""
        if self.encoder == LARGE and not os.environ.get("OPENAI_API_KEY"):
            return "needs OPENAI_API_KEY: the vectors come from OpenAI's embeddings API"
        if self.encoder == LARGE:
            return "API embeddings are not built yet"
        return None


def parse(path: str) -> Condition:
    """A condition from its path, for instance ``chroma/recursive-200-0/none/none/corrected``."""
    parts = path.strip("/").split("/")
    if len(parts) != 5:
        raise ConditionError(
            f"{path!r} is not a condition; write collection/chunker/encoder/ordering/protocol, "
            "as `chunkstudy list` prints them"
        )
    return Condition(*parts)


def chroma_grid() -> list[Condition]:
    """Chroma's main table, its MiniLM table, and the rows that settle its printed sizes."""
    simple = [f"{name}-{size}" for size in MAIN_SIZES for name in ("recursive", "token")]
    small = [f"{name}-{size}" for size in MINILM_SIZES for name in ("recursive", "token")]
    # MiniLM's printed sizes fit WordPiece lengths with [CLS] and [SEP]; the other two are controls.
    lengths = {
        length: [f"recursive-{size}-{length}" for size in MINILM_SIZES]
        for length in ("wordpiece-special", "wordpiece")
    }
    clusters = ["cluster-250", "cluster-200"]
    token_windows = [f"token-{size}-wordpiece" for size in MINILM_SIZES]
    extra = ["cluster-400", "kamradt", "kamradt-modified-300"]
    model_free = simple + small + lengths["wordpiece-special"] + lengths["wordpiece"]
    grid = _both("chroma", _unique(model_free), NONE, NONE)
    grid += _both(
        "chroma",
        small + clusters + lengths["wordpiece-special"] + token_windows + extra,
        MINILM,
        "pre_embedding",
    )
    grid += [
        Condition("chroma", chunker, LARGE, "pre_embedding", "as_published-chroma")
        for chunker in (*simple, "kamradt", "kamradt-modified-300", "cluster-400", "cluster-200")
    ]
    return grid


def builtin_grid() -> list[Condition]:
    """What ``make reproduce`` runs live: every chunker, small enough for minutes on two cores."""
    chunkers = [
        "recursive-200-0",
        "recursive-400-200",
        "token-200-0",
        "token-250-125",
        "kamradt",
        "kamradt-modified-300",
        "cluster-200",
        "cluster-400",
    ]
    return _both("builtin", chunkers, MINILM, "pre_embedding")


def grid() -> list[Condition]:
    """Every condition of the study, published rows that need a key included."""
    return chroma_grid() + builtin_grid()


def _both(collection: str, chunkers: list[str], encoder: str, ordering: str) -> list[Condition]:
    return [
        Condition(collection, chunker, encoder, ordering, protocol)
        for chunker in chunkers
        for protocol in (AS_PUBLISHED_CHROMA.name, CORRECTED.name)
    ]


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
