"""The same tokens in the same order, read at other positions: what changes is owed to positions
and not to context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from chunkstudy import Study
from chunkstudy.analysis.paired import Keys, Pair, differences
from chunkstudy.grid.encoding import parse_ordering
from chunkstudy.studies.late_within.reading import Arms, cut

IN_ORDER, PLAIN = "late, positions in order", "plain"


def moved(
    study: Study, asked: Iterable[tuple[Arms, str]], orderings: Sequence[str], protocol: str
) -> pd.DataFrame:
    """Late chunking at moved positions minus plain chunking and minus late chunking in order, each
    question's mean over the chunkers; a family is the orderings of one model against one of them.

    Args:
        study: the notebook's.
        asked: of which collection, with the windows of the orderings, and which model.
        orderings: such as ``contextualized-512-at-halved``, which has two tokens at a position.
        protocol: whose rules.
    """
    pairs = []
    for arms, encoder in asked:
        for ordering in orderings:
            window = parse_ordering(ordering).window
            runs = study.runs(
                arms.collection, arms.chunkers, encoder, window, protocol, ordering=ordering
            )
            scores = runs.scores(cut(arms.measure), [arms.measure]).wide(arms.measure)
            for against, others in ((PLAIN, arms.plain), (IN_ORDER, arms.late)):
                keys = arms.keys | {
                    "model": encoder,
                    "window": window,
                    "positions": "at-" + ordering.partition("-at-")[2],
                    "against": against,
                }
                other = others[encoder, window].mean(axis=1)
                pairs.append(Pair(keys, scores.mean(axis=1), other, arms.documents))

    def family(keys: Keys) -> str:
        of = ("collection", "measure", "model", "against")
        return "moved positions, " + ", ".join(str(keys[name]) for name in of)

    return differences(pairs, family, "moved", "other")
