"""Questions, each with a document and the place in it that answers it."""

from __future__ import annotations

from dataclasses import dataclass

from chunkstudy.base.spans import Collection


@dataclass(frozen=True, slots=True, order=True)
class Triple:
    """``document[start:end]`` answers the question; offsets in characters.

    Attributes:
        collection: where it comes from, since ids are unique within one only.
        query: id of the question.
        question: its text.
        document: id of the document.
    """

    collection: str
    query: str
    question: str
    document: str
    start: int
    end: int

    @property
    def source(self) -> tuple[str, str]:
        """What tells the document from those of other collections."""
        return self.collection, self.document


def triples(collection: Collection) -> list[Triple]:
    """One for every judged span; a question judged on several gives several."""
    text = {query.id: query.text for query in collection.queries}
    return [
        Triple(collection.name, one.query, text[one.query], one.document, one.start, one.end)
        for one in collection.judgments
    ]
