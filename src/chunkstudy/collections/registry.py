"""Every collection of the study: what is asked of it, how it is loaded, how large it is.

To add a set of BEIR's, write its entry in ``beir.SOURCES``; any other takes an entry here, which
names its loader. Both take a title in ``study/titles.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from chunkstudy.base.named import Named
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection, RewrittenSpan, Span
from chunkstudy.collections import beir, own

Task = Literal["token_overlap", "in_corpus", "in_document"]

CHARACTERS_PER_TOKEN = 4.5
"""SciFact's 7,771,451 characters are 1,737,313 WordPiece tokens."""
TOKENS_PER_WORD = 1.3
"""Emma's 157,317 words are 205,014 WordPiece tokens."""
EMMA_WORDS = 157_317
CHROMA_TOKENS = 328_208
"""cl100k, as Chroma's report counts them."""
COVID_QA_TOKENS = 535_241
EVIDENCE_INFERENCE_TOKENS = 554_602
FAIRYTALEQA_TOKENS = 67_950
QMSUM_TOKENS = {"train": 2_138_053, "val": 485_494, "test": 495_265}
CONTEXTUAL_CODE_TOKENS = 156_846
BUILTIN_TOKENS = 32_655
"""WordPiece, all counted here."""
MEETINGS = {"train": 162, "val": 35, "test": 35}
"""Of QMSum's splits."""


@dataclass(frozen=True, slots=True)
class CollectionEntry:
    """A collection.

    Attributes:
        task: excerpts in all documents, whole documents, or passages of the query's own document.
        load: reads it, from the network where it is not here yet.
        documents: how many it holds.
        tokens: its size where nobody has counted it, roughly; 0 where nothing is known.
        quotations: query id to the judged passage as quoted, for protocols that look for the
            quotation in a chunk's text; None where passages are judged as spans only.
        answers: the same for propositions under the rule of LumberChunker's authors.
        lacks: what keeps it from being loaded, and how to get that; None where nothing does.
    """

    task: Task
    load: Callable[[], Collection]
    documents: int
    tokens: int = 0
    quotations: Callable[[], Mapping[str, str]] | None = None
    answers: Callable[[], Mapping[str, str]] | None = None
    lacks: Callable[[], tuple[str, str] | None] = lambda: None


def find(name: str) -> CollectionEntry:
    """The entry of that name, else the collection of one's own that lies in a folder of that name.

    Raises:
        SourceError: if there is none, with the names there are.
    """
    if name in COLLECTIONS:
        return COLLECTIONS[name]
    if folder := own.find(name):
        return CollectionEntry(own.task(folder), partial(own.load, folder), documents=1)
    raise SourceError(
        f"unknown collection {name!r}; use one of {', '.join(COLLECTIONS)}, or a folder of your own"
        " (docs/generation.md)"
    )


@lru_cache(maxsize=2)
def load_collection(name: str) -> Collection:
    """The collection of that name, the last two kept.

    Raises:
        SourceError: if its files are neither here nor to be had.
    """
    return find(name).load()


def _of_beir(name: str, source: beir.Source) -> CollectionEntry:
    tokens = round(source.characters / CHARACTERS_PER_TOKEN)
    return CollectionEntry("in_corpus", partial(beir.load, name), source.documents, tokens)


def segmentation(chunker: str, text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
    """What others made of a text, see :func:`released.segmentation`.

    Raises:
        ValueError: if they segmented other texts.
    """
    return Named("collections.released:segmentation", (chunker,))(text)


def lacks_segmentation(chunker: str) -> tuple[str, str] | None:
    """What a released segmentation of all of GutenQA's books lacks, and how to get it."""
    lacks: tuple[str, str] | None = Named("collections.gutenqa:lacks_segmentation")(chunker)
    return lacks


def _of_gutenqa(name: str, load: Named, books: int, lacks: Named | None = None) -> CollectionEntry:
    # GutenQA's books are taken to be as long as Emma.
    return CollectionEntry(
        "in_document",
        load,
        documents=books,
        tokens=round(EMMA_WORDS * TOKENS_PER_WORD) * books,
        quotations=Named("collections.gutenqa:gold_strings", (name,)),
        answers=Named("collections.gutenqa:proposition_answers", (name,)),
        lacks=lacks or (lambda: None),
    )


def _of_qmsum(task: Task, load: Named, *splits: str) -> CollectionEntry:
    meetings = sum(MEETINGS[split] for split in splits)
    tokens = sum(QMSUM_TOKENS[split] for split in splits)
    return CollectionEntry(task, load, meetings, tokens)


COLLECTIONS: dict[str, CollectionEntry] = {
    "chroma": CollectionEntry(
        "token_overlap", Named("collections.chroma:load"), documents=5, tokens=CHROMA_TOKENS
    ),
    "chroma-within": CollectionEntry(
        "in_document", Named("collections.chroma:load_within"), documents=5, tokens=CHROMA_TOKENS
    ),
    "covid-qa": CollectionEntry(
        "token_overlap", Named("collections.covid_qa:load"), 98, COVID_QA_TOKENS
    ),
    "covid-qa-within": CollectionEntry(
        "in_document", Named("collections.covid_qa:load_within"), 98, COVID_QA_TOKENS
    ),
    "evidence-inference-within": CollectionEntry(
        "in_document",
        Named("collections.evidence_inference:load_within"),
        93,
        EVIDENCE_INFERENCE_TOKENS,
    ),
    "fairytaleqa-within": CollectionEntry(
        "in_document", Named("collections.fairytaleqa:load_within"), 23, FAIRYTALEQA_TOKENS
    ),
    "qmsum": _of_qmsum("in_corpus", Named("collections.qmsum:load"), "train", "val"),
    "qmsum-within": _of_qmsum("in_document", Named("collections.qmsum:load_within"), "val", "test"),
    "qmsum-within-train": _of_qmsum(
        "in_document",
        Named("collections.qmsum:load_within", ("qmsum-within-train", ("train",))),
        "train",
    ),
    "contextual-code": CollectionEntry(
        "token_overlap", Named("collections.contextual_code:load"), 90, CONTEXTUAL_CODE_TOKENS
    ),
    "builtin": CollectionEntry(
        "token_overlap", Named("collections.builtin:load"), documents=47, tokens=BUILTIN_TOKENS
    ),
    "builtin-graded": CollectionEntry(
        "in_corpus", Named("collections.builtin:load_graded"), documents=47, tokens=BUILTIN_TOKENS
    ),
    **{name: _of_beir(name, source) for name, source in beir.SOURCES.items()},
    "gutenqa": _of_gutenqa(
        "gutenqa", Named("collections.gutenqa:load"), 100, Named("collections.gutenqa:lacks")
    ),
    "gutenqa-emma": _of_gutenqa("gutenqa-emma", Named("collections.gutenqa:load_emma"), 1),
}
