"""A collection whose queries are judged on one document each, searched in that document only."""

from __future__ import annotations

from dataclasses import replace

from chunkstudy.base.spans import Collection


def within_documents(collection: Collection) -> Collection:
    """The same as ``<name>-within``, each query naming the document it is judged on.

    Raises:
        ValueError: if a query is judged on several documents, or on none.
    """
    judged: dict[str, set[str]] = {query.id: set() for query in collection.queries}
    for judgment in collection.judgments:
        judged[judgment.query].add(judgment.document)
    for query, documents in judged.items():
        if len(documents) != 1:
            raise ValueError(
                f"query {query} of {collection.name} is judged on {len(documents)} documents; "
                "within a document it takes exactly one"
            )
    queries = [replace(query, document=min(judged[query.id])) for query in collection.queries]
    return replace(collection, name=f"{collection.name}-within", queries=tuple(queries))
