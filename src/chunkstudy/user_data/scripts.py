"""What a way of chunking or ranking cannot see of the script that documents are in: sentences that
end nowhere, words that stand nowhere, and signs that a model has no tokens for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunkstudy.chunkers.structure import sentences
from chunkstudy.encoders.interface import VocabularyReporter
from chunkstudy.evaluation.retrieval.bm25 import words
from chunkstudy.user_data.pipeline import Pipeline
from chunkstudy.user_data.systems import System, shown_as

BY_SENTENCE = re.compile("(sentence|semantic|kamradt(?!-modified)|proposition-sentences)(-.*)?")
"""Chunkers of the table that cut where a sentence ends, and nowhere else."""
UNKNOWN = 0.01
"""The part of the text's characters without a token from which on a model is said to lack them."""
LONG = 1_000
"""Characters of a text that has more than one sentence, if its sentences can be told."""


def notes(pipeline: Pipeline, systems: Sequence[System]) -> Iterator[str]:
    """A sentence for each thing that some of the systems cannot see: chunkers that cut between
    sentences, where texts have none that they know; questions none of whose words stands in any
    document, where words rank; models whose vocabulary lacks a part of the text."""
    collection = pipeline.collection
    texts = [document.text for document in collection.documents]
    names = {part.slug for system in systems for part in system.chunker.cutting}
    cutting = sorted(filter(BY_SENTENCE.fullmatch, names))
    # of each text the stretches without an end, in characters
    long = [text for text in texts if cutting and len(text) > LONG]
    lengths = [[end - start for start, end in sentences(text, "any")] for text in long]
    endless = [some for of in lengths if (some := [length for length in of if length > LONG])]
    if endless:
        share = sum(map(sum, endless)) / sum(map(len, texts))
        yield (
            f"Chunks by sentence ({'; '.join(shown_as('chunker', name) for name in cutting)}) are "
            f"cut where a sentence ends, and {share:.0%} of the text stands in stretches of more "
            f"than {LONG:,} characters in which none does ({len(endless)} of {len(texts)} "
            "documents); such a stretch stays in one chunk, and a chunker by size cuts it."
        )
    if any(system.retriever.words for system in systems):
        known = {word for text in texts for word in words(text, "any")}
        missed = sum(known.isdisjoint(words(query.text, "any")) for query in collection.queries)
        if missed:
            yield (
                f"BM25 finds nothing for {missed} of {len(collection.queries)} questions: none of "
                "their words stands in the documents."
            )
    for retriever in dict.fromkeys(system.retriever for system in systems):
        store = pipeline.store(retriever)
        encoder = store.encoder if store else None
        if not isinstance(encoder, VocabularyReporter):
            continue
        # every vocabulary has pieces for ASCII; one text at a time, since encodings are large
        others = (text for text in texts if not text.isascii())
        lacking = sum(encoder.characters_unknown([text])[0] for text in others)
        share = lacking / max(1, sum(map(len, texts)))
        if share >= UNKNOWN:
            yield (
                f"{retriever} has no tokens for {share:.0%} of the text's characters: it reads "
                "each such word as the same unknown token, so that its vectors say little of them."
            )
