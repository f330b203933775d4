"""What do baselines that no work under study has gain over the vectors of plain chunks?

Every arm returns the same chunks, groups of five sentences, and what is returned is scored. What is
matched differs: the chunk's vector, its words, both, its vector with the title before it, or the
vectors of its sentences, of which the best counts (small-to-large). It comes in parts, an arm of a
collection and a model each; what a model reads is kept, so that a killed part goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.chunkers import contexts
from chunkstudy.collections import covid_qa, registry
from chunkstudy.encoders import models
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.bm25 import BM25
from chunkstudy.evaluation.retrieval.chunks import Limit, Ranking, Search, search
from chunkstudy.evaluation.retrieval.fusion import FUSED, fused
from chunkstudy.runs import scoring
from chunkstudy.runs.conditions import (
    MINILM_512,
    MPNET,
    PRE_EMBEDDING,
    Condition,
    EncoderName,
    parse_encoder,
)
from chunkstudy.runs.estimate import DEVICES, TWO_CORES, in_words
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context

NAME = "baselines"
COLLECTIONS = ()
PACKAGES = ("bm25s",)
CHUNKER, SENTENCE = "sentence-5", "sentence-1"
VECTORS, WORDS, BOTH, TITLE, SENTENCES = "vectors", "words", "both", "title", "sentences"
ARMS = (VECTORS, WORDS, BOTH, TITLE, SENTENCES)
SEARCHED = ("chroma", covid_qa.WITHIN, covid_qa.ALL, "nfcorpus", "scifact", "arguana")
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
for it; what that changes is shown beside records in float32."""


def run_as(model: str) -> str:
    """The slug under which a model, by its hub id, is run here."""
    name = models.spec(model).id
    runs = (one for one in ENCODERS if parse_encoder(one).model == name)
    return next(runs, str(EncoderName(name, WINDOW)))


@dataclass(frozen=True, slots=True)
class Part:
    """An arm of a collection and a model."""

    collection: str
    encoder: str
    arm: str

    @property
    def name(self) -> str:
        return f"{self.collection}/{self.arm}/{self.encoder}"


PLAN = tuple(
    Part(collection, encoder, arm)
    for encoder in ENCODERS
    for collection in SEARCHED
    for arm in ARMS
    if arm != TITLE or collection not in UNTITLED
)
"""Every part."""


def part(context: Context, one: Part) -> dict[str, pd.DataFrame]:
    """``scores``: of each question every measure under the arm. ``parts``: the arm itself."""
    collection, store = context.collection(one.collection), context.store(one.encoder)
    cut = [
        Condition(one.collection, slug, one.encoder, PRE_EMBEDDING, CORRECTED.name)
        for slug in (CHUNKER, SENTENCE)
    ]
    chunks = [context.chunks(each, store) for each in cut[: 1 + (one.arm == SENTENCES)]]
    returned, ranking = find(one.arm, collection, store, chunks, cut[0].task == "in_document")
    rows = scores(one.collection, collection, returned, ranking)
    rows = rows.melt(var_name="measure", ignore_index=False).reset_index()
    keys = {"part": one.name}
    arm = {"collection": one.collection, "encoder": one.encoder, "arm": one.arm}
    return {
        "scores": rows[["measure", "query_id", "value"]].assign(**keys),
        "parts": pd.DataFrame([keys | arm]),
    }


def find(
    arm: str, collection: Collection, store: VectorStore, cut: Sequence[Chunks], within: bool
) -> tuple[Chunks, Ranking]:
    """The chunks that an arm returns, and their ranking for every question, at least as deep as is
    read.

    Args:
        arm: one of :data:`ARMS`.
        collection: what is searched.
        store: the model.
        cut: the chunks that are returned and, for :data:`SENTENCES`, what is matched.
        within: whether a question is asked of its own document alone.
    """
    chunks, *smaller = cut
    matched, place = chunks, None
    texts = chunks.texts(collection.documents)
    if arm == TITLE:
        titles = contexts.of(TITLE, collection, chunks)
        texts = [contexts.before(*one) for one in zip(titles, texts, strict=True)]
    if arm == SENTENCES:
        matched = small_to_large.within(smaller[0], chunks, collection.documents)
        chunks, place = small_to_large.returned(matched)
        texts = matched.texts(collection.documents)
    asked = [query.text for query in collection.queries]
    allowed = Limit.of(collection, matched) if within else None
    ways: list[Search] = []
    if arm != WORDS:
        queries, vectors = store.encode(asked, "query"), store.encode(texts)
        ways.append(partial(search, queries, vectors, allowed=allowed))
    if arm in (WORDS, BOTH):
        ways.append(partial(BM25(texts).search, asked, allowed=allowed))
    ranking = fused(ways, len(matched))(FUSED)
    return chunks, ranking if place is None else small_to_large.best_of_each(ranking, place)


def scores(name: str, collection: Collection, returned: Chunks, ranking: Ranking) -> pd.DataFrame:
    """Each question's scores, as records have them: of the chunks that are returned."""
    ranked = scoring.score(name, collection, returned, ranking, CORRECTED)
    return scoring.rounded(ranked.scores)[MEASURES[registry.find(name).task]]


def estimate(todo: Sequence[Part]) -> list[str]:
    """A line per part, and the sum; the vectors of chunks are shared by two arms."""
    read: set[tuple[str, ...]] = set()
    found, total = [], 0.0
    for one in todo:
        texts = VECTORS if one.arm == BOTH else one.arm
        new = texts != WORDS and (one.collection, one.encoder, texts) not in read
        read.add((one.collection, one.encoder, texts))
        tokens = registry.find(one.collection).tokens if new else 0
        operations = tokens * models.spec(parse_encoder(one.encoder).model).flops_per_token(0)
        total += operations / DEVICES[TWO_CORES].rate
        found.append(f"{one.name}\t{tokens:,} tokens")
    return [*found, f"{len(todo)} parts\t{in_words(total)} on two cores"]
