"""A condition: its parts, where its record lies, and whether it can be run here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from chunkstudy.chunkers import catalogue, released
from chunkstudy.collections import gutenqa
from chunkstudy.encoders import api, models
from chunkstudy.grid.encoding import PRE_EMBEDDING, parse_ordering
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
LLM_KEYS = {"gpt-4o": api.KEY, "gemini-2.5-flash": "GEMINI_API_KEY"}
"""What the papers' language models ask for."""


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
        if catalogue.parse(self.chunker).by == self.encoder:
            raise ConditionError(
                f"chunker {self.chunker} names the evaluated encoder; leave `-by-` out"
            )
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
    def encoders(self) -> tuple[str, ...]:
        """The models that take part: the evaluated one, then another that draws boundaries."""
        by = catalogue.parse(self.chunker).by
        return tuple(one for one in (self.encoder, by) if one not in ("", NONE))

    @property
    def reason_not_run(self) -> str | None:
        """Why the condition cannot be run here, in words a reader can act on; None if it can."""
        return "; ".join(self.needs(here=True)) or None

    def needs(self, here: bool = False) -> Iterator[str]:
        """What the condition takes beside this package; ``here``: and this machine lacks."""
        for encoder in self.encoders:
            spec = models.spec(models.parse_slug(encoder)[0])
            if spec.kind == "api":
                if self.ordering != PRE_EMBEDDING:
                    yield "an API returns no token states, which contextualized encoding pools"
                if not here or api.reason_not_run(spec):
                    yield (
                        f"needs {api.KEY} or recordings of {spec.id}: the vectors come from "
                        "OpenAI's embeddings API"
                    )
            else:
                yield from weights_needed(models.with_recorded_digests(spec) if here else spec)
        chunker = catalogue.parse(self.chunker)
        if chunker.llm:
            yield (
                f"needs an LLM to segment: {chunker.llm} drew these boundaries, nobody released "
                f"them for {self.collection}, and drawing them again takes {LLM_KEYS[chunker.llm]}"
            )
        if self.collection == gutenqa.FULL:
            if not gutenqa.pinned():
                yield (
                    "GutenQA's 100 books are not pinned here: look up revision and sha256 of its "
                    "two files and write them into HUB_FILES in collections/gutenqa.py"
                )
            if chunker.name in released.RELEASED:
                yield (
                    f"needs the segmentation {self.chunker} of all 100 books: only that of Emma is "
                    "at hand, ask LumberChunker's authors for the others"
                )


def weights_needed(spec: models.ModelSpec) -> Iterator[str]:
    """That a model's weights were never checked, if so."""
    if not spec.verified:
        yield (
            f"weights of {spec.id} are not verified yet: `python -m chunkstudy.encoders.models "
            f"{spec.id}` fetches and records {spec.missing}"
        )


def parse(path: str) -> Condition:
    """A condition from its path, for instance ``chroma/recursive-200-0/none/none/corrected``."""
    parts = path.strip("/").split("/")
    if len(parts) != 5:
        raise ConditionError(
            f"{path!r} is not a condition; write collection/chunker/encoder/ordering/protocol, "
            "as `chunkstudy list` prints them"
        )
    return Condition(*parts)
