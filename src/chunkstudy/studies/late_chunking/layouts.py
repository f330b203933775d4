"""How a document longer than the window is read: what each layout of windows gains over plain
chunks, and the layout that was chosen.

The choice follows a rule that was registered (results/predictions/layouts.md): the highest mean on
half of the papers of COVID-QA, reported on the other half. It was not blind: averaged windows had
been read before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.core.errors import StudyError
from chunkstudy.display import titles
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.studies.late_chunking.systems import AVERAGED, PLAIN, SystemScores, late

LAYOUTS = {"most context": "", "no overlap": "-0", "packed": "-packed", "averaged": AVERAGED}
"""How a layout's system ends, behind its window."""
SAME_WINDOW, READ_WHOLE = "plain chunks, same window", "plain chunks read whole"
EVERY = "all"


def systems(windows: Sequence[int]) -> list[str]:
    """Plain chunks read whole and in each window, and every layout in each window."""
    of_layouts = [late(window, end) for end in LAYOUTS.values() for window in windows]
    return [PLAIN, *(f"{PLAIN}-{window}" for window in windows), *of_layouts]


def halves(papers: SystemScores) -> tuple[SystemScores, SystemScores]:
    """The questions of the papers that choose, and those that are reported on.

    Raises:
        StudyError: if a layout has no record, or the collection does not say which document a
            question is asked of.
    """
    if papers.missing or papers.documents is None:
        lacks = ", ".join(map(titles.system, papers.missing)) or "the document of each question"
        raise StudyError(
            f"a layout is chosen among all on half of the papers, and {papers.collection} with "
            f"{titles.encoder(papers.model)} lacks {lacks}; covid-qa-within with all-MiniLM-L6-v2 "
            "has all"
        )
    chooses = papers.documents.reindex(papers.scores.index).map(covid_qa.chooses)
    first, second = (replace(papers, scores=papers.scores[half]) for half in (chooses, ~chooses))
    return first, second


def chosen(half: SystemScores, windows: Sequence[int]) -> tuple[str, pd.DataFrame]:
    """The layout of the highest mean on the half that chooses, and how far it leads the others.
    Where an interval includes 0 the two are tied, and by the rule the one that reads fewer tokens
    would be chosen; a question's score is its mean over windows."""
    best = max(LAYOUTS, key=lambda layout: _score(half, layout, windows).mean())
    others = [layout for layout in LAYOUTS if layout != best]
    return best, _leads(half, best, others, {EVERY: windows}, "the choice, {collection}")


def report(half: SystemScores, layout: str, windows: Sequence[int]) -> pd.DataFrame:
    """A layout against the others, against plain chunks in the same window and read whole, over all
    windows and in each."""
    others = [*(other for other in LAYOUTS if other != layout), SAME_WINDOW, READ_WHOLE]
    over = {EVERY: windows} | {str(window): [window] for window in windows}
    return _leads(half, layout, others, over, "the registered choice, {collection}")


def _leads(
    half: SystemScores,
    layout: str,
    others: Sequence[str],
    over: Mapping[str, Sequence[int]],
    family: str,
) -> pd.DataFrame:
    """A layout minus each other, over sets of windows by their names."""
    pairs = []
    for (name, windows), other in product(over.items(), others):
        keys = half.keys | {"layout": layout, "against": other, "window": name}
        first, second = (_score(half, one, windows) for one in (layout, other))
        pairs.append(Pair(keys, first, second, half.documents))
    return differences(pairs, family, "score", "other score")


def _score(half: SystemScores, name: str, windows: Sequence[int]) -> pd.Series:
    """Each question's mean over windows, of a layout or of plain chunks."""
    if name == READ_WHOLE:
        return half.scores[PLAIN]
    if name == SAME_WINDOW:
        columns = [f"{PLAIN}-{window}" for window in windows]
    else:
        columns = [late(window, LAYOUTS[name]) for window in windows]
    return half.scores[columns].mean(axis=1)
