"""Every chunker by its slug. To add one: write its function, then its line in ``CHUNKERS``.

A slug is the name, its sizes, and the length function where that is not cl100k:
``recursive-400-200``, ``token-250-125-wordpiece``, ``cluster-200``, ``kamradt``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunkstudy.chunkers import semantic, structure
from chunkstudy.chunkers.locate import locate
from chunkstudy.protocols import Protocol
from chunkstudy.spans import Chunker, RewrittenSpan, Span
from chunkstudy.tokens import counter, decode_cl100k, encode_cl100k

LENGTHS = ("wordpiece-special", "wordpiece", "characters")


@dataclass(frozen=True, slots=True)
class ChunkerSpec:
    """A chunker and its parameters, in tokens of ``length``."""

    name: str
    size: int = 0
    overlap: int = 0
    length: str = "cl100k"

    def __str__(self) -> str:
        numbers = (self.size, self.overlap)[: CHUNKERS[self.name].numbers]
        suffix = [] if self.length == "cl100k" else [self.length]
        return "-".join([self.name, *map(str, numbers), *suffix])

    @property
    def needs_encoder(self) -> bool:
        return CHUNKERS[self.name].needs_encoder


Split = Callable[[str, ChunkerSpec, Protocol, semantic.Embed | None], list[RewrittenSpan]]


@dataclass(frozen=True, slots=True)
class Entry:
    """How a name is split into (start, end, text as the official code joins it)."""

    split: Split
    numbers: int
    needs_encoder: bool = False


def parse(slug: str) -> ChunkerSpec:
    """The chunker that a slug names.

    Raises:
        ValueError: if there is none, with the names there are.
    """
    rest, length = slug, "cl100k"
    for candidate in LENGTHS:
        if rest.endswith(f"-{candidate}"):
            rest, length = rest.removesuffix(f"-{candidate}"), candidate
            break
    for name in sorted(CHUNKERS, key=len, reverse=True):
        numbers = rest.removeprefix(name).split("-")[1:] if rest.startswith(name) else None
        if numbers is None or rest != "-".join([name, *numbers]):
            continue
        if len(numbers) == CHUNKERS[name].numbers and all(n.isdecimal() for n in numbers):
            return ChunkerSpec(name, *map(int, numbers), length=length)
    raise ValueError(
        f"unknown chunker {slug!r}; known are {', '.join(CHUNKERS)} with their sizes, for "
        "instance recursive-200-0, token-250-125, cluster-400, kamradt"
    )


def build(slug: str, protocol: Protocol, embed: semantic.Embed | None = None) -> Chunker:
    """The chunker of a slug under a protocol.

    Raises:
        ValueError: if the slug is unknown, its sizes are impossible or it lacks an encoder.
    """
    spec = parse(slug)
    entry = CHUNKERS[spec.name]
    if entry.needs_encoder and embed is None:
        raise ValueError(f"chunker {slug} places its boundaries by embeddings; give it an encoder")

    def chunk(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        found = [piece for piece in entry.split(text, spec, protocol, embed)]
        if protocol.chunk_text == "joined" and protocol.offsets == "located":
            return [(*locate(text, joined), joined) for _, _, joined in found]
        return [(start, end) for start, end, _ in found]

    return chunk


def _recursive(
    text: str, spec: ChunkerSpec, protocol: Protocol, embed: semantic.Embed | None
) -> list[RewrittenSpan]:
    spans = structure.recursive(
        text, size=spec.size, overlap=spec.overlap, count=counter(spec.length)
    )
    return [(start, end, text[start:end]) for start, end in spans]


def _token(
    text: str, spec: ChunkerSpec, protocol: Protocol, embed: semantic.Embed | None
) -> list[RewrittenSpan]:
    spans = structure.token(
        text, size=spec.size, overlap=spec.overlap, tokenizer=spec.length
    )
    if spec.length != "cl100k" or protocol.chunk_text == "source":
        return [(start, end, text[start:end]) for start, end in spans]
    ids = structure.windows(encode_cl100k(text), spec.size, spec.overlap)
    return [(start, end, decode_cl100k(i)) for (start, end), i in zip(spans, ids, strict=True)]


def _kamradt(
    text: str, spec: ChunkerSpec, protocol: Protocol, embed: semantic.Embed | None
) -> list[RewrittenSpan]:
    assert embed is not None
    return _join(text, *semantic.kamradt(text, embed=embed))


def _kamradt_modified(
    text: str, spec: ChunkerSpec, protocol: Protocol, embed: semantic.Embed | None
) -> list[RewrittenSpan]:
    assert embed is not None
    return _join(
        text,
        *semantic.kamradt_modified(
            text, embed=embed, size=spec.size, count=counter(spec.length), quirks=protocol.quirks
        ),
    )


def _cluster(
    text: str, spec: ChunkerSpec, protocol: Protocol, embed: semantic.Embed | None
) -> list[RewrittenSpan]:
    assert embed is not None
    return _join(
        text,
        *semantic.cluster(
            text, embed=embed, size=spec.size, count=counter(spec.length), quirks=protocol.quirks
        ),
    )


def _join(text: str, pieces: list[Span], groups: semantic.Groups) -> list[RewrittenSpan]:
    """The official semantic chunkers join their pieces by a space."""
    return [
        (
            pieces[first][0],
            pieces[last][1],
            " ".join(text[start:end] for start, end in pieces[first : last + 1]),
        )
        for first, last in groups
    ]


CHUNKERS: dict[str, Entry] = {
    "recursive": Entry(_recursive, numbers=2),
    "token": Entry(_token, numbers=2),
    "kamradt": Entry(_kamradt, numbers=0, needs_encoder=True),
    "kamradt-modified": Entry(_kamradt_modified, numbers=1, needs_encoder=True),
    "cluster": Entry(_cluster, numbers=1, needs_encoder=True),
}
