"""Every collection of the study: what is asked of it, how it is loaded, how large it is.

To add a set of BEIR's, write its entry in ``beir.SOURCES``; any other takes an entry here. Both
take a title in ``runs/display_names.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection
from chunkstudy.collections import (
    beir,
    builtin,
    chroma,
    contextual_code,
    covid_qa,
    evidence_inference,
    fairytaleqa,
    gutenqa,
    own,
    qmsum,
)

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


@dataclass(frozen=True, slots=True)
class Entry:
    """A collection.

    Attributes:
        task: excerpts in all documents, whole documents, or passages of the query's own document.
        load: reads it, from the network where it is not here yet.
        documents: how many it holds.
        tokens: its size where nobody has counted it, roughly; 0 where nothing is known.
        quotations: query id to the judged passage as quoted, for protocols that look for the
            quotation in a chunk's text; None where passages are judged as spans only.
        lacks: what keeps it from being loaded, and how to get that; None where nothing does.
    """

    task: Task
    load: Callable[[], Collection]
    documents: int
    tokens: int = 0
    quotations: Callable[[], Mapping[str, str]] | None = None
    lacks: Callable[[], tuple[str, str] | None] = lambda: None


def find(name: str) -> Entry:
    """The entry of that name, else the collection of one's own that lies in a folder of that name.

    Raises:
        SourceError: if there is none, with the names there are.
    """
    if name in COLLECTIONS:
        return COLLECTIONS[name]
    if folder := own.find(name):
        return Entry(own.task(folder), partial(own.load, folder), documents=1)
    raise SourceError(
        f"unknown collection {name!r}; use one of {', '.join(COLLECTIONS)}, or a folder of your own"
        " (docs/generation.md)"
    )


def _of_beir(name: str, source: beir.Source) -> Entry:
    tokens = round(source.characters / CHARACTERS_PER_TOKEN)
    return Entry("in_corpus", partial(beir.load, name), source.documents, tokens)


def _of_gutenqa(name: str, load: Callable[[], Collection], books: int) -> Entry:
    # GutenQA's books are taken to be as long as Emma.
    return Entry(
        "in_document",
        load,
        documents=books,
        tokens=round(EMMA_WORDS * TOKENS_PER_WORD) * books,
        quotations=partial(gutenqa.gold_strings, name),
        lacks=gutenqa.lacks if name == gutenqa.FULL else lambda: None,
    )


def _of_qmsum(task: Task, load: Callable[[], Collection], *splits: str) -> Entry:
    meetings = sum(qmsum.MEETINGS[split] for split in splits)
    tokens = sum(QMSUM_TOKENS[split] for split in splits)
    return Entry(task, load, meetings, tokens)


COLLECTIONS: dict[str, Entry] = {
    "chroma": Entry("token_overlap", chroma.load, documents=5, tokens=CHROMA_TOKENS),
    "chroma-within": Entry(
        "in_document", lambda: chroma.load().within_documents(), documents=5, tokens=CHROMA_TOKENS
    ),
    covid_qa.ALL: Entry("token_overlap", covid_qa.load, covid_qa.PAPERS, COVID_QA_TOKENS),
    covid_qa.WITHIN: Entry("in_document", covid_qa.load_within, covid_qa.PAPERS, COVID_QA_TOKENS),
    evidence_inference.WITHIN: Entry(
        "in_document",
        evidence_inference.load_within,
        evidence_inference.ARTICLES,
        EVIDENCE_INFERENCE_TOKENS,
    ),
    fairytaleqa.WITHIN: Entry(
        "in_document", fairytaleqa.load_within, fairytaleqa.STORIES, FAIRYTALEQA_TOKENS
    ),
    qmsum.WHOLE: _of_qmsum("in_corpus", qmsum.load, "train", "val"),
    qmsum.WITHIN: _of_qmsum("in_document", qmsum.load_within, "val", "test"),
    qmsum.TRAIN: _of_qmsum(
        "in_document", partial(qmsum.load_within, qmsum.TRAIN, ("train",)), "train"
    ),
    contextual_code.ALL: Entry(
        "token_overlap", contextual_code.load, contextual_code.FILES, CONTEXTUAL_CODE_TOKENS
    ),
    "builtin": Entry("token_overlap", builtin.load, documents=47, tokens=BUILTIN_TOKENS),
    "builtin-graded": Entry("in_corpus", builtin.load_graded, documents=47, tokens=BUILTIN_TOKENS),
    **{name: _of_beir(name, source) for name, source in beir.SOURCES.items()},
    gutenqa.FULL: _of_gutenqa(gutenqa.FULL, gutenqa.load, gutenqa.BOOKS),
    gutenqa.EMMA: _of_gutenqa(gutenqa.EMMA, gutenqa.load_emma, 1),
}
