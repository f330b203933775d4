"""A context before each chunk, beside late chunking: what each gains, and whether they are alike.

Jina's second post says that contextual retrieval, where a language model writes a context for each
chunk, behaves like late chunking. Two things are asked of that. Do both gain the same, question by
question? And do they gain on the same questions: where one scores higher than plain chunking lets
expect, does the other? The second is a partial correlation, since two gains over the same plain
scores are correlated by these alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np
import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, Keys, Pair, differences
from chunkstudy.evaluation.statistics.intervals import Floats
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING, PREPENDED
from chunkstudy.runs.study_results import StudyError
from chunkstudy.show.scores import Scores
from chunkstudy.show.study import Study

LATE = "late"
WHERE = "{collection}, {model}, {chunkers} chunkers"
"""Of every family."""


@dataclass(frozen=True)
class Way:
    """One way to give chunks context.

    Attributes:
        keys: measure, collection and model.
        name: a context's source, or ``late-`` and the window.
        chunkers: the chunkers that its scores are over.
        scores: each question's mean over them, sorted by question.
        plain: the same without context, read in the same window.
        documents: by question the paper that it is asked of, where there are papers enough to draw.
    """

    keys: Mapping[str, object]
    name: str
    chunkers: tuple[str, ...]
    scores: pd.Series
    plain: pd.Series
    documents: pd.Series | None = None


def read(
    study: Study,
    measures: Mapping[str, str],
    encoders: Sequence[str],
    chunkers: Sequence[Sequence[str]],
    contexts: Sequence[str],
    windows: Sequence[int],
    protocol: str,
) -> list[Way]:
    """Every context by every model, then late chunking by window, over each set of chunkers. Where
    nothing may be computed, what has no record is left out.

    Args:
        study: runs them.
        measures: by collection, with its cut-off.
        chunkers: sets of them; a question's score is its mean over one.
        contexts: their sources, as orderings name them.
        windows: tokens read at once; a chunk and its context are read in the last.

    Raises:
        StudyError: if nothing at all is there.
    """
    found = [
        way
        for where in product(measures.items(), encoders, map(tuple, chunkers))
        for way in _ways(study, *where, contexts, windows, protocol)
    ]
    if not found:
        raise StudyError('nothing of this has a record; compute="missing" runs it')
    return found


def gains(ways: Sequence[Way]) -> pd.DataFrame:
    """What each way gains over plain chunking, a row each; late chunking over several chunkers,
    since another page asks of each by itself."""
    pairs = [
        Pair(
            {**way.keys, "context": way.name, "chunkers": len(way.chunkers)},
            way.scores,
            way.plain,
            way.documents,
        )
        for way in ways
        if len(way.chunkers) > 1 or not way.name.startswith(LATE)
    ]

    def family(keys: Keys) -> str:
        way = LATE if str(keys["context"]).startswith(LATE) else "contexts"
        return f"{way}, {WHERE}".format_map(keys)

    return differences(pairs, family, "with context", "plain")


def alike(ways: Sequence[Way]) -> pd.DataFrame:
    """Every two ways over the same chunkers: the gain of one minus that of the other, and the
    partial correlation of their scores given plain chunking. Contexts against each other are what
    contexts against late chunking are to be held against."""
    pairs, sides = [], []
    for one, other in combinations(ways, 2):
        same = (one.keys, one.chunkers) == (other.keys, other.chunkers)
        if same and not one.name.startswith(LATE):
            keys = {**one.keys, "context": one.name, "beside": other.name}
            keys |= {"chunkers": len(one.chunkers)}
            gain, beside = (way.scores - way.plain for way in (one, other))
            pairs.append(Pair(keys, gain, beside, one.documents))
            sides.append(left_of(one.scores, other.scores, one.plain, other.plain))

    def family(keys: Keys) -> str:
        late = str(keys["beside"]).startswith(LATE)
        question = "contexts against late chunking" if late else "contexts against each other"
        return f"{question}, {WHERE}".format_map(keys)

    table = differences(pairs, family, "gain", "gain beside")
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


def _ways(
    study: Study,
    where: tuple[str, str],
    encoder: str,
    chunkers: tuple[str, ...],
    contexts: Sequence[str],
    windows: Sequence[int],
    protocol: str,
) -> Iterator[Way]:
    collection, measure = where

    @cache
    def scores(window: int, ordering: str) -> Scores | None:
        asked = (collection, chunkers, encoder, window, protocol)
        if not study.can_run(*asked, ordering=ordering):
            return None
        return study.runs(*asked, ordering=ordering).by(measure)

    wide = windows[-1]
    asked = {one: (wide, f"{PREPENDED}-{one}") for one in contexts}
    if not any(scores(*one) for one in asked.values()):
        return
    asked |= {f"{LATE}-{size}": (size, f"{CONTEXTUALIZED}-{size}") for size in windows}
    keys = {"measure": measure, "collection": collection, "model": encoder}
    for name, (window, ordering) in asked.items():
        own, plain = scores(window, ordering), scores(window, PRE_EMBEDDING)
        if own is not None and plain is not None:
            papers = own.documents
            enough = papers is not None and papers.nunique() >= FEWEST_DOCUMENTS
            with_it, without = (one.wide(measure).mean(axis=1).sort_index() for one in (own, plain))
            yield Way(keys, name, chunkers, with_it, without, papers if enough else None)
