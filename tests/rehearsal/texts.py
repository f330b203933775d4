"""Where the rehearsal's collections take their texts from: the built-in collection, laid out anew.

Its documents are in the manner of Chroma's five domains and its queries have exact excerpts, so
that made-up collections have questions that some of their texts answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from chunkstudy.chunkers.structure import sentences
from chunkstudy.collections import builtin

CORPORA = {
    "chatlogs": "chatlogs",
    "finance": "finance",
    "pubmed": "pubmed",
    "state_of_the_union": "speeches",
    "wikitexts": "encyclopedia",
}
"""Chroma's corpora to the built-in domains."""


@dataclass(frozen=True)
class Question:
    """A query, its excerpts by document, and graded documents."""

    id: str
    text: str
    excerpts: tuple[tuple[str, str], ...]
    grades: Mapping[str, int]


@cache
def documents() -> Mapping[str, str]:
    """Text by name."""
    return {one.id: one.text for one in builtin.load_documents()}


@cache
def questions() -> tuple[Question, ...]:
    """All questions of the built-in collection."""
    graded: dict[str, dict[str, int]] = {}
    for judged in builtin.load_graded().judgments:
        graded.setdefault(judged.query, {})[judged.document] = judged.grade
    collection = builtin.load()
    texts = documents()
    excerpts: dict[str, list[tuple[str, str]]] = {}
    for one in collection.judgments:
        excerpt = texts[one.document][one.start : one.end]
        excerpts.setdefault(one.query, []).append((one.document, excerpt))
    return tuple(
        Question(one.id, one.text, tuple(excerpts.get(one.id, ())), graded.get(one.id, {}))
        for one in collection.queries
    )


def domain(name: str) -> str:
    """The domain of a document."""
    return name.split("/")[0]


def paragraphs(text: str, most: int = 2) -> list[str]:
    """A text in paragraphs of a few sentences, as a novel has them."""
    spans = sentences(text)
    pieces = [" ".join(text[start:end].split()) for start, end in spans]
    return [" ".join(pieces[i : i + most]) for i in range(0, len(pieces), most)]
