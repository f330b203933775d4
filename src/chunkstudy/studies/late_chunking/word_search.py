"""How well are the chunks of the registered question found by their words, and by words and vectors
together?

BM25 ranks the chunks that plain vectors rank, and reciprocal-rank fusion makes one ranking of both
(k = 60, the first thousand of each). Records keep the first twenty chunks of a question at most and
no text, so neither can be computed from them; it comes in parts, a system of a collection each, of
which only fusion asks a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.collections import beir, registry
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Collection
from chunkstudy.evaluation.retrieval.bm25 import words
from chunkstudy.evaluation.retrieval.chunks import Limit
from chunkstudy.evaluation.retrieval.fusion import FUSED
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import MINILM_512, NONE, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.pipeline.estimate import reading
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.studies.late_chunking.systems import BOTH, E5, MPNET, WORDS

NAME = "word-search"
CHUNKERS = ("fixed-64", "fixed-256", "recursive-200-0")
WITHIN = (
    "chroma-within",
    "covid-qa-within",
    "evidence-inference-within",
    "fairytaleqa-within",
    "qmsum-within",
)
WHOLE = (*beir.LAPTOP, "qmsum")
ENCODERS = (MINILM_512, f"{MPNET}-w512-bfloat16".replace("/", "__"), E5.replace("/", "__"))


@dataclass(frozen=True, slots=True)
class Part:
    """A system of a collection; ``encoder`` is none of BM25 alone."""

    collection: str
    encoder: str

    @property
    def system(self) -> str:
        """Words alone, or both."""
        return WORDS if self.encoder == NONE else BOTH

    @property
    def name(self) -> str:
        return f"{self.collection}/{self.system}/{self.encoder}"

    @property
    def chunkers(self) -> tuple[str, ...]:
        """The registered ones; where documents are looked for also no chunking."""
        return (*CHUNKERS, NONE) if self.collection in WHOLE else CHUNKERS


PLAN = tuple(
    Part(collection, encoder) for encoder in (NONE, *ENCODERS) for collection in (*WITHIN, *WHOLE)
)
"""Every part: what asks no model first, then model by model."""


def estimate(part: Part) -> Estimate:
    """What a part takes: nothing where no model reads."""
    if part.encoder == NONE:
        return Estimate()
    tokens = registry.find(part.collection).tokens * len(part.chunkers)
    return reading(parse_encoder(part.encoder).model, tokens)


@experiment(NAME, packages=("bm25s",), plan=PLAN, estimate=estimate)
def part(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """``scores``: of each chunker and question the measure of the collection's task. ``parts``: the
    part itself. ``shared``: of the words alone, each question's share of words that stand in its
    judged spans (:func:`shared_words`)."""
    collection = replace(context.collection(part.collection), name=part.collection)
    store = None if part.encoder == NONE else context.store(part.encoder)
    within = registry.find(part.collection).task == "in_document"
    found = []
    for chunker in part.chunkers:
        context.say(f"{part.name}: {chunker}")
        condition = Condition(part.collection, chunker, MINILM_512, PRE_EMBEDDING, CORRECTED.name)
        chunks = context.chunks(condition)
        vectors = None if store is None else engine.encode(collection, chunks, store)
        words = engine.collect_words(collection, chunks)
        allowed = Limit.of(collection, chunks) if within else None
        ranking = engine.search(vectors, FUSED, words, allowed=allowed)
        values = engine.score(collection, chunks, ranking)["DCG@10" if within else "nDCG@10"]
        rows = values.dropna().rename("value").rename_axis("query_id").reset_index()
        found.append(rows.assign(chunker=chunker))
    keys = {"collection": part.collection, "encoder": part.encoder, "system": part.system}
    tables = {
        "scores": pd.concat(found, ignore_index=True)[["chunker", "query_id", "value"]],
        "parts": pd.DataFrame([keys]),
    }
    if store is None and part.collection in WITHIN:
        tables["shared"] = shared_words(collection)
    return {name: table.assign(part=part.name) for name, table in tables.items()}


def make(context: Context, collections: Sequence[str]) -> dict[str, pd.DataFrame]:
    """All parts of these collections."""
    made = [part(context, one) for one in PLAN if one.collection in collections]
    names = dict.fromkeys(name for tables in made for name in tables)
    return {name: pd.concat([t[name] for t in made if name in t]) for name in names}


def shared_words(collection: Collection) -> pd.DataFrame:
    """Of each question that is judged ``shared``: the share of its different words, folded in case
    and without the English stop words that bm25s lists, that stand in its judged spans. A question
    of nothing else is left out."""
    from bm25s.stopwords import STOPWORDS_EN  # late: only this asks for it

    texts = {document.id: document.text for document in collection.documents}
    judged = collection.judgments_by_query()
    rows = []
    for query in collection.queries:
        spans = [texts[span.document][span.start : span.end] for span in judged[query.id]]
        held = {word for span in spans for word in words(span)}
        asked = set(words(query.text)) - set(STOPWORDS_EN)
        if spans and asked:
            rows.append({"query_id": query.id, "shared": len(asked & held) / len(asked)})
    return pd.DataFrame(rows)
