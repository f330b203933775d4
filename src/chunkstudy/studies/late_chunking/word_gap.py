"""Do a question's words separate its answer from the rest of the document?

For each question: the largest share of its words in a chunk that holds the answer, and the largest
share in any other chunk of the document. Their difference, not the share itself, says whether a
search by words can find the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures.first_hit import relevant_chunks
from chunkstudy.evaluation.retrieval.bm25 import words
from chunkstudy.evaluation.retrieval.chunks import Limit
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline.conditions import MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.experiments import Context, Tables, experiment
from chunkstudy.studies.late_chunking.word_search import CHUNKERS, WITHIN

NAME = "word-gap"
ANSWERING, OTHER = "answering", "other"
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """One collection whose questions are each searched in one document."""

    collection: str

    @property
    def name(self) -> str:
        return self.collection


PLAN = tuple(map(Part, WITHIN))


def estimate(_: Part) -> Estimate:
    """Nothing is read by a model."""
    return Estimate()


@experiment(NAME, packages=("bm25s",), plan=PLAN, estimate=estimate)
def part(context: Context, part: Part) -> Tables:
    """Run one part.

    Returns:
        ``shares``: per chunker and question the largest share of its words in an ``answering``
        chunk and in any ``other`` chunk of its document. ``parts``: the part itself.
    """
    collection, frames = context.collection(part.collection), []
    for chunker in CHUNKERS:
        context.say(f"{NAME}: {part.name}, {chunker}")
        condition = Condition(part.collection, chunker, MINILM_512, PRE_EMBEDDING, CORRECTED.name)
        shares = largest_shares(collection, context.chunks(condition))
        frames.append(shares.assign(chunker=chunker))
    document = {query.id: query.document or "" for query in collection.queries}
    rows = pd.concat(frames, ignore_index=True)
    rows["document"] = rows["query_id"].map(document)
    columns = ["chunker", "query_id", "document", ANSWERING, OTHER]
    parts = pd.DataFrame([{"collection": part.collection}])
    return {
        "shares": rows[columns].assign(part=part.name),
        "parts": parts.assign(part=part.name),
    }


def make(context: Context) -> Tables:
    """Run all parts."""
    made = [part(context, one) for one in PLAN]
    return {name: pd.concat([tables[name] for tables in made]) for name in made[0]}


def largest_shares(collection: Collection, chunks: Chunks) -> pd.DataFrame:
    """Return each question's largest share of words in an answering and in another chunk.

    Words are folded in case, without the English stop words of bm25s. A question is left out if it
    has no other words, no answering chunk, or no other chunk in its document.
    """
    from bm25s.stopwords import STOPWORDS_EN  # late: only this asks for it

    texts = chunks.texts(collection.documents)
    held = [set(words(text)) for text in texts]
    relevant = relevant_chunks(collection, chunks, texts, "overlap")
    searched = Limit.of(collection, chunks).query_document
    of_document = [np.flatnonzero(chunks.document == i) for i in range(len(collection.documents))]
    rows = []
    for query, hits, document in zip(collection.queries, relevant, searched.tolist(), strict=True):
        asked = set(words(query.text)) - set(STOPWORDS_EN)
        others = np.setdiff1d(of_document[document], hits)
        if asked and len(hits) and len(others):
            best = [_largest(asked, held, some.tolist()) for some in (hits, others)]
            rows.append((query.id, *best))
    return pd.DataFrame(rows, columns=["query_id", ANSWERING, OTHER]).round(DECIMALS)


def gaps(shares: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Compare both shares per collection, each question's mean over the chunkers.

    Returns:
        A row per collection with the columns of :func:`differences`.
    """
    rows = shares.merge(parts, on="part")
    pairs = []
    for collection, own in rows.groupby("collection", sort=False):
        means = own.groupby(["query_id", "document"])[[ANSWERING, OTHER]].mean().reset_index(1)
        keys = {"collection": collection, "measure": "share of the question's words"}
        pairs.append(Pair(keys, means[ANSWERING], means[OTHER], means["document"]))
    return differences(pairs, "words in answering and other chunks", ANSWERING, OTHER)


def _largest(asked: set[str], held: Sequence[set[str]], chunks: Sequence[int]) -> float:
    return max(len(asked & held[chunk]) for chunk in chunks) / len(asked)
