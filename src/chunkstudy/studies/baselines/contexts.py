"""What a context before each chunk gains, beside late chunking.

Jina's second post says that contextual retrieval, where a language model writes a context for each
chunk, behaves like late chunking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import pandas as pd

from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, Keys, Pair, differences
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING, PREPENDED
from chunkstudy.runs.study_results import StudyError
from chunkstudy.study.scores import Scores
from chunkstudy.study.study import Study

LATE = "late"


def context_gains(
    study: Study,
    measures: Mapping[str, str],
    encoders: Sequence[str],
    chunkers: Sequence[Sequence[str]],
    sources: Sequence[str],
    windows: Sequence[int],
    protocol: str = "corrected",
) -> pd.DataFrame:
    """Every context by every model minus plain chunks read in the same window, a row each, over
    each set of chunkers; then late chunking by window, over several chunkers, since another page
    asks of each by itself. Where nothing may be computed, what has no record is left out.

    Args:
        study: runs them.
        measures: by collection, with its cut-off.
        encoders: hub ids.
        chunkers: sets of them; a question's score is its mean over one.
        sources: of contexts, as orderings name them.
        windows: tokens read at once; a chunk and its context are read in the last.
        protocol: whose rules.

    Raises:
        StudyError: if nothing at all is there.
    """
    pairs = [
        pair
        for (collection, measure), encoder, some in product(measures.items(), encoders, chunkers)
        for pair in _pairs(
            study, (collection, tuple(some), encoder), measure, sources, windows, protocol
        )
    ]
    if not pairs:
        raise StudyError('nothing of this has a record; compute="missing" runs it')
    return differences(pairs, _family, "with context", "plain")


def _pairs(
    study: Study,
    where: tuple[str, tuple[str, ...], str],
    measure: str,
    sources: Sequence[str],
    windows: Sequence[int],
    protocol: str,
) -> Iterator[Pair]:
    """Those of a collection, a set of chunkers and a model."""
    collection, chunkers, encoder = where

    @cache
    def scores(window: int, ordering: str) -> Scores | None:
        if not study.can_run(*where, window, protocol, ordering=ordering):
            return None
        return study.runs(*where, window, protocol, ordering=ordering).by(measure)

    read = {source: (windows[-1], f"{PREPENDED}-{source}") for source in sources}
    if not any(scores(*how) for how in read.values()):
        return
    if len(chunkers) > 1:
        read |= {f"{LATE}-{size}": (size, f"{CONTEXTUALIZED}-{size}") for size in windows}
    for name, (window, ordering) in read.items():
        own, plain = scores(window, ordering), scores(window, PRE_EMBEDDING)
        if own is not None and plain is not None:
            keys = {"measure": measure, "collection": collection, "model": encoder,
                    "context": name, "chunkers": len(chunkers)}  # fmt: skip
            papers = own.documents
            enough = papers is not None and papers.nunique() >= FEWEST_DOCUMENTS
            first, second = (
                system.wide(measure).mean(axis=1).sort_index() for system in (own, plain)
            )
            yield Pair(keys, first, second, papers if enough else None)


def _family(keys: Keys) -> str:
    way = LATE if str(keys["context"]).startswith(LATE) else "contexts"
    return f"{way}, {{collection}}, {{model}}, {{chunkers}} chunkers".format_map(keys)
