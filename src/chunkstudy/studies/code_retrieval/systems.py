"""What retrieves source code on a small machine: vectors, words, both, and contexts before chunks?

The measure is Pass@k of Anthropic's guide to contextual retrieval: of each question the share of
its judged chunks that are among the first k, averaged over questions. A judged chunk of the guide's
counts as found when at least half of its characters lie in the chunks that are read, which on the
guide's own chunks is the same thing. It comes in parts, a chunker, a context and a model each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from chunkstudy.collections import contextual_code, registry
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import MINILM_512, MPNET, parse_encoder
from chunkstudy.pipeline.estimate import reading
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.studies.code_retrieval import chunks as code

NAME = "code-retrieval"
WORDS, SMALL, LARGE = "bm25", MINILM_512, f"{MPNET}-w512-bfloat16"
CUTOFFS = (5, 10, 20)
CHARACTERS = 13_500
"""What twenty of the guide's chunks hold on average."""
MEASURES = (*(f"Pass@{k}" for k in CUTOFFS), f"Pass in {CHARACTERS:,} characters")
DEPTH = 400
"""Chunks that are ranked: more than so many characters hold."""
HALF = 0.5
SYSTEM = ["chunker", "context", "encoder"]


@dataclass(frozen=True, slots=True)
class CodeSystem:
    """A chunker, a context before its chunks, and a model, or words alone."""

    chunker: str
    context: str
    encoder: str

    @property
    def name(self) -> str:
        return f"{self.encoder}/{self.chunker}/{self.context}"


ENDS = (code.PLAIN, code.BOTH)
PLAN = (
    *(
        CodeSystem(chunker, context, encoder)
        for encoder in (WORDS, SMALL)
        for chunker in code.CHUNKERS
        for context in (code.CONTEXTS if chunker == code.GUIDE else ENDS)
    ),
    *(CodeSystem(code.GUIDE, context, LARGE) for context in ENDS),
)
"""Each context by itself on the guide's chunks, both together on all; the larger model, which takes
four times as long, on the guide's chunks alone."""


def estimate(part: CodeSystem) -> Estimate:
    """What a part takes; a context adds a fifth to what is read, or less, which is not counted."""
    if part.encoder == WORDS:
        return Estimate()
    tokens = registry.find(contextual_code.ALL).tokens
    return reading(parse_encoder(part.encoder).model, tokens)


@experiment(
    NAME,
    packages=("bm25s", "llama-index-core", "tree-sitter-language-pack"),
    plan=PLAN,
    estimate=estimate,
)
def part(context: Context, system: CodeSystem) -> dict[str, pd.DataFrame]:
    """``scores``: of each question every measure; with a model by its vectors, and by these fused
    with words. ``parts``: the system, its chunks, and their characters on average."""
    collection = context.collection(contextual_code.ALL)
    chunks = code.cut(collection, system.chunker)
    context.cut(f"{contextual_code.ALL}/{system.chunker}", chunks)
    texts = code.texts(collection, chunks, system.context)
    queries = [query.text for query in collection.queries]
    words, depth = engine.Words(queries, texts), min(DEPTH, len(chunks))
    if system.encoder == WORDS:
        rankings = {WORDS: engine.search(None, depth, words)}
    else:
        store = context.store(system.encoder)
        vectors = engine.Vectors(store.encode(queries, "query"), store.encode(texts))
        rankings = {
            system.encoder: engine.search(vectors, depth),
            f"{WORDS}+{system.encoder}": engine.search(vectors, depth, words),
        }
    frames = [
        passed(collection, chunks, ranking).assign(encoder=name)
        for name, ranking in rankings.items()
    ]
    keys = {"part": system.name, "chunker": system.chunker, "context": system.context}
    counts = {"chunks": len(chunks), "mean characters": chunks.lengths.mean()}
    return {
        "scores": pd.concat(frames, ignore_index=True).assign(part=system.name),
        "parts": pd.DataFrame([keys | {"encoder": system.encoder} | counts]),
    }


def make(context: Context, chunkers: Sequence[str]) -> dict[str, pd.DataFrame]:
    """All systems of some chunkers."""
    made = [part(context, system) for system in PLAN if system.chunker in chunkers]
    return {name: pd.concat([tables[name] for tables in made]) for name in made[0]}


def passed(collection: Collection, chunks: Chunks, ranking: Ranking) -> pd.DataFrame:
    """A row a question and measure: ``query_id``, the ``document`` it is judged on, ``measure``,
    and ``value``, the share of its judged chunks of which half is read."""
    judged = JudgedSpans.of(collection)
    spans = len(judged.query)
    # Each judged chunk as a question of its own, so that recall is what is read of it.
    overlap = TokenOverlap(
        replace(judged, queries=spans, query=np.arange(spans)), chunks, "overlap"
    )
    ranked = ranking.chunk[judged.query]
    read = np.where(ranked == NO_CHUNK, 0, chunks.lengths[ranked]).cumsum(axis=1)
    orders = [ranked[:, :k] for k in CUTOFFS]
    orders.append(np.where(read <= CHARACTERS, ranked, NO_CHUNK))
    half_read = pd.DataFrame(
        {
            measure: overlap.at(order, order.shape[1])["SpanRecall"] >= HALF
            for measure, order in zip(MEASURES, orders, strict=True)
        }
    )
    half_read["query_id"] = [collection.queries[i].id for i in judged.query]
    half_read["document"] = [collection.documents[i].id for i in judged.document]
    values = half_read.groupby(["query_id", "document"], sort=False).mean()
    return values.melt(var_name="measure", ignore_index=False).reset_index()


def gains(
    scores: pd.DataFrame, measures: Sequence[str], changed: str, baseline: str
) -> pd.DataFrame:
    """Every system minus the same with the baseline. Files are drawn, each with all its questions;
    Holm's correction is within a measure, and within a chunker unless that is what changes.

    Args:
        scores: a row a system, question and measure: the ``scores`` of :func:`part` with
            the ``chunker`` and ``context`` of their part.
        measures: of ``MEASURES``.
        changed: one of ``SYSTEM``.
        baseline: one of its values.
    """
    documents = scores.drop_duplicates("query_id").set_index("query_id")["document"]
    values = scores.pivot(index="query_id", columns=["measure", *SYSTEM], values="value")
    pairs = []
    for measure, *names in scores[["measure", *SYSTEM]].drop_duplicates().to_numpy():
        keys = dict(zip(SYSTEM, names, strict=True))
        other = (measure, *(keys | {changed: baseline}).values())
        if measure in measures and keys[changed] != baseline and other in values:
            first, second = values[measure, *names], values[other]
            pairs.append(Pair({"measure": measure} | keys, first, second, documents))
    family = f"{changed}, {{measure}}" + (", {chunker}" if changed != "chunker" else "")
    return differences(pairs, family, "score", "score of the baseline")
