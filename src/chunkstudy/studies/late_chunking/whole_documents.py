"""What late chunking, BM25 and fusion gain where whole documents are looked for, over no chunking.

A document is ranked by its best chunk. On the meetings of QMSum, some 8,000 words each, chunking is
said to *matter* for a model if the best of its plain chunkers, chosen on one half of the meetings,
leads no chunking significantly on the other half (results/predictions/five_collections.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.evaluation.statistics.differences import HIGHER, Pair, differences
from chunkstudy.notebook.study import Study
from chunkstudy.pipeline.conditions import NONE
from chunkstudy.studies.late_chunking.systems import (
    AVERAGED,
    BOTH,
    PLAIN,
    WINDOW,
    WORDS,
    SystemScores,
    Tables,
    late,
    read,
)

MEASURE = "nDCG@10"
MEETINGS = "qmsum"
WHOLE, WORDS_OF_WHOLE = "no chunking", "BM25, no chunking"
"""The systems that cut nothing."""
UNCUT = {PLAIN: WHOLE, WORDS: WORDS_OF_WHOLE}
CUT = (PLAIN, late(WINDOW), late(WINDOW, AVERAGED), WORDS, BOTH)
COMPARED = [
    *((system, WHOLE) for system in (WORDS_OF_WHOLE, *CUT)),
    (late(WINDOW), PLAIN),
    (late(WINDOW, AVERAGED), PLAIN),
]


def read_documents(
    study: Study,
    chunkers: Mapping[str, Sequence[str]],
    encoders: Sequence[str],
    searched: Tables,
) -> list[SystemScores]:
    """Every collection and model with and without chunking, in windows of 512 tokens.

    Args:
        study: the notebook's.
        chunkers: by collection, those over which a question's score is a mean.
        encoders: hub ids.
        searched: the tables of the experiment ``word-search``.
    """
    of_documents = []
    for (collection, some), encoder in product(chunkers.items(), encoders):
        given = (study, [collection], [encoder])
        (cut,) = read(*given, some, CUT, MEASURE, searched)
        (uncut,) = read(*given, [NONE], list(UNCUT), MEASURE, searched)
        scores = pd.concat([cut.scores, uncut.scores.rename(columns=UNCUT)], axis=1)
        missing = (*cut.missing, *(UNCUT[system] for system in uncut.missing))
        # For finding documents the query is the unit of tests and intervals.
        of_documents.append(replace(cut, scores=scores, documents=None, missing=missing))
    return of_documents


def meetings(some: SystemScores) -> pd.Series | None:
    """By question of QMSum, the meeting whose id its own begins with; None of other collections."""
    if some.collection != MEETINGS or some.scores.empty:
        return None
    ids = some.scores.index.to_series()
    return ids.str.rpartition("-")[0]


def chunking_matters(
    study: Study, encoders: Sequence[str], chunkers: Sequence[str]
) -> pd.DataFrame:
    """Whether chunking matters on QMSum's meetings, a row a model that is recorded: the plain
    chunker that one half chooses minus no chunking on the other half, and ``matters``; no row where
    no chunker is given."""
    pairs = []
    for encoder in encoders if chunkers else ():
        of_each = {
            chunker: read(study, [MEETINGS], [encoder], [chunker], [PLAIN], MEASURE)[0]
            for chunker in (*chunkers, NONE)
        }
        if any(some.missing for some in of_each.values()):
            continue
        scores = pd.DataFrame({chunker: some.scores[PLAIN] for chunker, some in of_each.items()})
        asked_of = meetings(of_each[NONE])
        assert asked_of is not None
        chooses = asked_of.map(covid_qa.chooses)
        best = str(scores.loc[chooses, list(chunkers)].mean().idxmax())
        reported = scores[~chooses]
        keys = {"model": of_each[NONE].model, "measure": MEASURE, "chunker": best}
        pairs.append(Pair(keys, reported[best], reported[NONE]))
    rows = differences(pairs, "chunking whole meetings, {model}", "chunked", WHOLE)
    return rows.assign(matters=["yes" if shown == HIGHER else "no" for shown in rows["shown"]])
