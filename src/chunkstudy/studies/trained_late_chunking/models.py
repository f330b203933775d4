"""Can late chunking be trained, does training remove what it costs, and does pooling passages in
context while training beat training on passages read alone?

all-MiniLM-L6-v2 is trained on questions with a document and the passage that answers them
(loop.py), in five folds: each leaves out a fifth of COVID-QA's papers and one of Chroma's
corpora, on which both orderings are then scored. It comes in parts, a trained model each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline import scoring
from chunkstudy.pipeline.conditions import (
    MINILM,
    MINILM_512,
    PRE_EMBEDDING,
    Condition,
    parse_encoder,
)
from chunkstudy.pipeline.encoding import encode_together
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.studies.trained_late_chunking.batches import Passages, passages
from chunkstudy.studies.trained_late_chunking.loop import WEIGHTS, train
from chunkstudy.studies.trained_late_chunking.parts import PLAN as PLAN
from chunkstudy.studies.trained_late_chunking.parts import (
    UNTRAINED,
    Part,
    Source,
    Triple,
    split,
    triples,
)

TRAINED_ON = (covid_qa.WITHIN, "chroma-within")
"""Papers, and corpora."""
PASSAGES = "sentence-5"
"""The chunker whose chunks are the passages to train on."""
CHUNKERS = (PASSAGES, "recursive-200-0")
"""The passages trained on, and others."""
READ = 512
"""Tokens read of a passage that is read alone."""
BASE = models.spec(parse_encoder(MINILM).model)
CHECKPOINTS = "training"
"""Below the folder of vectors, since 90 MB each are too much for the repository."""
DCG = "DCG@10"
NOT_TRAINED: dict[str, object] = {
    "weights_sha256": BASE.files[WEIGHTS],
    "training triples": 0,
    "validation triples": 0,
    "triples left out": 0,
    "steps": 0,
    "best step": 0,
    "triples seen": 0,
}
"""What the table ``parts`` says of the model as it was."""
MINUTES = 8
"""Of one core of an AMX Xeon, for a model's training and both orderings on what its fold leaves
out, on average."""


def estimate(_: Part) -> Estimate:
    """What a part takes at most."""
    return Estimate(seconds=60 * MINUTES)


@experiment("trained-late-chunking", packages=("safetensors",), plan=PLAN, estimate=estimate)
def part(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """``parts``: the model of each part, what it was trained on and how far. ``questions``: of
    each question asked of the documents left out DCG@10 when chunks are read plain and late.
    ``curves``: the loss of each step, and on the validation part at each look; step 0 is the model
    as it was."""
    papers, corpora = (
        [(name, document.id) for document in context.collection(name).documents]
        for name in TRAINED_ON
    )
    training, validation, test = split(papers, corpora, part.fold)
    curves = {}
    if part.system != UNTRAINED:
        store, told, curve = trained(context, part, training, validation)
        curves["curves"] = pd.concat({part.name: curve}, names=["part"]).reset_index(0)
    else:
        store, told = context.store(MINILM_512), NOT_TRAINED
    named = {"part": part.name, "arm": part.system, "fold": part.fold}
    rows = [table for name in TRAINED_ON for table in tested(context, part, store, name, test)]
    questions = pd.concat(rows, ignore_index=True)
    questions.insert(0, "part", part.name)
    return {"parts": pd.DataFrame([named | told]), "questions": questions, **curves}


def trained(
    context: Context, part: Part, *documents: set[Source]
) -> tuple[VectorStore, dict[str, object], pd.DataFrame]:
    """The part's model, trained now on some documents and validated on others, as an encoder that
    remembers its vectors; what the table ``parts`` says of it, and the losses.

    Its id is the base model's and how it was trained; it has no place on the hub, so its revision
    is the first 40 digits of its weights' sha256.
    """
    base = TransformerEncoder(BASE, window=READ, threads=1)
    context.note(base.describe())
    folder = context.places.vectors / CHECKPOINTS / part.model
    library: dict[Source, Passages] = {}
    known: list[Triple] = []
    for name in TRAINED_ON:
        collection, chunks = context.collection(name), cut(context, name, PASSAGES)
        library |= passages(VectorStore(base, folder), collection, chunks, part.ordering)
        known += triples(collection)
    training, validation = (
        [triple for triple in sorted(known) if triple.source in sources] for sources in documents
    )
    weights = models.weights_folder(BASE)
    told, curve = train(part, weights, folder, base, library, training, validation)
    digest = str(told["weights_sha256"])
    spec = replace(
        BASE, id=f"{BASE.id} trained {part.model}", revision=digest[:40],
        files={**BASE.files, WEIGHTS: digest}, package=None, parts=None,
    )  # fmt: skip
    encoder = TransformerEncoder(spec, window=READ, folder=folder)
    context.note(encoder.describe())
    return VectorStore(encoder, folder / "vectors"), told, curve


def tested(
    context: Context, part: Part, store: VectorStore, name: str, test: set[Source]
) -> Iterator[pd.DataFrame]:
    """Of each chunker a row per question asked of the documents left out: ``plain``, ``late``."""
    collection = context.collection(name)
    left_out = [document for source, document in sorted(test) if source == name]
    asked, places = collection.asked_of(left_out), [collection.positions[id] for id in left_out]
    document = {query.id: query.document for query in asked.queries}
    queries = store.encode([query.text for query in asked.queries], "query")
    cuts = [cut(context, name, chunker) for chunker in CHUNKERS]
    sets = [chunks.only(np.isin(chunks.document, places)) for chunks in cuts]
    late = encode_together(store, asked, sets, part.ordering)
    for chunker, chunks, vectors in zip(CHUNKERS, sets, late, strict=True):
        both = {"plain": store.encode(chunks.texts(asked.documents)), "late": vectors}
        scores = {
            way: scoring.score(asked.name, asked, chunks, (queries, read), CORRECTED).scores[DCG]
            for way, read in both.items()
        }
        rows = pd.DataFrame(scores).rename_axis("query_id").reset_index()
        rows.insert(0, "collection", name)
        rows.insert(1, "chunker", chunker)
        rows.insert(2, "document", rows["query_id"].map(document))
        yield rows


def cut(context: Context, collection: str, chunker: str) -> Chunks:
    """The chunks of a collection, as the corrected protocol cuts them."""
    return context.chunks(Condition(collection, chunker, MINILM, PRE_EMBEDDING, CORRECTED.name))
