"""Every collection of the study: what is asked of it, how it is loaded, how large it is.

To add a set of BEIR's, write its entry in ``beir.SOURCES``; any other takes an entry here, which
names its loader. Both take a title in ``data/titles.toml``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from chunkstudy.collections import (
    beir,
    builtin,
    chroma,
    contextual_code,
    covid_qa,
    evidence_inference,
    fairytaleqa,
    gutenqa,
    qmsum,
    user_collections,
)
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.spans import Collection

Task = Literal["token_overlap", "in_corpus", "in_document"]

CHARACTERS_PER_TOKEN = 4.5
"""SciFact's 7,771,451 characters are 1,737,313 WordPiece tokens."""
EMMA_TOKENS = 204_512
"""By its 157,317 words, 1.3 a word; WordPiece makes 205,014 of them."""


@dataclass(frozen=True, slots=True)
class CollectionEntry:
    """A collection.

    Attributes:
        task: excerpts in all documents, whole documents, or passages of the query's own document.
        load: reads it, from the network where it is not here yet.
        documents: how many it holds.
        tokens: its size where nobody has counted it, roughly; 0 of one's own.
        quotations: query id to the judged passage as quoted, for protocols that look for the
            quotation in a chunk's text; None where passages are judged as spans only.
        answers: the same for propositions under the rule of LumberChunker's authors.
        lacks: what keeps it from being loaded, and how to get that.
    """

    task: Task
    load: Callable[[], Collection]
    documents: int
    tokens: int = 0
    quotations: Callable[[], Mapping[str, str]] | None = None
    answers: Callable[[], Mapping[str, str]] | None = None
    lacks: str = ""


def find(name: str) -> CollectionEntry:
    """The entry of that name, else the collection of one's own that lies in a folder of that name.

    Raises:
        ResourceError: if there is none, with the names there are.
    """
    if name in COLLECTIONS:
        return COLLECTIONS[name]
    if folder := user_collections.find(name):
        return CollectionEntry(
            user_collections.task(folder), partial(user_collections.load, folder), documents=1
        )
    raise ResourceError(
        f"unknown collection {name!r}; use one of {', '.join(COLLECTIONS)}, or a folder of your own"
        " (docs/generation.md)"
    )


@lru_cache(maxsize=2)
def load_collection(name: str) -> Collection:
    """The collection of that name, the last two kept.

    Raises:
        ResourceError: if its files are neither here nor to be had.
    """
    return find(name).load()


def _of_beir(name: str, source: beir.Source) -> CollectionEntry:
    tokens = round(source.characters / CHARACTERS_PER_TOKEN)
    return CollectionEntry("in_corpus", partial(beir.load, name), source.documents, tokens)


COLLECTIONS: dict[str, CollectionEntry] = {
    "chroma": CollectionEntry("token_overlap", chroma.load, 5, 328_208),
    "chroma-within": CollectionEntry("in_document", chroma.load_within, 5, 328_208),
    "covid-qa": CollectionEntry("token_overlap", covid_qa.load, 98, 535_241),
    "covid-qa-within": CollectionEntry("in_document", covid_qa.load_within, 98, 535_241),
    "evidence-inference-within": CollectionEntry(
        "in_document", evidence_inference.load_within, 93, 554_602
    ),
    "fairytaleqa-within": CollectionEntry("in_document", fairytaleqa.load_within, 23, 67_950),
    "qmsum": CollectionEntry("in_corpus", qmsum.load, 197, 2_623_547),
    "qmsum-within": CollectionEntry("in_document", qmsum.load_within, 70, 980_759),
    "qmsum-within-train": CollectionEntry(
        "in_document",
        partial(qmsum.load_within, "qmsum-within-train", ("train",)),
        162,
        2_138_053,
    ),
    "contextual-code": CollectionEntry("token_overlap", contextual_code.load, 90, 156_846),
    "builtin": CollectionEntry("token_overlap", builtin.load, 47, 32_655),
    "builtin-graded": CollectionEntry("in_corpus", builtin.load_graded, 47, 32_655),
    **{name: _of_beir(name, source) for name, source in beir.SOURCES.items()},
    "gutenqa": CollectionEntry(
        "in_document",
        gutenqa.load,
        100,
        100 * EMMA_TOKENS,
        quotations=partial(gutenqa.gold_strings, gutenqa.FULL),
        lacks=gutenqa.lacks(),
    ),
    "gutenqa-emma": CollectionEntry(
        "in_document",
        gutenqa.load_emma,
        1,
        EMMA_TOKENS,
        quotations=gutenqa.gold_strings,
        answers=gutenqa.proposition_answers,
    ),
}
"""Tokens are WordPiece's, counted here; Chroma's cl100k, as its report counts them; GutenQA's books
are all taken to be as long as Emma."""
