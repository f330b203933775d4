"""How far do Chroma's scores move when its own approximate search is run again?

What the official code asks of chromadb: a search list of 50, batches of 500 chunks, corpora in the
order of its questions (base_evaluation.py:64-98, 299-318). See
:mod:`chunkstudy.studies.chroma.graph` for what chromadb makes of it: a graph that is built in
another order in every process. The experiment builds it 20 times for every row, and scores what it
finds by the offsets at which the official code locates chunks and by true ones; below stands what
that explains of the published numbers, and what it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.core.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.core.spans import Collection, chunk_documents
from chunkstudy.display.formats import Column, points_finely
from chunkstudy.evaluation.measures.token_overlap import MIN, MIN_DEPTH, TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.statistics import mean, population_std
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import MINILM, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.published.sources import CHROMA_LENGTH, TOKEN_WINDOWS
from chunkstudy.studies.chroma.graph import SEARCH_LIST, Ints, as_asked, graph, nearest
from chunkstudy.studies.chroma.tables import CUTS, MINILM_ROWS, RETRIEVAL

COLLECTIONS = ("chroma",)
CHUNKERS = (
    *(f"{row}{CHROMA_LENGTH}" if row.startswith("recursive") else row for row in MINILM_ROWS),
    *reversed(TOKEN_WINDOWS.values()),
)
"""The rows of the MiniLM table, recursive ones by the length function that prints their sizes, and
token windows at the sizes that they have too (:data:`chunkstudy.published.sources.TOKEN_WINDOWS`).
"""
SEEDS = 20
CELL = ["offsets", "part", "measure", "statistic"]
KEYS = ["chunker", "part", "measure", "statistic"]
RECALL = "SpanRecall@5"
SHOWN = {
    "mean": Column("mean, points", points_finely),
    "off by": Column("off by, points", points_finely),
}
"""Titles and units of columns whose names do not say them."""
HALF = 0.05
"""Half of the last printed digit, in points: nearer to the published value than this is at it."""


@experiment("chroma-search", collections=COLLECTIONS, packages=("chroma-hnswlib",))
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``spread``: every printed kind of cell by exact search, and its lowest, mean and highest over
    the seeds of the graph, fractions; by the offsets at which the official code locates chunks, and
    by true ones."""
    store = context.store(MINILM)
    rows = []
    for name in collections:
        for number, slug in enumerate(CHUNKERS, start=1):
            context.say(f"{name}, {slug}: row {number} of {len(CHUNKERS)}")
            spread = searched_again(context, store, name, slug)
            row = {"chunker": slug, "insertion": "official", "search list": SEARCH_LIST}
            rows.append(pd.DataFrame(row, spread.index).join(spread))
    return {"spread": pd.concat(rows, ignore_index=True)}


def searched_again(context: Context, store: VectorStore, name: str, slug: str) -> pd.DataFrame:
    """A row of the published table: the columns of `CELL` and ``low, mean, high, exact``."""
    collection = context.collection(name)
    condition = Condition(name, slug, MINILM, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)
    at_home = replace(AS_PUBLISHED_CHROMA, offsets="exact")
    true = chunk_documents(build_chunker(slug, at_home, store.encode, None), collection.documents)
    chunks = {
        "located": context.chunks(condition, store),
        "true": context.cut(f"{name}/{slug}/true offsets", true),
    }
    overlaps = {
        offsets: TokenOverlap.of(collection, some, AS_PUBLISHED_CHROMA.hit)
        for offsets, some in chunks.items()
    }
    queries = store.encode([query.text for query in collection.queries], "query")
    vectors = store.encode(chunks["located"].texts(collection.documents), label=slug)
    best = search(queries, vectors, MIN_DEPTH).chunk
    exact = cells(collection, overlaps, lambda _: best).rename(columns={"value": "exact"})
    order = as_asked(collection, chunks["located"])
    runs = []
    for seed in range(SEEDS):
        search_graph = partial(nearest, graph(vectors, order, seed), queries)
        runs.append(cells(collection, overlaps, search_graph))
    over_seeds = pd.concat(runs).groupby(CELL, sort=False)["value"]
    spread = over_seeds.agg(low="min", mean="mean", high="max").reset_index()
    return spread.merge(exact, on=CELL)


