"""How large are the chunks that a query could be answered from?

For the question whether size or segmentation decides effectiveness, the taxonomy's fourth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy import tokens
from chunkstudy.grid import records
from chunkstudy.grid.grids import BEIR_AT_HAND, IELAB, OWN, PRE, WIDE
from chunkstudy.spans import Chunks, Collection
from chunkstudy.studies.runner import Context

COLLECTIONS = (*BEIR_AT_HAND, "builtin-graded", "gutenqa-emma")


def tables(context: Context, collections: Sequence[str]) -> dict[str, pd.DataFrame]:
    """A table per collection, of every recorded chunker.

    A row per chunker, protocol and query: the mean size in the encoder's own tokens of the chunks
    that touch what is judged relevant (the whole document, or the passage), and of all chunks of
    the relevant documents. Queries without a judgment at hand have no row.

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
    """
    made = {}
    recorded = records.find(context.places.runs)
    for name in collections:
        rows = []
        collection = context.collection(name)
        for condition, folder in recorded.items():
            own = condition.collection == name and condition.encoder == WIDE
            if not own or condition.ordering != PRE or condition.protocol not in (IELAB, OWN):
                continue
            context.say(f"chunk sizes of {condition}")
            chunks = context.chunks(condition, context.store(WIDE))
            if chunks.digest() != records.read_run(folder).chunks_sha256:
                raise RuntimeError(f"{condition} has other chunks than its record; run it again")
            sizes = tokens.counter("wordpiece").count_many(chunks.texts(collection.documents))
            table = per_query(collection, chunks, np.asarray(sizes, dtype=np.float64))
            table.insert(0, "chunker", condition.chunker)
            table.insert(1, "protocol", condition.protocol)
            rows.append(table)
        if not rows:
            raise RuntimeError(f"{name} has no record to measure; run its conditions first")
        made[name] = pd.concat(rows, ignore_index=True)
    return made


def per_query(collection: Collection, chunks: Chunks, sizes: NDArray[np.float64]) -> pd.DataFrame:
    """``query_id, relevant, document``: mean sizes of the chunks of what is relevant.

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
        whole: set[int] = set()
        for judgment in judgments:
            if judgment.grade <= 0 or judgment.document not in places:
                continue
            document = places[judgment.document]
            members = order[starts[document] : starts[document + 1]]
            inside = (chunks.start[members] < judgment.end) & (chunks.end[members] > judgment.start)
            touched.update(members[inside].tolist())
            whole.update(members.tolist())
        if touched:
            rows.append(
                {
                    "query_id": query,
                    "relevant": float(sizes[sorted(touched)].mean()),
                    "document": float(sizes[sorted(whole)].mean()),
                }
            )
    return pd.DataFrame(rows, columns=["query_id", "relevant", "document"])
