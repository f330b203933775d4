"""Boundaries that a language model draws: priced, asked for or replayed, described."""

from __future__ import annotations

import sys
from typing import Any

from chunkstudy.chunkers import catalogue, llm_prices
from chunkstudy.collections import registry
from chunkstudy.encoders.interface import TextTokens
from chunkstudy.grid.conditions import Condition
from chunkstudy.llm import providers
from chunkstudy.llm.asking import Asker
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.spans import Chunks, Collection, chunk_documents


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
            expected = llm_prices.foretold(
                condition.chunker, (document.text for document in collection.documents)
            )
            print(f"{condition}: as if nothing were recorded {expected}", file=sys.stderr)
            asking.check(expected)
        chunker = catalogue.build(
            condition.chunker,
            PROTOCOLS[condition.protocol],
            tokenizer=tokenizer,
            ask=asking.ask,
            sentences=shown_by_sentence(condition),
        )
        return chunk_documents(chunker, collection.documents)


def shown_by_sentence(condition: Condition) -> bool:
    """Whether ielab's code shows LumberChunker sentences: everywhere but on books
    (runner.py:78-82)."""
    return registry.find(condition.collection).task != "in_document"


def describe(model: str) -> dict[str, Any]:
    """The model and all that its provider says of it."""
    return {"model": model, **providers.provider(model).describe()}
