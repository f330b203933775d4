"""The second step: the chunks of a collection, whoever draws their boundaries.

A chunker of the table is given what its function names: vectors, the tokenizer, a language model
that is asked. What it embeds is encoded for all documents together beforehand, and what asking
costs is said first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from chunkstudy.chunkers import expected_requests
from chunkstudy.chunkers.table import ChunkerEntry
from chunkstudy.chunkers.text_tokens import WordPieces, decoded
from chunkstudy.collections import released
from chunkstudy.core.errors import UserError
from chunkstudy.core.protocols import Protocol
from chunkstudy.core.spans import (
    Chunker,
    Chunks,
    Collection,
    Drawn,
    RewrittenSpan,
    Span,
    chunk_documents,
)
from chunkstudy.core.tokens import Embed, TextTokens, counter
from chunkstudy.llm import providers
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Ask
from chunkstudy.pipeline.conditions import ChunkerSpec, parse_chunker
from chunkstudy.pipeline.vector_store import VectorStore, load_store


def build_chunker(
    chunker: str | ChunkerSpec,
    protocol: Protocol,
    embed: Embed | None = None,
    tokenizer: TextTokens | None = None,
    ask: Ask | None = None,
    sentences: bool = False,
) -> Chunker:
    """A chunker, by its slug or parsed, under a protocol.

    Spans by construction; where the protocol joins pieces or locates texts afterwards, triples
    with the text that is embedded.

    ``embed`` is of the model that draws the boundaries; ``tokenizer`` the evaluated encoder's, for
    a protocol that counts in its tokens, WordPiece's where none is given. ``ask`` reaches the
    language model of a chunker that asks one; ``sentences`` shows it those where ielab's code does.

    Raises:
        ValueError: if the slug is unknown, its sizes are impossible, or it lacks ``embed`` or
            ``ask``.
    """
    spec = parse_chunker(chunker) if isinstance(chunker, str) else chunker
    entry = spec.entry
    for name, given in (("embed", embed), ("ask", ask)):
        if entry.takes(name) and given is None:
            raise ValueError(f"chunker {spec} draws its boundaries by `{name}`; give it that")
    used: TextTokens = (tokenizer if protocol.tokenizer == "encoder" else None) or WordPieces()
    source = protocol.chunk_text == "source" and not entry.rewrites
    offered: dict[str, Any] = {
        "embed": embed,
        "tokenizer": used,
        "ask": ask,
        "model": spec.llm,
        "sentences": sentences,
        "quirks": protocol.quirks,
        "form": protocol.form,
        "paragraph_ends": protocol.paragraphs,
        "scripts": protocol.scripts,
        "segmentation": partial(released.segmentation, spec.name),
        **dict(zip(entry.sizes, spec.sizes, strict=True)),
    }
    named = {name: value for name, value in offered.items() if entry.takes(name)}
    if entry.takes("count"):
        named["count"] = counter(spec.length)

    def chunk(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        drawn = entry.function(text, **named)
        fallbacks = drawn.fallbacks if isinstance(drawn, Drawn) else 0
        pieces = [
            (start, end, written[0] if written and not source else text[start:end])
            for start, end, *written in drawn
            if protocol.blank_chunks or not text[start:end].isspace()
        ]
        if protocol.offsets == "located":
            pieces = [(*locate(text, joined), joined) for *_, joined in pieces]
        if protocol.chunk_text == "decoded" and entry.decodes:
            pieces = decoded(text, [(start, end) for start, end, _ in pieces], used)
        if source:
            return Drawn([(start, end) for start, end, _ in pieces], fallbacks)
        return Drawn(pieces, fallbacks)

    return chunk


def locate(document: str, chunk: str) -> Span:
    """The first place where the chunk stands in its document, one final full stop dropped.

    As Chroma's code finds it (utils.py:26-69). Only its ``as_published`` protocol does this;
    everything else carries offsets. See docs/protocols.md#chroma-locating-chunks.

    Exactly, else whatever the white space and the case. A chunk that is only a full stop is
    "found" with length zero at the start, as in the official code. The official third step, a
    fuzzy sentence match (utils.py:55-69), is never reached on Chroma's corpora and an error here.

    Raises:
        UserError: if the text stands nowhere.
    """
    target = chunk[:-1] if chunk.endswith(".") else chunk
    start = document.find(target)
    if start >= 0:
        return start, start + len(target)
    words = re.sub(r"\s+", " ", target).strip().split()
    match = re.compile(r"\s*".join(map(re.escape, words)), re.IGNORECASE).search(document)
    if match is None:
        raise UserError(
            f"the chunk {chunk[:60]!r} stands nowhere in its document; score it under the "
            "corrected protocol, which carries offsets"
        )
    return match.start(), match.end()


def cut(
    collection: Collection,
    chunker: ChunkerSpec,
    protocol: Protocol,
    store: VectorStore | None = None,
    asker: Asker | None = None,
) -> Chunks:
    """Chunks of every document, in their order.

    Args:
        store: the evaluated encoder, where its vectors or its tokens place boundaries, or where
            the chunker names another model, whose vectors then lie beside.
        asker: asks the chunker's language model; as the environment says where none is given.

    Raises:
        ValueError: if a model that draws the boundaries was not given.
        LanguageModelError: if a language model's replies cannot be had.
        BudgetError: before the first request, if all of them would exceed the ceiling.
    """
    tokenizer: TextTokens | None = None
    if store and isinstance(store.encoder, TextTokens):
        tokenizer = store.encoder
    if chunker.llm:
        asker, texts = asker or Asker(), [document.text for document in collection.documents]
        if asker.mode != "replay":
            tokens = sum(counter("cl100k").count_many(texts))
            takes = expected_requests.of_boundaries(chunker.name, chunker.llm, len(texts), tokens)
            asker.say_price(f"{collection.name}/{chunker}", takes)
        sentences = shown_by_sentence(collection)
        function = build_chunker(
            chunker, protocol, tokenizer=tokenizer, ask=asker.ask, sentences=sentences
        )
        # Within a document each request follows from the reply before, so documents go side by
        # side.
        drawn = asker.together(function, texts)
        return chunk_documents(lambda _: next(drawn), collection.documents, chunker.entry.rewrites)
    embed: Embed | None = None
    if store:
        drawing = load_store(chunker.encoder, store.folder) if chunker.encoder else store
        embed = drawing.encode
        if chunker.entry.windows:
            embed = _remembered(drawing, collection, chunker.entry, protocol)
    function = build_chunker(chunker, protocol, embed, tokenizer)
    return chunk_documents(function, collection.documents, chunker.entry.rewrites)


def describe(chunker: ChunkerSpec, store: VectorStore | None) -> dict[str, Any] | None:
    """Another model that draws the boundaries, as records have it; None where none does."""
    if chunker.llm:
        return describe_language_model(chunker.llm)
    if chunker.encoder and store:
        return load_store(chunker.encoder, store.folder).encoder.describe()
    return None


def describe_language_model(model: str) -> dict[str, Any]:
    """The model and all that its provider says of it."""
    return {"model": model, **providers.provider(model).describe()}


def shown_by_sentence(collection: Collection) -> bool:
    """Whether ielab's code shows LumberChunker sentences: everywhere but on books
    (runner.py:78-82)."""
    return all(query.document is None for query in collection.queries)


def _remembered(
    store: VectorStore, collection: Collection, chunker: ChunkerEntry, protocol: Protocol
) -> Embed:
    """An embedding function that knows all that the chunker embeds of the collection already."""
    assert chunker.windows
    texts = [
        text for d in collection.documents for text in chunker.windows(d.text, protocol.scripts)
    ]
    windows = list(dict.fromkeys(texts))
    vectors = store.encode(windows, label="sentence windows")
    rows = {text: i for i, text in enumerate(windows)}
    return lambda texts: vectors[[rows[text] for text in texts]]
