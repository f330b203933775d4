"""How many chunks are ranked before documents are scored by their best: does it matter?"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.files import write_text
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import encode, parse_ordering
from chunkstudy.grid.grids import OWN, PASSAGES, PRE, WIDE
from chunkstudy.grid.run import chunk, load_collection, load_store
from chunkstudy.grid.scoring import DOCUMENT_DEPTH, RANKED, excluded_documents
from chunkstudy.measures.ranking import per_query
from chunkstudy.places import Places
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.retrieval import chunks as retrieval
from chunkstudy.retrieval.documents import documents_of, jina_depth, search_documents

DEPTHS = (10, 20, 100, 1000)


def measure(places: Places, names: Sequence[str]) -> pd.DataFrame:
    """Write ``results/experiments/depth.csv``: a row per collection, chunker and chunk depth.

    ``documents`` is how many distinct documents a query gets on average, at most 100.
    """
    rows = []
    protocol = PROTOCOLS[OWN]
    store = load_store(WIDE, places.vectors)
    for name in names:
        collection = load_collection(name)
        asked = store.encode([query.text for query in collection.queries], "query")
        excluded = excluded_documents(collection, protocol)
        for slug in PASSAGES:
            print(f"depth of {slug} in {name}", file=sys.stderr)
            chunks = chunk(Condition(name, slug, WIDE, PRE, OWN), collection, store)
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
                        "depth": depth or "all",
                        "Jina's formula": depth == formula,
                        "documents": f"{(found.document >= 0).sum(axis=1).mean():.1f}",
                        **{measure_name: f"{means[measure_name]:.6f}" for measure_name in RANKED},
                    }
                )
    table = pd.DataFrame(rows)
    text = table.to_csv(index=False, lineterminator="\n")
    write_text(places.results / "experiments" / "depth.csv", text)
    return table
