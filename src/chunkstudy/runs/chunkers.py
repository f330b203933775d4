"""A chunker by its slug, under a protocol, with what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from chunkstudy.base.encoding import Embed, TextTokens
from chunkstudy.base.protocols import Protocol
from chunkstudy.base.spans import Chunker, Drawn, RewrittenSpan, Span
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers.cutting_by_signal import Strengths
from chunkstudy.chunkers.locate import locate
from chunkstudy.chunkers.text_tokens import WordPieces, decoded
from chunkstudy.collections import handmade, released
from chunkstudy.llm.interface import Ask
from chunkstudy.runs.names import parse_chunker


def build_chunker(
    slug: str,
    protocol: Protocol,
    embed: Embed | None = None,
    tokenizer: TextTokens | None = None,
    ask: Ask | None = None,
    sentences: bool = False,
    strengths: Strengths | None = None,
) -> Chunker:
    """The chunker of a slug under a protocol.

    Spans by construction; where the protocol joins pieces or locates texts afterwards, triples
    with the text that is embedded.

    ``embed`` is of the model that draws the boundaries; ``tokenizer`` the evaluated encoder's, for
    a protocol that counts in its tokens, WordPiece's where none is given. ``ask`` reaches the
    language model of a chunker that asks one; ``sentences`` shows it those where ielab's code does.
    ``strengths`` measures the signal of a chunker that cuts by one.

    Raises:
        ValueError: if the slug is unknown, its sizes are impossible, or it lacks ``embed``, ``ask``
            or ``strengths``.
    """
    spec = parse_chunker(slug)
    entry = spec.entry
    for name, given in (("embed", embed), ("ask", ask), ("strengths", strengths)):
        if entry.takes(name) and given is None:
            raise ValueError(f"chunker {slug} draws its boundaries by `{name}`; give it that")
    used: TextTokens = (tokenizer if protocol.tokenizer == "encoder" else None) or WordPieces()
    source = protocol.chunk_text == "source" and not entry.rewrites
    offered: dict[str, Any] = {
        "embed": embed,
        "tokenizer": used,
        "ask": ask,
        "model": spec.llm,
        "sentences": sentences,
        "strengths": strengths,
        "quirks": protocol.quirks,
        "form": protocol.form,
        "segmentation": handmade.chunk
        if spec.name == handmade.LUMBERCHUNKER
        else partial(released.chunk, spec.name),
        **dict(zip(entry.sizes, spec.sizes, strict=True)),
    }
    named = {name: one for name, one in offered.items() if entry.takes(name)}
    if entry.takes("count"):
        named["count"] = counter(spec.length)

    def chunk(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        drawn = entry.function(text, **named)
        fallbacks = drawn.fallbacks if isinstance(drawn, Drawn) else 0
        found = [
            (start, end, said[0] if said and not source else text[start:end])
            for start, end, *said in drawn
        ]
        if protocol.offsets == "located":
            found = [(*locate(text, joined), joined) for *_, joined in found]
        if protocol.chunk_text == "decoded" and entry.decodes:
            found = decoded(text, [(start, end) for start, end, _ in found], used)
        if source:
            return Drawn([(start, end) for start, end, _ in found], fallbacks)
        return Drawn(found, fallbacks)

    return chunk
