"""Late chunking on Chroma's excerpts, where there are questions enough to tell: five corpora, each
searched by itself as one document, and all together.

Families of comparisons, each corrected by itself: the chunkers at one window, by one measure; the
mean over chunkers at every window, of all questions; the same, corpus by corpus; and either of
these two where the tokens are read at other positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.chroma import PUBLISHED_COUNTS
from chunkstudy.analysis.late_chunking import ALL_CORPORA, WITHIN
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.analysis.windows import IN_ORDER
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.grids import OWN
from chunkstudy.grid.library import Library, Record
from chunkstudy.studies.cut_chunks import DIGITS

DCG, RECALL = "DCG@10", "SpanRecall@5"
MEASURES = ((DCG, WITHIN), (RECALL, WITHIN), (RECALL, ALL_CORPORA))
TOGETHER = ", all corpora"
"""Ends the name of a measure where all corpora are searched together."""
ALL = "all"
AGAINST = "against in order"
CUT = ["cut", "unread"]
Reading = tuple[str, int, str]
"""An encoder, its window, and the positions at which tokens are read."""


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


def positions(library: Library) -> pd.DataFrame:
    """Contextualized minus plain, each question's mean over the chunkers: over all corpora and in
    each, by window, and by the positions at which tokens are read.

    ``against in order`` and its interval and p say what the moved positions change themselves, over
    the chunkers read at both; they are missing where tokens are read in order.
    """
    arms, beside = _means_over_chunkers(library), _moved_and_in_order(library)
    corpora = _corpora(library)
    against_plain, against_order = [], []
    for corpus in (ALL, *corpora):
        for (encoder, window, where), (late, plain, chunkers) in arms.items():
            keys = {
                "measure": DCG, "corpus": corpus, "encoder": encoder, "window": window,
                "positions": where, "chunkers": chunkers,
            }  # fmt: skip
            asked = late.index if corpus == ALL else late.index.intersection(corpora[corpus])
            against_plain.append(Pair(keys, late[asked], plain))
            if (encoder, window, where) in beside:
                elsewhere, in_order = beside[encoder, window, where]
                against_order.append(Pair(keys, elsewhere[asked], in_order))

    def family(keys: Mapping[str, object]) -> str:
        over = "all corpora" if keys["corpus"] == ALL else "corpus by corpus"
        read = "in order" if keys["positions"] == IN_ORDER else "moved"
        return (
            f"mean over chunkers, {over}, positions {read}, {reading.model(str(keys['encoder']))}"
        )

    def control(keys: Mapping[str, object]) -> str:
        return f"against reading in order: {family(keys)}"

    table = differences(against_plain, family, "contextualized", "plain")
    moved = differences(against_order, control, "moved", IN_ORDER)
    if moved.empty:
        return table
    names = {"difference": AGAINST} | {
        name: f"{AGAINST} {name}"
        for name in ("low", "high", "p_holm", "p_equivalent_holm", "shown", "family", "family_size")
    }
    shared = ["corpus", "encoder", "window", "positions"]
    both = table.merge(moved[[*shared, *names]].rename(columns=names), how="left", on=shared)
    return both.astype({f"{AGAINST} family_size": "Int64"})


def _means_over_chunkers(
    library: Library,
) -> dict[Reading, tuple[pd.Series, pd.Series, int]]:
    """Each question's mean DCG of both arms over the chunkers that have both, and how many these
    are."""
    found: dict[Reading, list[tuple[pd.Series, pd.Series]]] = {}
    for late, record, plain in late_and_plain(library, WITHIN):
        if not (reading.contextualized(late) or parse_ordering(late.ordering).at):
            continue
        key = late.encoder, reading.window(late.ordering), reading.positions(late.ordering)
        found.setdefault(key, []).append((record.wide[DCG], plain.wide[DCG]))
    return {
        key: (_mean(one for one, _ in found[key]), _mean(one for _, one in found[key]),
              len(found[key]))
        for key in sorted(found, key=lambda key: (key[1], key[2] != IN_ORDER, key))
    }  # fmt: skip


def _moved_and_in_order(library: Library) -> dict[Reading, tuple[pd.Series, pd.Series]]:
    """Each question's mean DCG at moved positions and in order, over the chunkers read at both."""
    found: dict[Reading, list[tuple[pd.Series, pd.Series]]] = {}
    for late, record, _ in late_and_plain(library, WITHIN):
        window = reading.window(late.ordering)
        in_order = library.get(replace(late, ordering=f"{CONTEXTUALIZED}-{window}"))
        if parse_ordering(late.ordering).at and in_order is not None:
            key = late.encoder, window, reading.positions(late.ordering)
            found.setdefault(key, []).append((record.wide[DCG], in_order.wide[DCG]))
    return {
        key: (_mean(one for one, _ in pairs), _mean(one for _, one in pairs))
        for key, pairs in found.items()
    }


def _mean(columns: Iterable[pd.Series]) -> pd.Series:
    return pd.concat(list(columns), axis=1).mean(axis=1)


def _corpora(library: Library) -> dict[str, pd.Index]:
    """The questions of each corpus, as the records of all corpora together tell."""
    for condition in library:
        record = library.get(condition)
        if condition.collection == ALL_CORPORA and record is not None and RECALL in record.wide:
            found = {
                corpus: library.values(record, RECALL, corpus).index for corpus in PUBLISHED_COUNTS
            }
            return {corpus: asked for corpus, asked in found.items() if len(asked)}
    return {}


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
