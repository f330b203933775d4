"""A condition: its parts, where its record lies, and whether it can be run here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from chunkstudy.chunkers import catalogue
from chunkstudy.encoders import api, models
from chunkstudy.experiment.encoding import PRE_EMBEDDING, parse_ordering
from chunkstudy.protocols import PROTOCOLS

Task = Literal["token_overlap", "in_corpus", "in_document"]
COLLECTIONS: dict[str, Task] = {
    "chroma": "token_overlap",
    "builtin": "token_overlap",
    "builtin-graded": "in_corpus",
    "scifact": "in_corpus",
    "nfcorpus": "in_corpus",
    "arguana": "in_corpus",
    "fiqa": "in_corpus",
    "scidocs": "in_corpus",
    "trec-covid": "in_corpus",
    "quora": "in_corpus",
    "gutenqa": "in_document",
    "gutenqa-emma": "in_document",
}
"""What is asked of each: excerpts, documents, or a passage of the query's own document."""

NONE = "none"
MINILM = "sentence-transformers__all-MiniLM-L6-v2"
LARGE = "text-embedding-3-large"


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
        if self.ordering != NONE:
            parse_ordering(self.ordering)
        if self.encoder == NONE and catalogue.parse(self.chunker).needs_encoder:
            raise ConditionError(f"chunker {self.chunker} needs an encoder to find its boundaries")

    def __str__(self) -> str:
        return self.path.as_posix()

    @property
    def task(self) -> Task:
        return COLLECTIONS[self.collection]

    @property
    def path(self) -> PurePosixPath:
        """The record's folder below ``results/runs``."""
        return PurePosixPath(
            self.collection, self.chunker, self.encoder, self.ordering, self.protocol
        )

    @property
    def reason_not_run(self) -> str | None:
        """Why the condition cannot be run here, in words a reader can act on; None if it can."""
        if self.encoder == NONE:
            return None
        model = models.spec(models.parse_slug(self.encoder)[0])
        if model.kind == "api" and self.ordering != PRE_EMBEDDING:
            return "an API returns no token states, which contextualized encoding pools"
        return api.reason_not_run(model) if model.kind == "api" else None


def parse(path: str) -> Condition:
    """A condition from its path, for instance ``chroma/recursive-200-0/none/none/corrected``."""
    parts = path.strip("/").split("/")
    if len(parts) != 5:
        raise ConditionError(
            f"{path!r} is not a condition; write collection/chunker/encoder/ordering/protocol, "
            "as `chunkstudy list` prints them"
        )
    return Condition(*parts)
