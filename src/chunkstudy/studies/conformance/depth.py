"""Does it matter how many chunks are ranked before documents are scored by their best?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.evaluation.measures.ranking import MEASURES, per_query
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.evaluation.retrieval.documents import documents_of, jina_depth, search_documents
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.grids import BEIR_AT_HAND, OWN, PASSAGES, PRE, WIDE
from chunkstudy.runs.names import parse_ordering
from chunkstudy.runs.scoring import DOCUMENT_DEPTH, excluded_documents
from chunkstudy.runs.study_runs import Context

NAME = "depth"
COLLECTIONS = BEIR_AT_HAND
DEPTHS = (10, 20, 100, 1000)


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``scores``: a row per collection, chunker and chunk depth, which is a number or ``all``.

    ``documents`` is how many distinct documents a query gets on average, at most 100.
    """
    rows = []
    protocol = PROTOCOLS[OWN]
    store = context.store(WIDE)
    for name in collections:
        collection = context.collection(name)
        asked = store.encode([query.text for query in collection.queries], "query")
        excluded = excluded_documents(collection, protocol)
        for slug in PASSAGES:
            context.say(f"depth of {slug} in {name}")
            chunks = context.chunks(Condition(name, slug, WIDE, PRE, OWN), store)
            ordering = parse_ordering(PRE)
            vectors, _ = encode(store, collection.documents, chunks, ordering, protocol)
            formula = jina_depth(int(np.bincount(chunks.document).max()))
            for depth in (*DEPTHS, None):
                if depth is None:
                    found = search_documents(
                        asked, vectors, chunks.document, DOCUMENT_DEPTH, excluded
                    )
                else:
                    of_chunks = retrieval.search(asked, vectors, depth)
                    found = documents_of(of_chunks, chunks.document, DOCUMENT_DEPTH, excluded)
                means = per_query(collection, found).groupby("measure", sort=False)["value"].mean()
                rows.append(
                    {
                        "collection": name,
                        "chunker": slug,
                        "depth": str(depth or "all"),
                        "Jina's formula": depth == formula,
                        "documents": float((found.document >= 0).sum(axis=1).mean()),
                        **{str(measure): float(means[measure]) for measure in MEASURES},
                    }
                )
    return {"scores": pd.DataFrame(rows)}
