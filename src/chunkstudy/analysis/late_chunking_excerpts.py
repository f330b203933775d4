"""Late chunking and plain chunking of one collection, by the records of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chunkstudy.analysis import windows as reading
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.grids import OWN
from chunkstudy.grid.library import Library, Record

DCG = "DCG@10"


def late_conditions(library: Library, collection: str) -> list[Condition]:
    """Contextualized conditions under the corrected protocol, by window and then as the library has
    them."""
    found = [
        one
        for one in library
        if one.collection == collection
        and one.protocol == OWN
        and one.ordering.startswith(CONTEXTUALIZED)
        and not parse_ordering(one.ordering).apart
    ]
    return sorted(found, key=lambda one: reading.window(one.ordering))


def late_and_plain(library: Library, collection: str) -> Iterator[tuple[Condition, Record, Record]]:
    """Those that have records of both orderings, with these records."""
    for late in late_conditions(library, collection):
        record = library.get(late)
        plain = library.get(replace(late, ordering=PRE_EMBEDDING))
        if record is not None and plain is not None:
            yield late, record, plain
