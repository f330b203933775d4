"""Can late chunking be trained, does training remove what it costs, and does pooling passages in
context while training beat training on passages read alone?

all-MiniLM-L6-v2 is trained on questions with a document and the passage that answers them
(loop.py), in five folds: each leaves out a fifth of COVID-QA's papers and one of Chroma's
corpora, on which both orderings are then scored. It comes in parts, a trained model each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs import scoring
from chunkstudy.runs.conditions import MINILM, MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.runs.encoding import encode_together
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking.batches import Passages, passages
from chunkstudy.studies.trained_late_chunking.loop import WEIGHTS, train
from chunkstudy.studies.trained_late_chunking.parts import FOLDS, PLAN, Part
from chunkstudy.studies.trained_late_chunking.questions import Fold, Source, Triple, folds, triples

COLLECTIONS = ()
PACKAGES = ("safetensors",)
NAME = "trained-late-chunking"

__all__ = ["COLLECTIONS", "NAME", "PACKAGES", "PLAN", "estimate", "part"]
TRAINED_ON = (covid_qa.WITHIN, "chroma-within")
"""Papers, and corpora."""
DEALT = 0
"""Seed of the order in which papers are dealt to folds."""
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
UNTRAINED: dict[str, object] = {
    "weights_sha256": BASE.files[WEIGHTS],
    **dict.fromkeys(
        ("training triples", "validation triples", "triples left out", "steps", "best step",
         "triples seen", "tokens read"), 0,
    ),
    "recipe_sha256": "",
}  # fmt: skip
"""What the table ``parts`` says of the model as it was."""
STEP, LOOK, TEST = 2.2, 10.0, 150.0
"""Seconds of one core, of an AMX Xeon, for a step on 2,048 tokens, for a look at the validation
part, and for both orderings on what is left out of a fold, on average."""


def part(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """``parts``: the model of each part, what it was trained on and how far. ``questions``: of
    each question asked of the documents left out DCG@10 when chunks are read plain and late.
    ``curves``: the loss of each step, and on the validation part at each look; step 0 is the model
    as it was."""
    papers, corpora = (
        [(name, document.id) for document in context.collection(name).documents]
        for name in TRAINED_ON
    )
    fold = folds(papers, corpora, FOLDS, DEALT)[part.fold]
    curves = {}
    if part.is_trained:
        store, training, curve = trained(context, part, fold)
        curves["curves"] = pd.concat({part.name: curve}, names=["part"]).reset_index(0)
    else:
        store, training = context.store(MINILM_512), UNTRAINED
    named = {"part": part.name, "arm": part.arm, "fold": part.fold}
    asked = [context.collection(name) for name in TRAINED_ON]
    questions = pd.concat(
        [scored for whole in asked for scored in tested(context, part, store, whole, fold)],
        ignore_index=True,
    )
    questions.insert(0, "part", part.name)
    return {"parts": pd.DataFrame([named | training]), "questions": questions, **curves}


def trained(
    context: Context, part: Part, fold: Fold
) -> tuple[VectorStore, dict[str, object], pd.DataFrame]:
    """The part's model, trained now, as an encoder that remembers its vectors; what the table
    ``parts`` says of it, and the losses.

    Its id is the base model's and how it was trained; it has no place on the hub, so its revision
    is the first 40 digits of its weights' sha256.
    """
    base = TransformerEncoder(BASE, window=READ, threads=1)
    context.note(base.describe())
    folder = context.places.vectors / CHECKPOINTS / part.model
    library: dict[Source, Passages] = {}
    asked: list[Triple] = []
    for name in TRAINED_ON:
        collection, chunks = context.collection(name), cut(context, name, PASSAGES)
        library |= passages(VectorStore(base, folder), collection, chunks, part.ordering)
        asked += triples(collection)
    training, validation = (
        [triple for triple in sorted(asked) if triple.source in documents]
        for documents in (fold.train, fold.validation)
    )
    weights = models.weights_folder(BASE)
    told, curve = train(part, weights, folder, base, library, training, validation, context.say)
    digest = str(told["weights_sha256"])
    spec = replace(
        BASE, id=f"{BASE.id} trained {part.model}", revision=digest[:40],
        files={**BASE.files, WEIGHTS: digest}, package=None, parts=None,
    )  # fmt: skip
    encoder = TransformerEncoder(spec, window=READ, folder=folder)
    context.note(encoder.describe())
    return VectorStore(encoder, folder / "vectors"), told, curve


def tested(
    context: Context, part: Part, store: VectorStore, collection: Collection, fold: Fold
) -> Iterator[pd.DataFrame]:
    """Of each chunker a row per question asked of the documents left out: ``plain``, ``late``."""
    left_out = [each.id for each in collection.documents if (collection.name, each.id) in fold.test]
    asked, places = collection.asked_of(left_out), [collection.positions[id] for id in left_out]
    document = {query.id: query.document for query in asked.queries}
    queries = store.encode([query.text for query in asked.queries], "query")
    cuts = [cut(context, collection.name, chunker) for chunker in CHUNKERS]
    sets = [chunks.only(np.isin(chunks.document, places)) for chunks in cuts]
    late = encode_together(store, asked, sets, part.ordering)
    for chunker, chunks, vectors in zip(CHUNKERS, sets, late, strict=True):
        both = {"plain": store.encode(chunks.texts(asked.documents)), "late": vectors}
        columns = {name: dcg(asked, chunks, (queries, found)) for name, found in both.items()}
        rows = pd.DataFrame(columns).rename_axis("query_id").reset_index()
        rows.insert(0, "collection", collection.name)
        rows.insert(1, "chunker", chunker)
        rows.insert(2, "document", rows["query_id"].map(document))
        yield rows


def dcg(asked: Collection, chunks: Chunks, vectors: scoring.By) -> pd.Series:
    """DCG@10 by query id."""
    scores = scoring.score(asked.name, asked, chunks, vectors, CORRECTED).scores
    return scores[scores["measure"] == DCG].set_index("query_id")["value"]


def cut(context: Context, collection: str, chunker: str) -> Chunks:
    """The chunks of a collection, as the corrected protocol cuts them."""
    return context.chunks(Condition(collection, chunker, MINILM, PRE_EMBEDDING, CORRECTED.name))


def estimate(todo: Sequence[Part]) -> list[str]:
    """The parts, and what they take of one core."""
    seconds = sum(
        TEST + part.is_trained * (part.steps * STEP + (1 + part.steps / part.every) * LOOK)
        for part in todo
    )
    return [
        *(part.name for part in todo),
        f"{len(todo)} parts\t{seconds / 3600:.1f} hours of a core at most",
    ]
