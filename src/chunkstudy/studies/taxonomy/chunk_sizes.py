"""How large are the chunks that a query could be answered from?

For the question whether size or segmentation decides effectiveness, the taxonomy's fourth.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base import tokens
from chunkstudy.base.encoding import TextTokens
from chunkstudy.base.protocols import AS_PUBLISHED_IELAB, CORRECTED
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.collections import beir
from chunkstudy.published.chunk_size import BEFORE_ENCODER, NOTHING
from chunkstudy.runs import records
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING, Condition, EncoderName
from chunkstudy.runs.published_grid import TAXONOMY_COLLECTIONS, TAXONOMY_MODELS, WINDOWS
from chunkstudy.runs.store import VectorStore, boundary_store
from chunkstudy.runs.study_runs import Context

NAME = "chunk-sizes"
HERE = (*beir.LAPTOP, "builtin-graded", "gutenqa-emma")
COLLECTIONS = tuple(dict.fromkeys((*HERE, *TAXONOMY_COLLECTIONS)))
PAPERS = tuple(str(EncoderName(name, WINDOWS[name])) for name in TAXONOMY_MODELS)
"""The taxonomy's models, whose own tokens its code counts (plot_chunkcount_vs_performance.py)."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """A table per collection, of every chunker recorded with MiniLM, and one per collection and
    model of the taxonomy's, named ``<collection>--<encoder>``, where these have records.

    A row per chunker, protocol and query: the mean size in the encoder's own tokens of the chunks
    that touch what is judged relevant (the whole document, or the passage), and the mean over the
    relevant documents of the mean size of all their chunks. Queries without a judgment at hand have
    no row.

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
    """
    made = {}
    recorded = records.find(context.places.runs)
    for name in collections:
        for encoder in (MINILM_512, *PAPERS):
            own = {
                one: folder
                for one, folder in recorded.items()
                if (one.collection, one.encoder, one.ordering) == (name, encoder, PRE_EMBEDDING)
                and one.protocol in (AS_PUBLISHED_IELAB.name, CORRECTED.name)
            }
            if rows := [_measured(context, *one) for one in own.items()]:
                table = name if encoder == MINILM_512 else f"{name}{BEFORE_ENCODER}{encoder}"
                made[table] = pd.concat(rows, ignore_index=True)
    if not made:
        raise RuntimeError("there is no record to measure; run the conditions first")
    return {name: NOTHING for name in collections if name in HERE} | made


def _measured(context: Context, condition: Condition, folder: Path) -> pd.DataFrame:
    """The rows of a recorded condition."""
    context.say(f"chunk sizes of {condition}")
    collection, store = context.collection(condition.collection), context.store(condition.encoder)
    boundaries = boundary_store(condition, context.places.vectors)
    if boundaries is not None:
        context.note(boundaries.encoder.describe())
    chunks = context.chunks(condition, store, boundaries)
    if chunks.digest() != records.read_run(folder).chunks_sha256:
        raise RuntimeError(f"{condition} has other chunks than its record; run it again")
    return measured(condition, collection, chunks, store)


def measured(
    condition: Condition, collection: Collection, chunks: Chunks, store: VectorStore
) -> pd.DataFrame:
    """``chunker, protocol`` and what :func:`per_query` finds of a condition's chunks."""
    texts = chunks.texts(collection.documents)
    if condition.encoder == MINILM_512:
        sizes = tokens.counter("wordpiece").count_many(texts)
    else:
        sizes = [len(ids) for ids, _ in cast(TextTokens, store.encoder).content(texts)]
    table = per_query(collection, chunks, np.asarray(sizes, dtype=np.float64))
    table.insert(0, "chunker", condition.chunker)
    table.insert(1, "protocol", condition.protocol)
    return table


def per_query(collection: Collection, chunks: Chunks, sizes: NDArray[np.float64]) -> pd.DataFrame:
    """``query_id, relevant, document``: mean sizes of the chunks of what is relevant, those of a
    document averaged before documents are (plot_chunkcount_vs_performance.py:292-319).

    Args:
        collection: whose judgments say what is relevant (grade above 0).
        chunks: of the collection.
        sizes: shape (chunks,), the size of each.
    """
    places = collection.positions
    order = np.argsort(chunks.document, kind="stable")
    starts = np.searchsorted(chunks.document[order], np.arange(len(collection.documents) + 1))
    rows = []
    for query, judgments in collection.judgments_by_query().items():
        touched: set[int] = set()
        documents: dict[int, float] = {}
        for judgment in judgments:
            if judgment.grade <= 0 or judgment.document not in places:
                continue
            document = places[judgment.document]
            members = order[starts[document] : starts[document + 1]]
            inside = (chunks.start[members] < judgment.end) & (chunks.end[members] > judgment.start)
            touched.update(members[inside].tolist())
            if len(members):
                documents[document] = float(sizes[members].mean())
        if touched:
            rows.append(
                {
                    "query_id": query,
                    "relevant": float(sizes[sorted(touched)].mean()),
                    "document": float(np.mean(list(documents.values()))),
                }
            )
    return pd.DataFrame(rows, columns=["query_id", "relevant", "document"])
