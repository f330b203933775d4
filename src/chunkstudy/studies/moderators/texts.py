"""On which questions may late chunking help: where does the answer stand, and where do the words of
the question stand?

Everything that needs the texts is measured here, question by question; what late chunking gains on
them stands in the records (rows.py). Which places of a window a question's answer is read at
follows from the token counts, window by window (places.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks, Collection, Judgment
from chunkstudy.collections import covid_qa
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.runs import grids, records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.names import parse_chunker, parse_encoder
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.moderators.places import from_boundary, holding, middle_token, token_counts

WORD = re.compile(r"\b\w\w+\b")
FORMS_OF_DO = frozenset({"did", "does", "doing"})


@lru_cache(maxsize=100_000)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's content words, each once: what a question names.

    A word is two letters or digits or more, as scikit-learn's vectorizers take it, in lower case;
    its list of English stop words and the forms of *do* that this lacks are left out; the rest are
    stemmed by nltk's English Snowball stemmer, so that *viruses* and *virus* are one.
    """
    return frozenset(map(_stem, set(WORD.findall(text.lower())))) - {""}


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    """Empty of a word that is none of content."""
    stop_words, stemmer = _known()
    return "" if word in stop_words else str(stemmer.stem(word))


@lru_cache(maxsize=1)
def _known() -> tuple[frozenset[str], Any]:
    """Words without content, and the stemmer; both take seconds to import."""
    from nltk.stem.snowball import EnglishStemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS) | FORMS_OF_DO, EnglishStemmer()


NAME = "moderators"
COLLECTIONS = ("chroma-within", covid_qa.WITHIN, "gutenqa-emma")
PACKAGES = ("scikit-learn", "nltk")
DIGITS = 12
"""Of a digest, to tell chunks apart."""
TOKENS = "tokens "
"""Begins the name of a column that counts in a model's own tokens; its id follows."""
Offsets = NDArray[np.int64]
Row = dict[str, object]


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """Five tables; a model's column counts in that model's tokens.

    ``models``: tokens that a model puts before a document. ``documents``: their lengths.
    ``answers``: of each question the place of the middle of its answer, as a fraction of the
    document's characters and in tokens from its start, how many content words the question has, and
    how many of them the document holds nowhere. ``chunkings``: chunks by the first digits of their
    digest, as records name it, and how many answers no chunk holds. ``chunks``: of each of these
    and question the length of the chunk that holds the answer, the characters between the answer
    and its chunk's nearer end, whether a boundary cuts the answer, and how many content words stand
    in that chunk, and in its two neighbours but not in it.

    The answer is the longest judged span, the chunk with the answer the one that shares most of it;
    the first of equals. Questions judged on nothing and chunks that rewrite their source, which
    stand nowhere, are left out.

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
        ValueError: if an answer is nothing but white space.
    """
    conditions = [one for one in _conditions(context) if one.collection in collections]
    by_model = {parse_encoder(one.encoder).model: one.encoder for one in conditions}
    encoders = {
        name: cast(TokenEncoder, context.store(encoder).encoder)
        for name, encoder in sorted(by_model.items())
    }
    documents: list[Row] = []
    answers: list[Row] = []
    chunkings: list[Row] = []
    held: list[Row] = []
    for name in collections:
        context.say(f"texts of {name}")
        texts = Texts(context.collection(name), encoders)
        documents += list(texts.documents())
        answers += list(texts.answers())
        for condition, chunks in _chunks(context, conditions, name):
            number = len(chunkings)
            rows = [{"chunking": number, **row} for row in texts.chunks(chunks)]
            held += rows
            keys = {"collection": name, "chunker": condition.chunker}
            lost = len(texts.asked) - len(rows)
            digest = chunks.digest()[:DIGITS]
            chunkings.append({"chunking": number, **keys, "chunks": digest, "in no chunk": lost})
    before = [{"model": name, "prefix": len(one.prefix_ids)} for name, one in encoders.items()]
    return {
        "models": pd.DataFrame(before),
        "documents": pd.DataFrame(documents),
        "answers": pd.DataFrame(answers),
        "chunkings": pd.DataFrame(chunkings),
        "chunks": pd.DataFrame(held),
    }


