"""A context before each chunk, beside late chunking: what each gains, and whether they are alike.

Jina's second post says that contextual retrieval, where a language model writes a context for each
chunk, behaves like late chunking. Two things are asked of that. Do both gain the same, question by
question? And do they gain on the same questions: where one scores higher than plain chunking lets
expect, does the other? The second is a partial correlation, since two gains over the same plain
scores are correlated by these alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers import contexts
from chunkstudy.collections import covid_qa
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Keys, Pair, differences, documents_of
from chunkstudy.evaluation.statistics.intervals import Floats
from chunkstudy.runs import windows as reading
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.encoding import CONTEXTUALIZED, PRE_EMBEDDING, PREPENDED, parse_ordering
from chunkstudy.runs.grids import MPNET_WINDOWS, WINDOWS, Windows
from chunkstudy.runs.library import Library

DCG, RECALL = "DCG@10", "SpanRecall@5"
MEASURES = {
    "chroma-within": DCG,
    covid_qa.WITHIN: DCG,
    covid_qa.ALL: RECALL,
    "builtin": RECALL,
}
ENCODERS: tuple[Windows, ...] = (WINDOWS, MPNET_WINDOWS)
WIDE = 512
"""Tokens that models read here of a chunk and its context; all chunks fit with it."""
LATE = "late"


@dataclass(frozen=True)
class Way:
    """One way to give chunks context, of one collection and model.

    Attributes:
        name: a context's source, or ``late-`` and the window.
        chunkers: the chunkers that its scores are over.
        scores: each question's mean over them.
        plain: the same without context, read in the same window.
    """

    name: str
    chunkers: tuple[str, ...]
    scores: pd.Series
    plain: pd.Series

    @property
    def gain(self) -> pd.Series:
        return self.scores - self.plain


def tables(library: Library, papers: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables ``contexts_gains`` and ``contexts_alike``.

    Args:
        library: the records.
        papers: ``query_id`` and ``part``, the paper of every query of COVID-QA; may be empty.
    """
    found = {
        (collection, reading.model(windows[WIDE])): list(_ways(library, collection, windows))
        for collection in MEASURES
        for windows in ENCODERS
    }
    return {"contexts_gains": _gains(found, papers), "contexts_alike": _alike(found, papers)}


Found = Mapping[tuple[str, str], list[Way]]
"""By collection and model."""


def _gains(found: Found, papers: pd.DataFrame) -> pd.DataFrame:
    pairs = [
        Pair(
            _keys(*where) | {"context": way.name, "chunkers": len(way.chunkers)},
            way.scores,
            way.plain,
        )
        for where, of in found.items()
        for way in of
    ]

    def family(keys: Keys) -> str:
        way = LATE if str(keys["context"]).startswith(LATE) else "contexts"
        return f"{way}, {keys['collection']}, {keys['model']}, {keys['chunkers']} chunkers"

    return differences(_over_papers(pairs, papers), family, "with context", "plain")


def _alike(found: Found, papers: pd.DataFrame) -> pd.DataFrame:
    """Every two ways over the same chunkers: the gain of one minus that of the other, and the
    partial correlation of their scores given plain chunking. Contexts against each other are what
    contexts against late chunking are to be held against."""
    pairs = []
    sides = []
    for where, of in found.items():
        for one, other in combinations(of, 2):
            if one.chunkers == other.chunkers and not one.name.startswith(LATE):
                keys = _keys(*where) | {"context": one.name, "beside": other.name}
                keys |= {"chunkers": len(one.chunkers)}
                pairs.append(Pair(keys, one.gain, other.gain))
                sides.append(left_of(one.scores, other.scores, one.plain, other.plain))

    def family(keys: Keys) -> str:
        late = str(keys["beside"]).startswith(LATE)
        question = "contexts against late chunking" if late else "contexts against each other"
        return f"{question}, {keys['collection']}, {keys['model']}, {keys['chunkers']} chunkers"

    table = differences(_over_papers(pairs, papers), family, "gain", "gain beside")
    rows = [(one.r, *one.interval, one.p) for one in statistics.correlations(sides)]
    columns = ["correlation", "correlation low", "correlation high", "correlation p"]
    return pd.concat([table, pd.DataFrame(rows, columns=columns)], axis=1)


