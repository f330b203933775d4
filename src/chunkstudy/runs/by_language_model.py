"""What a language model draws or writes for a condition, boundaries and contexts: priced, asked for
or replayed, described."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm

from chunkstudy.base.encoding import TextTokens
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection, chunk_documents
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import expected_requests, written_contexts
from chunkstudy.llm import providers
from chunkstudy.llm.asking import Asker
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.names import parse_chunker, parse_ordering


def chunk(
    condition: Condition,
    collection: Collection,
    tokenizer: TextTokens | None = None,
    asker: Asker | None = None,
) -> Chunks:
    """The chunks of a collection as the condition's language model draws them.

    Where it may be asked, what that takes is said on stderr first.

    Raises:
        LanguageModelError: if replies can neither be had nor are recorded.
        BudgetError: before the first request, if all of them would exceed the ceiling.
    """
    with asker or Asker() as asking:
        if asking.mode != "replay":
            spec = parse_chunker(condition.chunker)
            texts = [document.text for document in collection.documents]
            tokens = sum(counter("cl100k").count_many(texts))
            expected = expected_requests.of_boundaries(spec.name, spec.llm, len(texts), tokens)
            print(f"{condition}: as if nothing were recorded {expected}", file=sys.stderr)
            asking.check(expected)
        chunker = build_chunker(
            condition.chunker,
            PROTOCOLS[condition.protocol],
            tokenizer=tokenizer,
            ask=asking.ask,
            sentences=shown_by_sentence(condition),
        )
        # Within a document each request follows from the reply before, so documents go side by
        # side.
        drawn = asking.together(chunker, (document.text for document in collection.documents))
        return chunk_documents(lambda _: next(drawn), collection.documents)


def contexts(
    condition: Condition, collection: Collection, chunks: Chunks, asker: Asker | None = None
) -> list[str]:
    """A context for every chunk as the model that the ordering names writes it, empty where its
    reply cannot be used.

    Where it may be asked, what that takes is said on stderr first.

    Raises:
        LanguageModelError: if replies can neither be had nor are recorded.
        BudgetError: before the first request, if all of them would exceed the ceiling.
    """
    model = parse_ordering(condition.ordering).llm
    shown = written_contexts.with_chunks(collection.documents, chunks)
    with asker or Asker() as asking:
        if asking.mode != "replay":
            expected = expected_requests.of_contexts(model, shown)
            print(f"{condition}: as if nothing were recorded {expected}", file=sys.stderr)
            asking.check(expected)
        requests = (one for text, of in shown for one in written_contexts.requests(model, text, of))
        quiet = not sys.stderr.isatty()
        replies = asking.ask_many(requests)
        bar = tqdm(replies, "contexts", len(chunks), unit="chunk", disable=quiet, leave=False)
        return [written_contexts.context(reply) for reply in bar]


def shown_by_sentence(condition: Condition) -> bool:
    """Whether ielab's code shows LumberChunker sentences: everywhere but on books
    (runner.py:78-82)."""
    return condition.task != "in_document"


def describe(model: str) -> dict[str, Any]:
    """The model and all that its provider says of it."""
    return {"model": model, **providers.provider(model).describe()}
