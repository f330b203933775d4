"""What the study trains on: passages and triples of both collections, cut into folds."""

from __future__ import annotations

from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.names import PRE_EMBEDDING, parse_encoder
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking.training import passages, triples
from chunkstudy.studies.trained_late_chunking.training.batches import Library

PAPERS, CORPORA = covid_qa.WITHIN, "chroma-within"
COLLECTIONS = (PAPERS, CORPORA)
FOLDS = 5
DEALT = 0
"""Seed of the order in which papers are dealt to folds."""
PASSAGES = "sentence-5"
"""The chunker whose chunks are the passages to train on."""
READ = 512
"""Tokens read of a passage that is read alone, whatever the window."""
BASE = models.spec(parse_encoder(MINILM).model)


def library(context: Context, encoder: TransformerEncoder, window: int, layout: str) -> Library:
    """The passages of every document of both collections."""
    found = {}
    for name in COLLECTIONS:
        collection = context.collection(name)
        chunks = context.chunks(Condition(name, PASSAGES, MINILM, PRE_EMBEDDING, OWN))
        for i, document in enumerate(collection.documents):
            own = chunks.only(chunks.document == i)
            spans = list(zip(own.start.tolist(), own.end.tolist(), strict=True))
            found[name, document.id] = passages.prepare(
                encoder, name, document, spans, window, layout
            )
    return found


def asked(context: Context) -> list[triples.Triple]:
    """The triples of both collections."""
    return [one for name in COLLECTIONS for one in triples.triples(context.collection(name))]


def fold(context: Context, number: int) -> triples.Fold:
    """Which documents are trained on, validated on and tested on."""
    papers, corpora = (
        [(name, one.id) for one in context.collection(name).documents] for name in COLLECTIONS
    )
    return triples.folds(papers, corpora, FOLDS, DEALT)[number]
