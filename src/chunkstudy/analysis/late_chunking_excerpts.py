"""Late chunking on Chroma's excerpts, where there are questions enough to tell: five corpora, each
searched by itself as one document, and all together.

Families of comparisons: the chunkers at one window, by one measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.late_chunking import ALL_CORPORA, WITHIN
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.grids import OWN
from chunkstudy.grid.library import Library, Record
from chunkstudy.studies.cut_chunks import DIGITS

DCG, RECALL = "DCG@10", "SpanRecall@5"
MEASURES = ((DCG, WITHIN), (RECALL, WITHIN), (RECALL, ALL_CORPORA))
TOGETHER = ", all corpora"
"""Ends the name of a measure where all corpora are searched together."""
CUT = ["cut", "unread"]


def excerpts(library: Library, cut: pd.DataFrame) -> pd.DataFrame:
    """Contextualized minus plain by window, chunker and measure, positions as they come.

    ``cut`` is the fraction of chunks that the window cuts where they are embedded by themselves,
    ``unread`` of their tokens; missing where it was not measured.

    Args:
        library: the records.
        cut: the table ``chunkers`` of the study ``cut-chunks``; may be empty.
    """
    by = ["model", "chunks", "window"]
    of_chunks = cut.set_index(by)[CUT] if len(cut) else pd.DataFrame(columns=CUT)
    pairs = []
    for measure, collection in MEASURES:
        for late, record, plain in late_and_plain(library, collection):
            if not reading.contextualized(late):
                continue
            window = reading.window(late.ordering)
            model = reading.model(late.encoder)
            key = model, record.run.chunks_sha256[:DIGITS], window
            known = key in of_chunks.index
            keys = {
                "measure": title(measure, collection),
                "chunker": late.chunker,
                "model": model,
                "window": window,
                **{name: of_chunks.at[key, name] if known else np.nan for name in CUT},
            }
            pairs.append(Pair(keys, record.wide[measure], plain.wide[measure]))

    def family(keys: Mapping[str, object]) -> str:
        return f"the chunkers by {keys['measure']}, {keys['model']} reading {keys['window']} tokens"

    return differences(pairs, family, "contextualized", "plain")


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


def title(measure: str, collection: str) -> str:
    """A measure's name, which says so where all corpora are searched together."""
    return measure + (TOGETHER if collection == ALL_CORPORA else "")
