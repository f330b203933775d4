"""Which chunkers can late and plain chunking be compared on in windows of 512 tokens?

Plain chunks that are longer than the window are read up to its end, late ones whole, so that late
chunking also gains text there. Chunkers are chosen by that, and not by their scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.late_chunking.chunks import recorded, sizes
from chunkstudy.studies.late_chunking.systems import AVERAGED, MINILM, Systems, slug
from chunkstudy.study.study import Tables

NAME = "window-holds"
COLLECTIONS = ("chroma-within", covid_qa.WITHIN)
WINDOW = 512
DEPTH = 10
"""Chunks a document up to which DCG@10 ranks the whole document."""
LEAST_UNREAD = 0.04
"""Share of the tokens of plain chunks beyond the window from which a chunker is left out."""
FEW = f"{DEPTH} chunks a document or fewer"
CUT = f"{LEAST_UNREAD:.0%} or more of its tokens unread"
SOME = "not read by every model"
"""Why a chunker is left out."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> Tables:
    """``chunkers``: of each collection and chunker with plain chunks by all-MiniLM-L6-v2 in windows
    of 512 tokens the ``chunks a document`` and, where these are more than ten, the fraction of the
    chunks' tokens that lie beyond the window (``unread``).

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
    """
    rows = []
    encoder = slug(MINILM, WINDOW)
    store = context.store(encoder)
    for condition, run in recorded(context, collections):
        if condition.encoder != encoder:
            continue
        each, unread = run.counts.chunks / run.counts.documents, np.nan
        if each > DEPTH:
            _, tokens = sizes(context, condition, run, store)
            unread = np.maximum(tokens - (WINDOW - SPECIAL), 0).sum() / tokens.sum()
        rows.append(
            {"collection": condition.collection, "chunker": condition.chunker}
            | {"chunks a document": each, "unread": unread}
        )
    return {"chunkers": pd.DataFrame(rows)}


def judged(measured: pd.DataFrame, systems: Iterable[Systems]) -> pd.DataFrame:
    """Every chunker of :func:`tables`, and why it is ``left out`` of comparisons between models.

    Args:
        measured: in every collection that has the chunker; what holds in one holds in all.
        systems: every collection and model that is compared, averaged windows among its layouts.
    """
    of_each = measured.groupby("chunker")
    few = of_each["chunks a document"].transform("min") <= DEPTH
    cut = of_each["unread"].transform("max") >= LEAST_UNREAD
    read = [set(system.late[AVERAGED, system.widest].columns) for system in systems]
    some = ~measured["chunker"].isin(set.intersection(*read))
    return measured.assign(**{"left out": np.select([few, cut, some], [FEW, CUT, SOME], "")})


def holds(table: pd.DataFrame, reasons: Sequence[str] = ("",)) -> list[str]:
    """The chunkers of :func:`judged` that are left out for one of these reasons, or for none."""
    return [str(name) for name in table.loc[table["left out"].isin(reasons), "chunker"].unique()]
