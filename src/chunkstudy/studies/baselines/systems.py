"""What do baselines that no work under study has gain over the vectors of plain chunks?

Every system returns the same chunks, groups of five sentences, and what is returned is scored. What
is matched differs: the chunk's vector, its words, both, its vector with the title before it, or the
vectors of its sentences, of which the best counts (small-to-large).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pandas as pd

from chunkstudy.collections import covid_qa, registry
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.encoders import models
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.chunks import Limit, Ranking
from chunkstudy.evaluation.retrieval.fusion import FUSED
from chunkstudy.notebook.study import Study
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import (
    MINILM_512,
    MPNET,
    PRE_EMBEDDING,
    PREPENDED,
    Condition,
    EncoderName,
    parse_encoder,
)
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore

NAME = "baselines"
CHUNKER, SENTENCE = "sentence-5", "sentence-1"
VECTORS, WORDS, BOTH, TITLE, SENTENCES = "vectors", "words", "both", "title", "sentences"
SYSTEMS = (VECTORS, WORDS, BOTH, TITLE, SENTENCES)
COLLECTIONS = ("chroma", covid_qa.WITHIN, covid_qa.ALL, "nfcorpus", "scifact", "arguana")
UNTITLED = ("chroma", "arguana")
"""Chroma's five documents hold many texts each, and what ArguAna calls a title is a list of
subjects, which a third of its documents have."""
MEASURES = {
    "token_overlap": ["SpanRecall@5", "SpanIoU@5"],
    "in_corpus": ["nDCG@10"],
    "in_document": ["DCG@10"],
}
WINDOW = 512
"""Which cuts no chunk but the longest."""
ENCODERS = (MINILM_512, f"{MPNET}-w{WINDOW}-bfloat16")
"""The larger model computes in half precision, nearly four times as fast where a processor is made
for it."""


def run_as(model: str) -> str:
    """The slug under which a model, by its hub id, is run here."""
    name = models.spec(model).id
    slugs = (slug for slug in ENCODERS if parse_encoder(slug).model == name)
    return next(slugs, str(EncoderName(name, WINDOW)))


def read(
    study: Study, collections: Sequence[str], encoders: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Both tables of collections and models, by their hub ids, from the stored experiment where it
    has all of them."""
    slugs = [run_as(encoder) for encoder in encoders]
    stored = {*collections} <= {*COLLECTIONS} and {*slugs} <= {*ENCODERS}
    return study.stored(NAME, lambda context: tables(context, collections, slugs), kept=stored)


@experiment(NAME, collections=COLLECTIONS, packages=("bm25s",))
def tables(
    context: Context,
    collections: Sequence[str] = COLLECTIONS,
    encoders: Sequence[str] = ENCODERS,
) -> dict[str, pd.DataFrame]:
    """``scores``: of each question every measure under a system. ``parts``: which system of which
    collection and model each ``part`` is."""
    scores, parts = [], []
    for encoder, collection in product(encoders, collections):
        for system, frame in systems(context, collection, encoder):
            part = f"{collection}/{system}/{encoder}"
            parts.append((part, collection, encoder, system))
            rows = frame.melt(var_name="measure", ignore_index=False).reset_index()
            scores.append(rows[["measure", "query_id", "value"]].assign(part=part))
    columns = ["part", "collection", "encoder", "arm"]
    return {
        "scores": pd.concat(scores, ignore_index=True),
        "parts": pd.DataFrame(parts, columns=columns),
    }


def systems(context: Context, name: str, encoder: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each system of a collection with its scores, a row a question and a column a measure."""
    collection, store = context.collection(name), context.store(encoder)
    conditions = [
        Condition(name, slug, encoder, PRE_EMBEDDING, CORRECTED.name)
        for slug in (CHUNKER, SENTENCE)
    ]
    chunks, sentences = (context.chunks(condition, store) for condition in conditions)
    for system in SYSTEMS:
        if system != TITLE or name not in UNTITLED:
            context.say(f"{NAME}: {name}, {system}, {encoder}")
            returned, ranking = find(system, collection, store, chunks, sentences)
            scores = engine.score(collection, returned, ranking)
            yield system, scores[MEASURES[conditions[0].task]]


def find(
    system: str, collection: Collection, store: VectorStore, chunks: Chunks, sentences: Chunks
) -> tuple[Chunks, Ranking]:
    """The chunks that a system returns, and their ranking for every question.

    Args:
        system: one of :data:`SYSTEMS`.
        collection: what is searched.
        store: the model.
        chunks: what is returned.
        sentences: what is matched by :data:`SENTENCES`.
    """
    matched, index = chunks, None
    if system == SENTENCES:
        index = small_to_large.within(sentences, chunks, collection.documents)
        matched = index.matched
    method = f"{PREPENDED}-{TITLE}" if system == TITLE else PRE_EMBEDDING
    searched = system != WORDS
    vectors = engine.encode(collection, matched, store, embedding=method) if searched else None
    words = engine.collect_words(collection, matched) if system in (WORDS, BOTH) else None
    alone = registry.find(collection.name).task == "in_document"
    allowed = Limit.of(collection, matched) if alone else None
    ranking = engine.search(vectors, FUSED, words, index, allowed)
    return (index.returned if index else chunks), ranking