@dataclass(frozen=True)
class Texts:
    """A collection whose queries name their document, and the models that read it."""

    collection: Collection
    encoders: dict[str, TokenEncoder]

    @cached_property
    def asked(self) -> dict[str, Judgment]:
        """The answer of every question that is judged on anything."""
        judged = self.collection.judgments_by_query()
        found = {
            query: max(spans, key=lambda one: one.end - one.start)
            for query, spans in judged.items()
            if spans
        }
        for query, one in found.items():
            if not self._text(one).strip():
                raise ValueError(
                    f"the answer to question {query} of {self.collection.name} is nothing but "
                    "white space; give the words of the document that answer it"
                )
        return found

    @cached_property
    def offsets(self) -> dict[str, list[Offsets]]:
        """By model and document the characters of each token."""
        texts = [one.text for one in self.collection.documents]
        return {
            name: [offsets for _, offsets in encoder.content(texts)]
            for name, encoder in self.encoders.items()
        }

    @cached_property
    def content_words(self) -> dict[str, frozenset[str]]:
        """By question."""
        return {one.id: stems(one.text) for one in self.collection.queries}

    def documents(self) -> Iterator[Row]:
        for i, one in enumerate(self.collection.documents):
            counted = {TOKENS + model: len(found[i]) for model, found in self.offsets.items()}
            yield {"collection": self.collection.name, "document": one.id, **counted}

    def answers(self) -> Iterator[Row]:
        places = self.collection.positions
        of_documents = [stems(one.text) for one in self.collection.documents]
        for query, one in self.asked.items():
            i = places[one.document]
            wanted = self.content_words[query]
            length = len(self.collection.documents[i].text)
            yield {
                "collection": self.collection.name,
                "query_id": query,
                "document": one.document,
                "place": round((one.start + one.end) / 2 / length, 4),
                "words": len(wanted),
                "nowhere": len(wanted - of_documents[i]),
                **{
                    TOKENS + model: middle_token(found[i], one.start, one.end)
                    for model, found in self.offsets.items()
                },
            }

    def chunks(self, chunks: Chunks) -> Iterator[Row]:
        """Of each question the chunk that holds its answer; none where no chunk does."""
        places = self.collection.positions
        first = np.searchsorted(chunks.document, np.arange(len(self.collection.documents) + 1))
        texts = chunks.texts(self.collection.documents)
        counted = {model: token_counts(found, chunks) for model, found in self.offsets.items()}
        for query, one in self.asked.items():
            i = places[one.document]
            low, high = first[i], first[i + 1]
            inside = holding(chunks.start[low:high], chunks.end[low:high], one.start, one.end)
            if inside is None:
                continue
            at = int(low) + inside
            distance, cut = from_boundary(
                int(chunks.start[at]), int(chunks.end[at]), one.start, one.end
            )
            wanted = self.content_words[query]
            here = wanted & stems(texts[at])
            beside = [n for n in (at - 1, at + 1) if low <= n < high]
            near = wanted & frozenset().union(*(stems(texts[n]) for n in beside))
            yield {
                "query_id": query,
                "boundary": distance,
                "cut": int(cut),
                "inside": len(here),
                "neighbours": len(near - here),
                **{TOKENS + model: int(counts[at]) for model, counts in counted.items()},
            }

    def _text(self, one: Judgment) -> str:
        document = self.collection.documents[self.collection.positions[one.document]]
        return document.text[one.start : one.end]


def _conditions(context: Context) -> list[Condition]:
    """Late chunking as it comes that has a record, or that can be run here with chunks that no
    model draws, so that records yet to come find their chunks."""
    recorded = [one for one in records.find(context.places.runs) if _late(one)]
    others = [
        one
        for one in grids.grid()
        if _late(one)
        and not parse_chunker(one.chunker).needs_encoder
        and one.reason_not_run is None
    ]
    return list(dict.fromkeys(recorded + others))


def _late(one: Condition) -> bool:
    return one.collection in COLLECTIONS and one.protocol == OWN and one.late


def _chunks(
    context: Context, conditions: Iterable[Condition], collection: str
) -> Iterator[tuple[Condition, Chunks]]:
    """The different chunks of a collection, each with a condition that has them."""
    recorded = records.find(context.places.runs)
    seen: set[str] = set()
    drawn: set[str] = set()
    for one in conditions:
        digest = records.read_run(recorded[one]).chunks_sha256 if one in recorded else None
        by_model = parse_chunker(one.chunker).needs_encoder
        if (
            one.collection != collection
            or digest in seen
            or (not by_model and one.chunker in drawn)
        ):
            continue
        context.say(f"chunks of {one}")
        chunks = context.chunks(one, context.store(one.encoder))
        if digest not in (None, chunks.digest()):
            raise RuntimeError(f"{one} has other chunks than its record; run it again")
        drawn.add(one.chunker)
        seen.add(chunks.digest())
        if chunks.text is None:
            yield one, chunks
