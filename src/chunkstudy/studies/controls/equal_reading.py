"""How much of the answer do chunks of three sizes find within the first 1,000 tokens read?

Each question is searched in its own document by plain vectors. Retrieved chunks are read in rank
order until the token budget is spent; the last chunk is cut off there. A fixed number of chunks
would favour large chunks, because more text is read.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from chunkstudy.collections import registry
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Collection
from chunkstudy.core.tokens import cl100k_offsets
from chunkstudy.evaluation.measures.reading_budget import AGAIN, budget_recall
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, to_tokens
from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.pipeline.estimate import reading
from chunkstudy.pipeline.experiments import Context, Tables, experiment
from chunkstudy.studies.controls.equal_budget import ranked

NAME = "equal-reading"
WITHIN = (
    "fairytaleqa-within",
    "chroma-within",
    "covid-qa-within",
    "evidence-inference-within",
    "qmsum-within",
)
CHUNKERS = ("fixed-64", "fixed-256", "recursive-200-0")
"""The chunkers of the registered comparisons."""
LARGE = "fixed-256"
"""The chunker that the others are compared with."""
BUDGETS = (500, 1_000, 2_000)
"""cl100k tokens that are read."""
DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Part:
    """One collection searched by one encoder."""

    collection: str
    encoder: str

    @property
    def name(self) -> str:
        return f"{self.collection}/{self.encoder}"


PLAN = tuple(Part(collection, MINILM_512) for collection in WITHIN)


def estimate(part: Part) -> Estimate:
    """Estimate the tokens and time of one part."""
    tokens = registry.find(part.collection).tokens * len(CHUNKERS)
    return reading(parse_encoder(part.encoder).model, tokens)


@experiment(NAME, plan=PLAN, estimate=estimate)
def part(context: Context, part: Part) -> Tables:
    """Run one part.

    Returns:
        ``scores``: recall per chunker, budget and query. ``chunkers``: number of chunks and mean
        cl100k tokens per chunk. ``answers``: cl100k tokens of each query's gold text and its
        document. ``parts``: the part itself.
    """
    collection, store = context.collection(part.collection), context.store(part.encoder)
    offsets = [cl100k_offsets(document.text) for document in collection.documents]
    scores, chunkers = [], []
    for chunker in CHUNKERS:
        context.say(f"{part.name}: {chunker}")
        condition = Condition(part.collection, chunker, part.encoder, PRE_EMBEDDING, CORRECTED.name)
        chunks = context.chunks(condition, store)
        ranking = ranked(collection, chunks, engine.encode(collection, chunks, store))
        judged, in_tokens = to_tokens(JudgedSpans.of(collection), chunks, offsets)
        for budget in BUDGETS:
            recall = budget_recall(judged, in_tokens, ranking.chunk, budget, AGAIN)
            queries = [query.id for query in collection.queries]
            rows = pd.DataFrame({"query_id": queries, "value": recall.round(DECIMALS)})
            scores.append(rows.assign(chunker=chunker, budget=budget))
        tokens = float(in_tokens.lengths.mean())
        chunkers.append({"chunker": chunker, "chunks": len(chunks), "tokens": tokens})
    tables = {
        "scores": pd.concat(scores, ignore_index=True)[["chunker", "budget", "query_id", "value"]],
        "chunkers": pd.DataFrame(chunkers),
        "answers": answers(collection, judged),
        "parts": pd.DataFrame([{"collection": part.collection, "encoder": part.encoder}]),
    }
    return {name: table.assign(part=part.name) for name, table in tables.items()}


def compare_sizes(tables: Tables) -> pd.DataFrame:
    """Compare smaller chunks with fixed chunks of 256 tokens, per collection and budget.

    Args:
        tables: of the stored experiment.

    Returns:
        ``answer tokens``, the median length of the gold text, ``tokens``, the mean length of the
        smaller chunks, and the columns of :func:`differences`; Holm's correction is over all
        comparisons at one budget.
    """
    scores = tables["scores"].merge(tables["parts"], on="part")
    pairs, added = [], []
    for (collection, part, budget), rows in scores.groupby(
        ["collection", "part", "budget"], sort=False
    ):
        wide = rows.pivot(index="query_id", columns="chunker", values="value")
        gold = at(tables["answers"], part=part).set_index("query_id")
        lengths = at(tables["chunkers"], part=part).set_index("chunker")["tokens"]
        for chunker in (name for name in CHUNKERS if name != LARGE):
            keys: dict[str, object] = {"collection": collection, "chunker": chunker}
            keys |= {"other": LARGE, "measure": f"SpanRecall@{budget}tokens", "budget": budget}
            pairs.append(Pair(keys, wide[chunker], wide[LARGE], gold["document"]))
            median = float(gold["tokens"].median())
            added.append({"answer tokens": median, "tokens": float(lengths[chunker])})
    tested = differences(pairs, "size at {budget} tokens read", "recall", "recall of the other")
    return tested.assign(**pd.DataFrame(added)).sort_values(
        ["budget", "answer tokens"], kind="stable", ignore_index=True
    )


def make(context: Context) -> Tables:
    """Run all parts."""
    made = [part(context, one) for one in PLAN]
    return {name: pd.concat([tables[name] for tables in made]) for name in made[0]}


def answers(collection: Collection, judged: JudgedSpans) -> pd.DataFrame:
    """Return the document of each query and the number of cl100k tokens of its gold text.

    Args:
        collection: the queries.
        judged: the gold spans in tokens.
    """
    rows = []
    for place, query in enumerate(collection.queries):
        spans = zip(
            *(x[judged.query == place] for x in (judged.document, judged.start, judged.end)),
            strict=True,
        )
        gold = {(document, token) for document, start, end in spans for token in range(start, end)}
        rows.append({"query_id": query.id, "document": query.document or "", "tokens": len(gold)})
    return pd.DataFrame(rows)