def cells(
    collection: Collection,
    overlaps: Mapping[str, TokenOverlap],
    ranked: Callable[[int], Ints],
) -> pd.DataFrame:
    """The columns of `CELL` and a value, a fraction: what the report prints, over all questions and
    by corpus.

    Args:
        collection: whose questions they are.
        overlaps: of the chunks, by kind of offsets.
        ranked: gives so many chunks a question, shape (queries, chunks), or more.
    """
    corpus = np.array([collection.groups[query.id] for query in collection.queries])
    parts = {"all": np.ones(len(corpus), dtype=np.bool_)}
    parts |= {name: corpus == name for name in sorted(set(corpus.tolist()))}
    rows = []
    for cut in CUTS:
        for offsets, overlap in overlaps.items():
            # What the official code asks for at the cut Min (base_evaluation.py:405-406).
            most = min(MIN_DEPTH, int(overlap.touching_counts.max()))
            scores = overlap.at(ranked(most if cut == MIN else int(cut)), cut)
            rows += [
                (offsets, part, f"{measure}@{cut}", statistic, value(scores[measure][of]))
                for part, of in parts.items()
                for measure in RETRIEVAL
                for statistic, value in (("mean", mean), ("std", population_std))
            ]
    return pd.DataFrame(rows, columns=[*CELL, "value"])


def unexplained(cells: pd.DataFrame) -> pd.DataFrame:
    """The numbers that neither exact search nor any run of the published one gives, fractions.

    Args:
        cells: as ``Study.beside`` gives it.
    """
    own = cells[(cells["verdict"] == "deviates") & cells["stack_low"].notna()]
    numbers = own[["published", "reproduced", "stack_low", "stack_high"]].astype(float) / 100
    names = ["published", "exact search", "search least", "search most"]
    table = own[KEYS].join(numbers.set_axis(names, axis=1))
    return table.assign(**{"off by": table["exact search"] - table["published"]})


def recalls(cells: pd.DataFrame, spread: pd.DataFrame, corrected: pd.DataFrame) -> pd.DataFrame:
    """The published mean recalls at five beside exact search, the published search with the
    official offsets and with true ones, and the corrected protocol; a row a chunker, fractions.

    Args:
        cells: as ``Study.beside`` gives it.
        spread: of the experiment.
        corrected: ``Scores.summary`` of the same chunkers under the corrected protocol.
    """
    where = dict(zip(KEYS[1:], ("all", RECALL, "mean"), strict=True))
    own, means, official, true = (
        at(rows, **where).set_index("chunker")
        for rows in (cells, corrected, *(at(spread, offsets=side) for side in ("located", "true")))
    )
    table = pd.DataFrame(
        {
            "published": own["published"].astype(float) / 100,
            "as published": own["reproduced"] / 100,
            "search least": official["low"],
            "search mean": official["mean"],
            "search most": official["high"],
            "true offsets": true["mean"],
            "corrected": means["value"],
        },
        index=own.index,
    )
    return table.rename_axis("chunker").reset_index()


def sides(table: pd.DataFrame) -> pd.DataFrame:
    """Whether the recalls lie to one side of the published ones: by how many rows, by how much on
    average, and how likely that is if either side were as likely (exact sign test).

    Args:
        table: as :func:`recalls` gives it.
    """
    searches = ["as published", "search mean", "true offsets", "corrected"]
    shifts = 100 * table[searches].sub(table["published"], axis=0)
    counts = {"above": (shifts > HALF).sum(), "below": (shifts < -HALF).sum()}
    both = pd.DataFrame(counts | {"mean": shifts.mean() / 100})
    # of no row on either side p is 1, as of one row
    both["p"] = [
        stats.binomtest(above, max(1, above + below)).pvalue
        for above, below in zip(*counts.values(), strict=True)
    ]
    return both.rename_axis("recall by").reset_index()
