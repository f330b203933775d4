"""Whole documents of collections that nothing was trained on: is anything else lost?

To keep the price down a collection is cut to some of its queries, all documents judged for them and
some others, drawn once; its scores are no published cell's, but the same for every model.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection, Query
from chunkstudy.runs import scoring
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import model
from chunkstudy.studies.trained_late_chunking.parts import Part

COLLECTIONS = ("scifact", "nfcorpus", "arguana")
QUERIES, JUDGED, DOCUMENTS = 300, 1_500, 2_000
"""At most so many queries, stopping before their judged documents are more, and then documents
drawn until there are so many."""
DRAWN = 0
"""Seed of both draws."""
MEASURE = "nDCG@10"


def scores(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """The tables of one part: documents are not cut, and read as far as the model's own window."""
    store, protocol = model.store(context, part, model.BASE.window), PROTOCOLS[OWN]
    found = []
    for name in COLLECTIONS:
        some = sample(context.collection(name))
        lengths = np.array([len(one.text) for one in some.documents], dtype=np.int64)
        numbers = np.flatnonzero(lengths > 0)
        chunks = Chunks(numbers, np.zeros_like(numbers), lengths[numbers])
        context.cut(f"{name}/none/{DOCUMENTS} documents", chunks)
        vectors = (
            store.encode([query.text for query in some.queries], "query", name),
            store.encode(chunks.texts(some.documents), "document", name),
        )
        scored = scoring.in_corpus(some, chunks, vectors, protocol).scores
        here = scored.loc[scored["measure"] == MEASURE, ["query_id", "value"]]
        found.append(here.assign(part=part.name, collection=name))
    table = pd.concat(found, ignore_index=True).rename(columns={"value": MEASURE})
    return {
        "parts": pd.DataFrame([model.row(context, part)]),
        "elsewhere": table[["part", "collection", "query_id", MEASURE]],
    }


def sample(collection: Collection) -> Collection:
    """Some queries, every document judged for them, and others."""
    random = np.random.default_rng(DRAWN)
    judged = {
        query: {one.document for one in judgments}
        for query, judgments in collection.judgments_by_query().items()
    }
    documents: set[str] = set()
    queries: list[Query] = []
    for i in random.permutation(len(collection.queries)).tolist():
        query = collection.queries[i]
        wanted = documents | judged[query.id]
        if len(queries) == QUERIES or len(wanted) > JUDGED:
            break
        queries.append(query)
        documents = wanted
    for i in random.permutation(len(collection.documents)).tolist():
        if len(documents) >= DOCUMENTS:
            break
        documents.add(collection.documents[i].id)
    asked = {query.id for query in queries}
    return replace(
        collection.only(asked),
        documents=tuple(one for one in collection.documents if one.id in documents),
        groups={},
        absent=tuple(one for one in collection.absent if one[0] in asked),
    )