def left_of(first: pd.Series, second: pd.Series, *held: pd.Series) -> tuple[Floats, Floats]:
    """What is left of two scores when those held are taken out of both, linearly: their correlation
    is the partial one."""
    rows = pd.concat([first, second, *held], axis=1).dropna()
    values = rows.to_numpy()
    known = np.column_stack([np.ones(len(rows)), values[:, 2:]])
    left = values[:, :2] - known @ np.linalg.lstsq(known, values[:, :2], rcond=None)[0]
    return left[:, 0], left[:, 1]


def _ways(library: Library, collection: str, windows: Windows) -> Iterator[Way]:
    """Contexts, then late chunking by window, over the chunkers that all contexts found in the
    document have; then, where a language model wrote some for fewer, all again over those."""
    encoder = windows[WIDE]
    found: dict[str, dict[str, pd.Series]] = {}
    for one in library:
        if (one.collection, one.encoder, one.protocol) == (collection, encoder, CORRECTED.name):
            record = library.get(one)
            if record and (context := parse_ordering(one.ordering).context):
                found.setdefault(context, {})[one.chunker] = record.wide[MEASURES[collection]]
    free = [set(of) for name, of in found.items() if not _written(name)]
    sets = [set.intersection(*free)] if free else []
    sets += [set(of) for name, of in found.items() if _written(name) and set(of) not in sets]
    for chunkers in (tuple(sorted(one)) for one in sets if one):
        plain = _read(library, collection, chunkers, encoder, PRE_EMBEDDING)
        if plain is None:
            continue
        for name in sorted(found, key=_in_order):
            if set(chunkers) <= set(found[name]):
                yield Way(name, chunkers, _mean(found[name][one] for one in chunkers), plain)
        for window, slug in windows.items():
            late = _read(library, collection, chunkers, slug, f"{CONTEXTUALIZED}-{window}")
            beside = _read(library, collection, chunkers, slug, PRE_EMBEDDING)
            if late is not None and beside is not None:
                yield Way(f"{LATE}-{window}", chunkers, late, beside)


def _read(
    library: Library, collection: str, chunkers: tuple[str, ...], encoder: str, ordering: str
) -> pd.Series | None:
    """Each question's mean over the chunkers; None unless all are recorded."""
    conditions = [Condition(collection, one, encoder, ordering, CORRECTED.name) for one in chunkers]
    records = [record for one in conditions if (record := library.get(one)) is not None]
    if not records or len(records) < len(conditions):
        return None
    return _mean(record.wide[MEASURES[collection]] for record in records)


def _in_order(context: str) -> int:
    """As the document's own stand in ``FREE``, then those that are written."""
    own = list(contexts.FREE)
    return own.index(context) if context in own else len(own)


def _written(context: str) -> bool:
    return bool(parse_ordering(f"{PREPENDED}-{context}").llm)


def _keys(collection: str, model: str) -> dict[str, object]:
    return {"measure": MEASURES[collection], "collection": collection, "model": model}


def _over_papers(pairs: Iterable[Pair], parts: pd.DataFrame) -> Iterator[Pair]:
    """The pairs, those of COVID-QA with the paper of every question: questions of one paper share
    its text, so papers are what is drawn.

    Args:
        pairs: comparisons whose keys name a ``collection``.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty.
    """
    documents = documents_of(parts)
    for pair in pairs:
        of_papers = pair.keys["collection"] in (covid_qa.WITHIN, covid_qa.ALL)
        yield replace(pair, documents=documents) if of_papers else pair


def _mean(columns: Iterable[pd.Series]) -> pd.Series:
    """Each question's mean."""
    return pd.concat(list(columns), axis=1).mean(axis=1)
