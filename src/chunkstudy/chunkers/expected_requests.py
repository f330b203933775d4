"""How often chunkers ask a language model, and what that reads and writes, said before anybody is
asked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from chunkstudy.chunkers import contexts
from chunkstudy.core.tokens import counter
from chunkstudy.llm.prices import Estimate, expected

CONTEXT = 60
"""Tokens of a context: those that Anthropic reports have 50 to 100."""


class Asking(NamedTuple):
    """How a chunker asks; see the head of ``data/requests.toml``."""

    text: int
    calls: int
    prompt: int
    whole: int = 0
    window: int = 0
    answer: int = 0
    written: int = 0


def of_boundaries(chunker: str, model: str, documents: int, tokens: int) -> Estimate:
    """What drawing boundaries would take in documents with so many tokens in all, by a chunker's
    name alone."""
    how, length = ASKING[chunker], tokens // documents
    calls = documents if length <= how.whole else round(tokens * how.calls / how.text)
    shown = calls * min(how.window, length) if how.window else tokens
    written = calls * how.answer + round(tokens * how.written / how.text)
    return expected(model, calls, calls * how.prompt + shown, written)


def of_contexts(model: str, documents: Iterable[tuple[str, Sequence[str]]]) -> Estimate:
    """What having the contexts of chunks written would take, of documents' texts, each with the
    texts of its chunks."""
    count = counter("cl100k").count
    total = Estimate()
    for text, chunks in documents:
        for request in contexts.requests(model, text, chunks[:1]):
            shown = [count(chunk[: contexts.CHUNK_SHOWN]) for chunk in chunks]
            read = len(chunks) * (request.tokens - shown[0]) + sum(shown)
            total += expected(model, len(chunks), read, CONTEXT * len(chunks))
    return total


SOURCE = Path(__file__).parents[1] / "data" / "requests.toml"
ASKING = TypeAdapter(dict[str, Asking]).validate_python(tomllib.loads(SOURCE.read_text("utf-8")))
