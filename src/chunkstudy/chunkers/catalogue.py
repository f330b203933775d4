"""Every chunker by its slug. To add one: write its function, then its line in ``CHUNKERS``.

A slug is the name, its sizes, and the length function where that is not cl100k:
``recursive-400-200``, ``token-250-125-wordpiece``, ``cluster-200``, ``kamradt``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkstudy.chunkers import semantic, structure
from chunkstudy.chunkers.locate import locate
from chunkstudy.protocols import Protocol
from chunkstudy.spans import Chunker, RewrittenSpan, Span
from chunkstudy.tokens import TokenCounter, counter, decode_cl100k, encode_cl100k

SLUG = re.compile(
    r"(?P<name>[a-z]+(?:-[a-z]+)*?)(?P<sizes>(?:-[0-9]+)*)"
    r"(?:-(?P<length>wordpiece-special|wordpiece|characters))?"
)


@dataclass(frozen=True, slots=True)
class ChunkerSpec:
    """A chunker and its parameters: size, then overlap, in tokens of ``length``."""

    name: str
    sizes: tuple[int, ...] = ()
    length: str = "cl100k"

    def __str__(self) -> str:
        suffix = () if self.length == "cl100k" else (self.length,)
        return "-".join((self.name, *map(str, self.sizes), *suffix))

    @property
    def needs_encoder(self) -> bool:
        """Whether boundaries are placed by embeddings."""
        return CHUNKERS[self.name].needs_encoder


@dataclass(frozen=True, slots=True)
class Job:
    """What a chunker is given: a text, its own parameters, and how to embed."""

    text: str
    spec: ChunkerSpec
    quirks: bool
    embed: semantic.Embed

    @property
    def count(self) -> TokenCounter:
        """The length function that the slug names."""
        return counter(self.spec.length)


Split = Callable[[Job], list[RewrittenSpan]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunker in the table.

    Attributes:
        split: text to (start, end, text as the official code puts it together).
        sizes: how many numbers its slug has.
        lengths: the length functions it can be measured in.
        needs_encoder: whether it places boundaries by embeddings.
    """

    split: Split
    sizes: int
    lengths: tuple[str, ...] = ("cl100k", "wordpiece", "wordpiece-special", "characters")
    needs_encoder: bool = False


def parse(slug: str) -> ChunkerSpec:
    """The chunker that a slug names; ``str`` of it is the slug again.

    Raises:
        ValueError: if there is none, with the names there are, or if its sizes are impossible.
    """
    match = SLUG.fullmatch(slug)
    if match:
        sizes = tuple(map(int, match["sizes"].split("-")[1:]))
        spec = ChunkerSpec(match["name"], sizes, match["length"] or "cl100k")
        entry = CHUNKERS.get(spec.name)
        if entry and len(sizes) == entry.sizes and spec.length in entry.lengths:
            if sizes:
                structure.check_sizes(*sizes)
            return spec
    raise ValueError(
        f"unknown chunker {slug!r}; known are {', '.join(CHUNKERS)} with their sizes, for "
        "instance recursive-200-0, token-250-125-wordpiece, cluster-400, kamradt"
    )


def build(slug: str, protocol: Protocol, embed: semantic.Embed | None = None) -> Chunker:
    """The chunker of a slug under a protocol.

    Spans by construction; where the protocol joins pieces or locates texts afterwards, triples
    with the text that is embedded.

    Raises:
        ValueError: if the slug is unknown, its sizes are impossible or it lacks an encoder.
    """
    spec = parse(slug)
    if spec.needs_encoder and embed is None:
        raise ValueError(f"chunker {slug} places its boundaries by embeddings; give it an encoder")
    split = CHUNKERS[spec.name].split

    def chunk(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        found = split(Job(text, spec, protocol.quirks, embed or _no_encoder))
        if protocol.chunk_text == "source":
            found = [(start, end, text[start:end]) for start, end, _ in found]
        if protocol.offsets == "located":
            found = [(*locate(text, joined), joined) for _, _, joined in found]
        if protocol.chunk_text == "source" and protocol.offsets == "exact":
            return [(start, end) for start, end, _ in found]
        return found

    return chunk


def _recursive(job: Job) -> list[RewrittenSpan]:
    size, overlap = job.spec.sizes
    spans = structure.recursive(job.text, size=size, overlap=overlap, count=job.count)
    return [(start, end, job.text[start:end]) for start, end in spans]


def _token(job: Job) -> list[RewrittenSpan]:
    size, overlap = job.spec.sizes
    spans = structure.token(job.text, size=size, overlap=overlap, tokenizer=job.spec.length)
    if job.spec.length != "cl100k":
        return [(start, end, job.text[start:end]) for start, end in spans]
    ids = structure.windows(encode_cl100k(job.text), size, overlap)
    return [(*span, decode_cl100k(i)) for span, i in zip(spans, ids, strict=True)]


def _kamradt(job: Job) -> list[RewrittenSpan]:
    return _join(job.text, *semantic.kamradt(job.text, embed=job.embed))


def _kamradt_modified(job: Job) -> list[RewrittenSpan]:
    (size,) = job.spec.sizes
    grouped = semantic.kamradt_modified(
        job.text, embed=job.embed, size=size, count=job.count, quirks=job.quirks
    )
    return _join(job.text, *grouped)


def _cluster(job: Job) -> list[RewrittenSpan]:
    (size,) = job.spec.sizes
    grouped = semantic.cluster(
        job.text, embed=job.embed, size=size, count=job.count, quirks=job.quirks
    )
    return _join(job.text, *grouped)


def _join(text: str, pieces: list[Span], starts: list[int]) -> list[RewrittenSpan]:
    """Chunks from their base pieces, which the official code joins by a space."""
    return [
        (
            pieces[first][0],
            pieces[after - 1][1],
            " ".join(text[start:end] for start, end in pieces[first:after]),
        )
        for first, after in pairwise([*starts, len(pieces)])
    ]


def _no_encoder(_: Sequence[str]) -> semantic.Vectors:
    raise ValueError("this chunker embeds text; set needs_encoder in its entry in CHUNKERS")


CHUNKERS: dict[str, Entry] = {
    "recursive": Entry(_recursive, sizes=2),
    "token": Entry(_token, sizes=2, lengths=("cl100k", "wordpiece")),
    "kamradt": Entry(_kamradt, sizes=0, lengths=("cl100k",), needs_encoder=True),
    "kamradt-modified": Entry(_kamradt_modified, sizes=1, needs_encoder=True),
    "cluster": Entry(_cluster, sizes=1, needs_encoder=True),
}
