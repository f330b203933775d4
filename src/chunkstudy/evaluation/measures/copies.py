"""Excerpts that stand in several places, any of which answers the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from chunkstudy.base.spans import Chunks, Collection, Judgment
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking

Copies = Mapping[Judgment, Sequence[Judgment]]
"""Of a judged excerpt the other places that answer as well."""


def found_first(
    collection: Collection, copies: Copies, chunks: Chunks, ranking: Ranking
) -> Collection:
    """The collection judged, of each excerpt with copies, at the place that the ranking meets
    first, and of several in one chunk at that which it holds most of.

    Args:
        collection: as it is judged, one place an excerpt.
        copies: of some of its judgments.
        chunks: what was ranked, in characters.
        ranking: of the collection's queries.
    """
    if not copies:
        return collection
    documents = collection.positions
    rows = {query.id: ranking.chunk[i] for i, query in enumerate(collection.queries)}

    def chosen(judgment: Judgment) -> Judgment:
        places = (judgment, *copies.get(judgment, ()))
        for chunk in rows[judgment.query].tolist() if len(places) > 1 else ():
            if chunk != NO_CHUNK:
                held = [
                    min(int(chunks.end[chunk]), place.end)
                    - max(int(chunks.start[chunk]), place.start)
                    if documents[place.document] == chunks.document[chunk]
                    else 0
                    for place in places
                ]
                if max(held) > 0:
                    return places[held.index(max(held))]
        return judgment

    return replace(collection, judgments=tuple(map(chosen, collection.judgments)))
