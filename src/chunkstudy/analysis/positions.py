"""Late chunking where the same tokens are read in the same order at other positions: what changes
is owed to positions, not to context.

Families of comparisons, each for one model and corrected by itself: the mean over chunkers at every
window, of all questions; within Chroma's excerpts the same, corpus by corpus; and either of these
where the tokens are read at other positions, against plain chunks and against reading in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from chunkstudy.analysis import model_gains
from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.chroma import PUBLISHED_COUNTS
from chunkstudy.analysis.late_chunking import ALL_CORPORA, WITHIN
from chunkstudy.analysis.late_chunking_excerpts import DCG, RECALL, late_and_plain
from chunkstudy.analysis.paired import Keys, Pair, differences, documents_of
from chunkstudy.analysis.windows import IN_ORDER
from chunkstudy.collections import covid_qa
from chunkstudy.grid.encoding import CONTEXTUALIZED, parse_ordering
from chunkstudy.grid.library import Library

ALL = "all"
AGAINST = "against in order"
BESIDE = ("low", "high", "p_holm", "p_equivalent_holm", "shown", "family", "family_size")
Reading = tuple[str, int, str]
READING = ["encoder", "window", "positions"]
"""An encoder, its window, and the positions at which tokens are read."""
Arms = Mapping[Reading, tuple[pd.Series, pd.Series, frozenset[str]]]
"""Each question's mean of two arms over chunkers, and these."""


def within_corpora(library: Library) -> pd.DataFrame:
    """Contextualized minus plain, each question's mean over the chunkers: over all of Chroma's
    corpora and in each, by window, and by the positions at which tokens are read.

    ``against in order`` and its interval and p say what the moved positions change themselves, over
    the chunkers read at both; they are missing where tokens are read in order.
    """
    arms, beside = _means_over_chunkers(library, WITHIN), _moved_and_in_order(library, WITHIN)
    corpora = _corpora(library)
    against_plain, against_order = (
        [
            pair
            for corpus in (ALL, *corpora)
            for pair in _pairs(found, {"corpus": corpus}, corpora.get(corpus))
        ]
        for found in (arms, beside)
    )

    def family(keys: Keys) -> str:
        over = "all corpora" if keys["corpus"] == ALL else "corpus by corpus"
        return f"mean over chunkers, {over}, {_how(keys)}"

    return _both(against_plain, against_order, family, ["corpus", *READING])


def within_papers(library: Library, parts: pd.DataFrame) -> pd.DataFrame:
    """The same within COVID-QA's papers, over the chunkers that were read at moved positions, with
    these models and windows alone. Papers are what is drawn, each with all its questions.

    Args:
        library: the records.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty.
    """
    papers = documents_of(parts)
    beside = _moved_and_in_order(library, covid_qa.WITHIN)
    chunkers = {read[:2]: moved_at for read, (*_, moved_at) in beside.items()}
    arms = _means_over_chunkers(library, covid_qa.WITHIN, chunkers)
    against_plain, against_order = (_pairs(found, {}, papers=papers) for found in (arms, beside))

    def family(keys: Keys) -> str:
        return f"mean over chunkers within papers, {_how(keys)}"

    return _both(against_plain, against_order, family, READING)


def _pairs(
    arms: Arms,
    corpus: Mapping[str, object],
    asked: pd.Index | None = None,
    papers: pd.Series | None = None,
) -> list[Pair]:
    """The first arm against the second at every reading, over the questions ``asked``."""
    return [
        Pair(
            {"measure": DCG, **corpus, **dict(zip(READING, read, strict=True)),
             "chunkers": len(chunkers)},
            first if asked is None else first[first.index.intersection(asked)],
            second,
            papers,
        )
        for read, (first, second, chunkers) in arms.items()
    ]  # fmt: skip


def _how(keys: Keys) -> str:
    read = IN_ORDER if keys["positions"] == IN_ORDER else "moved"
    return f"positions {read}, {reading.model(str(keys['encoder']))}"


def _both(
    against_plain: list[Pair],
    against_order: list[Pair],
    family: Callable[[Keys], str],
    shared: list[str],
) -> pd.DataFrame:
    """The differences from plain chunks, and beside them those from reading in order."""

    def control(keys: Keys) -> str:
        return f"against reading in order: {family(keys)}"

    table = differences(against_plain, family, "contextualized", "plain")
    moved = differences(against_order, control, "moved", IN_ORDER)
    if moved.empty:
        return table
    names = {"difference": AGAINST} | {name: f"{AGAINST} {name}" for name in BESIDE}
    both = table.merge(moved[[*shared, *names]].rename(columns=names), how="left", on=shared)
    return both.astype({f"{AGAINST} family_size": "Int64"})


def _means_over_chunkers(
    library: Library,
    collection: str,
    chunkers: Mapping[tuple[str, int], frozenset[str]] | None = None,
) -> Arms:
    """Contextualized and plain, over the chunkers that have both; with ``chunkers`` only over those
    named for an encoder and window."""
    found: dict[Reading, dict[str, tuple[pd.Series, pd.Series]]] = {}
    for late, record, plain in late_and_plain(library, collection):
        if not (reading.contextualized(late) or parse_ordering(late.ordering).at):
            continue
        read = late.encoder, reading.window(late.ordering), reading.positions(late.ordering)
        if chunkers is None or late.chunker in chunkers.get(read[:2], ()):
            found.setdefault(read, {})[late.chunker] = record.wide[DCG], plain.wide[DCG]
    in_turn = sorted(found, key=lambda read: (read[1], read[2] != IN_ORDER, read))
    return {read: _averaged(found[read]) for read in in_turn}


def _moved_and_in_order(library: Library, collection: str) -> Arms:
    """At moved positions and in order, over the chunkers read at both."""
    found: dict[Reading, dict[str, tuple[pd.Series, pd.Series]]] = {}
    for late, record, _ in late_and_plain(library, collection):
        window = reading.window(late.ordering)
        in_order = library.get(replace(late, ordering=f"{CONTEXTUALIZED}-{window}"))
        if parse_ordering(late.ordering).at and in_order is not None:
            read = late.encoder, window, reading.positions(late.ordering)
            found.setdefault(read, {})[late.chunker] = record.wide[DCG], in_order.wide[DCG]
    return {read: _averaged(pairs) for read, pairs in found.items()}


def _averaged(
    pairs: Mapping[str, tuple[pd.Series, pd.Series]],
) -> tuple[pd.Series, pd.Series, frozenset[str]]:
    firsts, seconds = zip(*pairs.values(), strict=True)
    return model_gains.mean(firsts), model_gains.mean(seconds), frozenset(pairs)


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
