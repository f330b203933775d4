"""The same tokens in the same order, read at other positions: what changes is owed to positions
and not to context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.encoding import parse_ordering
from chunkstudy.show.study import Study
from chunkstudy.studies.late_within.reading import cut, read

IN_ORDER, PLAIN = "late, positions in order", "plain"


def moved(
    study: Study,
    asked: Iterable[tuple[str, Sequence[str], str]],
    orderings: Sequence[str],
    measure: str,
    protocol: str,
) -> pd.DataFrame:
    """Late chunking at moved positions minus plain chunking and minus late chunking in order, each
    question's mean over the chunkers; a family is the orderings of one model against one of them.

    Args:
        asked: collections, chunkers there, and a model's hub id.
        orderings: such as ``contextualized-512-at-halved``, which has two tokens at a position.
    """
    windows = {one: parse_ordering(one).window for one in orderings}
    pairs = []
    for collection, chunkers, encoder in asked:
        sizes = sorted({*windows.values()})
        (arms,) = read(study, collection, chunkers, [encoder], sizes, [measure], protocol)
        for ordering, window in windows.items():
            runs = study.runs(collection, chunkers, encoder, window, protocol, ordering=ordering)
            scores = runs.scores(cut(measure), [measure]).wide(measure).mean(axis=1)
            for against, others in ((PLAIN, arms.plain), (IN_ORDER, arms.late)):
                keys = arms.keys | {"model": encoder, "window": window, "against": against}
                keys |= {"positions": "at-" + ordering.partition("-at-")[2]}
                other = others[encoder, window].mean(axis=1)
                pairs.append(Pair(keys, scores, other, arms.documents))

    family = "moved positions, {collection}, {measure}, {model}, {against}"
    return differences(pairs, family, "moved", "other")
