"""Both orderings on the documents that a model was not trained on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Collection
from chunkstudy.runs import scoring
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.encoding import encode, jobs
from chunkstudy.runs.encoding import read_once as read_together
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.names import PRE_EMBEDDING, parse_ordering
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import model
from chunkstudy.studies.trained_late_chunking.parts import Part

CHUNKERS = ("sentence-5", "recursive-200-0")
"""The passages trained on, and others."""
MEASURE = "DCG@10"


def scores(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """The tables of one part."""
    left_out = model.fold(context, part.fold).test
    store = model.store(context, part, model.READ)
    found = []
    for name in model.COLLECTIONS:
        collection = context.collection(name)
        documents = [one.id for one in collection.documents if (name, one.id) in left_out]
        found.append(of_collection(context, part, store, collection, documents))
    return {
        "parts": pd.DataFrame([model.row(context, part)]),
        "questions": pd.concat(found, ignore_index=True),
        "curves": model.curve(context, part),
    }


def of_collection(
    context: Context, part: Part, store: VectorStore, collection: Collection, documents: list[str]
) -> pd.DataFrame:
    """A row per chunker and question asked of the documents: ``plain`` and ``late``."""
    asked, protocol = collection.asked_of(documents), PROTOCOLS[OWN]
    queries = store.encode([query.text for query in asked.queries], "query")
    late = parse_ordering(part.ordering)
    places = [collection.positions[one] for one in documents]
    cut = {
        chunker: chunks.only(np.isin(chunks.document, places))
        for chunker in CHUNKERS
        for chunks in [
            context.chunks(Condition(collection.name, chunker, MINILM, PRE_EMBEDDING, OWN))
        ]
    }
    read_together(
        store, [jobs(store, asked.documents, one, late, protocol) for one in cut.values()]
    )
    tables = []
    for chunker, chunks in cut.items():
        columns = {}
        for name, ordering in (("plain", parse_ordering(PRE_EMBEDDING)), ("late", late)):
            vectors, _ = encode(store, asked.documents, chunks, ordering, protocol, chunker)
            found = scoring.in_document(asked, chunks, (queries, vectors), protocol, None, False)
            measured = found.scores[found.scores["measure"] == MEASURE]
            columns[name] = measured.set_index("query_id")["value"]
        table = pd.DataFrame(columns).rename_axis("query_id").reset_index()
        tables.append(table.assign(chunker=chunker))
    whole = pd.concat(tables, ignore_index=True)
    document = {query.id: query.document for query in asked.queries}
    whole = whole.assign(
        part=part.name, collection=collection.name, document=whole["query_id"].map(document)
    )
    return whole[["part", "collection", "chunker", "document", "query_id", "plain", "late"]]
