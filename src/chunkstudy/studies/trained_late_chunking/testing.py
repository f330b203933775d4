"""The two tests of a part's model: documents left out of its training, and other collections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection, Query
from chunkstudy.runs import scoring
from chunkstudy.runs.conditions import MINILM, PRE_EMBEDDING, Condition, parse_method
from chunkstudy.runs.encoding import encode, jobs
from chunkstudy.runs.encoding import read_once as read_together
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import model
from chunkstudy.studies.trained_late_chunking.parts import Part

CHUNKERS = ("sentence-5", "recursive-200-0")
"""The passages trained on, and others."""
DCG = "DCG@10"


def within(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """The tables of one part: both orderings on the documents that its model was not trained on."""
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
    asked, protocol = collection.asked_of(documents), CORRECTED
    queries = store.encode([query.text for query in asked.queries], "query")
    late = parse_method(part.ordering)
    places = [collection.positions[one] for one in documents]
    cut = {
        chunker: chunks.only(np.isin(chunks.document, places))
        for chunker in CHUNKERS
        for chunks in [
            context.chunks(
                Condition(collection.name, chunker, MINILM, PRE_EMBEDDING, CORRECTED.name)
            )
        ]
    }
    read_together(
        store, [jobs(store, asked.documents, one, late, protocol) for one in cut.values()]
    )
    tables = []
    for chunker, chunks in cut.items():
        columns = {}
        for name, ordering in (("plain", parse_method(PRE_EMBEDDING)), ("late", late)):
            vectors, _ = encode(store, asked.documents, chunks, ordering, protocol, chunker)
            found = scoring.in_document(asked, chunks, (queries, vectors), protocol, None, False)
            measured = found.scores[found.scores["measure"] == DCG]
            columns[name] = measured.set_index("query_id")["value"]
        table = pd.DataFrame(columns).rename_axis("query_id").reset_index()
        tables.append(table.assign(chunker=chunker))
    whole = pd.concat(tables, ignore_index=True)
    document = {query.id: query.document for query in asked.queries}
    whole = whole.assign(
        part=part.name, collection=collection.name, document=whole["query_id"].map(document)
    )
    return whole[["part", "collection", "chunker", "document", "query_id", "plain", "late"]]


COLLECTIONS = ("scifact", "nfcorpus", "arguana")
QUERIES, JUDGED, DOCUMENTS = 300, 1_500, 2_000
"""At most so many queries, stopping before their judged documents are more, and then documents
drawn until there are so many."""
DRAWN = 0
"""Seed of both draws."""
NDCG = "nDCG@10"


def elsewhere(context: Context, part: Part) -> dict[str, pd.DataFrame]:
    """The tables of one part: whole documents of collections that nothing was trained on, read as
    far as the model's own window.

    To keep the price down a collection is cut to some of its queries, all documents judged for them
    and some others, drawn once; its scores are no published cell's, but the same for every model.
    """
    store, protocol = model.store(context, part, model.BASE.window), CORRECTED
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
        here = scored.loc[scored["measure"] == NDCG, ["query_id", "value"]]
        found.append(here.assign(part=part.name, collection=name))
    table = pd.concat(found, ignore_index=True).rename(columns={"value": NDCG})
    return {
        "parts": pd.DataFrame([model.row(context, part)]),
        "elsewhere": table[["part", "collection", "query_id", NDCG]],
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
