"""COVID-QA, each paper searched by itself: what late chunking gains and which chunker is best.

Questions of one paper share its text, so papers are what is drawn, each with all its questions.

Families, each for one encoder, window and measure: the chunkers' gains; the other chunkers against
paragraphs, for each ordering. Means over chunkers stand where models are compared (models.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.paired import Keys, Pair, differences, documents_of
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.grids import OWN
from chunkstudy.grid.library import Library

MEASURES = ("DCG@10", "SpanRecall@5")
PARAGRAPH = "paragraph"
ALL, REAL = "all", "with paragraphs"
"""All papers, or without those whose line breaks end lines of print."""


def gains(library: Library, parts: pd.DataFrame) -> pd.DataFrame:
    """Contextualized minus plain by window and chunker.

    Args:
        library: the records.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty.
    """
    papers = documents_of(parts)
    pairs = [
        pair
        for late in _late(library)
        for measure in MEASURES
        if (pair := _pair(library, measure, late, replace(late, ordering=PRE_EMBEDDING), papers))
    ]

    def family(keys: Keys) -> str:
        return f"late chunking within papers, the chunkers, {_read(keys)}"

    return differences(pairs, family, "contextualized", "plain")


def with_papers(pairs: Iterable[Pair], parts: pd.DataFrame) -> Iterator[Pair]:
    """The pairs, those whose ``collection`` is COVID-QA with the paper of every question.

    Args:
        pairs: comparisons whose keys name a ``collection``.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty.
    """
    papers = documents_of(parts)
    for pair in pairs:
        of_papers = pair.keys["collection"] in (covid_qa.WITHIN, covid_qa.ALL)
        yield replace(pair, documents=papers) if of_papers else pair


def against_paragraphs(library: Library, parts: pd.DataFrame) -> pd.DataFrame:
    """Every other chunker minus paragraphs, by ordering and window, in all papers and in those
    whose line breaks end paragraphs.

    Args:
        library: the records.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty.
    """
    papers = documents_of(parts)
    pairs = []
    for one in library:
        in_order = one.ordering == PRE_EMBEDDING or reading.contextualized(one)
        if not _ours(one) or not in_order or one.chunker == PARAGRAPH:
            continue
        for measure in MEASURES:
            if pair := _pair(library, measure, one, replace(one, chunker=PARAGRAPH), papers):
                pairs.append(replace(pair, keys={**pair.keys, "papers": ALL}))
                of_print = parts.loc[parts["part"].isin(covid_qa.LINES_OF_PRINT), "query_id"]
                first = pair.first.drop(of_print, errors="ignore")
                pairs.append(replace(pair, keys={**pair.keys, "papers": REAL}, first=first))

    def family(keys: Keys) -> str:
        ordering = str(keys["ordering"]).split("-")[0]
        return f"against paragraphs, {ordering}, papers: {keys['papers']}, {_read(keys)}"

    return differences(pairs, family, "mean", "mean of paragraphs")


def _pair(
    library: Library, measure: str, one: Condition, other: Condition, papers: pd.Series | None
) -> Pair | None:
    first, second = library.get(one), library.get(other)
    if first is None or second is None:
        return None
    keys = {
        "measure": measure,
        "encoder": one.encoder,
        "window": reading.window(one.ordering) or reading.reach(one.encoder),
        "ordering": one.ordering,
        "chunker": one.chunker,
    }
    return Pair(keys, first.wide[measure], second.wide[measure], papers)


def _late(library: Library) -> list[Condition]:
    found = [one for one in library if _ours(one) and reading.contextualized(one)]
    return sorted(found, key=lambda one: (reading.window(one.ordering), one))


def _ours(one: Condition) -> bool:
    return one.collection == covid_qa.WITHIN and one.protocol == OWN


def _read(keys: Keys) -> str:
    return (
        f"{keys['measure']}, {reading.model(str(keys['encoder']))} reading {keys['window']} tokens"
    )
