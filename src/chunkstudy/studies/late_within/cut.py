"""Late chunking apart by what the window cuts.

A chunk embedded by itself is read up to the window; late chunking reads all of it. So chunkers
whose chunks all fit a window are held apart from those with chunks that it cuts, and, question by
question, answers in chunks that are read whole from answers in chunks that are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.show.study import Tables
from chunkstudy.studies.late_within.cut_chunks import DIGITS
from chunkstudy.studies.late_within.reading import EVERY, Arms, Cell

FIT, CUT = "chunkers whose chunks fit", "chunkers whose chunks are cut"
WHOLE, TRUNCATED = "answers in chunks read whole", "answers in chunks that are cut"


def by_cut(arms: Iterable[Arms], measured: Tables) -> pd.DataFrame:
    """Late minus plain, each question's mean over a group's chunkers, by window; a family is the
    windows of one model by one measure over one group.

    Args:
        arms: of the collection that was measured.
        measured: the tables of the experiment ``cut-chunks``.
    """
    pairs = [
        Pair(
            {"measure": one.measure, "model": cell[0], "window": cell[1], "over": over}
            | {"chunkers": int(counted.any().sum())},
            one.late[cell].where(counted).mean(axis=1),
            plain.where(counted).mean(axis=1),
        )
        for one in arms
        for cell, plain in one.plain.items()
        for over, counted in _groups(plain, cell, one.chunks[cell].str[:DIGITS], measured)
    ]
    family = "the windows by {measure}, {over}, {model}"
    found = differences(pairs, family, "contextualized", "plain")
    return found.sort_values(["measure", "over", "model"], kind="stable", ignore_index=True)


def _groups(
    scores: pd.DataFrame, cell: Cell, chunks: pd.Series, measured: Tables
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Which scores each group's mean is over, shape (questions, chunkers); groups without any are
    left out."""
    model, window = cell
    cut, needs = (
        one[one["model"] == model] for one in (measured["chunkers"], measured["questions"])
    )
    share = cut[cut["window"] == window].set_index("chunks")["cut"]
    size = needs.pivot_table(index="query_id", columns="chunks", values="needs")
    size = size.set_axis(size.index.astype(str)).reindex(index=scores.index, columns=chunks)
    size = size.set_axis(chunks.index, axis=1)
    every = scores.notna()
    is_cut = chunks.map(share) > 0
    found = {
        EVERY: every,
        FIT: every & ~is_cut,
        CUT: every & is_cut,
        WHOLE: every & (size <= window),
        TRUNCATED: every & (size > window),
    }
    yield from ((over, counted) for over, counted in found.items() if counted.any(axis=None))
