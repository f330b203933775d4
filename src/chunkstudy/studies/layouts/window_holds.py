"""Which chunkers can late and plain chunking be compared on in windows of 512 tokens?

Plain chunks that are longer than the window are read up to its end, late ones whole, so that late
chunking also gains text there. Chunkers are chosen by that, and not by their scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import covid_qa
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.runs import records
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.layouts.reading import AVERAGED, Arms

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


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``chunkers``: of each collection and chunker with plain chunks by all-MiniLM-L6-v2 in windows
    of 512 tokens the ``chunks a document`` and, where these are more than ten, the fraction of the
    chunks' tokens that lie beyond the window (``unread``).

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
    """
    rows = []
    store = context.store(MINILM_512)
    encoder = cast(TokenEncoder, store.encoder)
    for condition, folder in records.find(context.places.runs).items():
        kept = (condition.encoder, condition.ordering, condition.protocol) == (
            MINILM_512,
            PRE_EMBEDDING,
            CORRECTED.name,
        )
        if not kept or condition.collection not in collections:
            continue
        run = records.read_run(folder)
        each, unread = run.counts.chunks / run.counts.documents, np.nan
        if each > DEPTH:
            context.say(f"chunks of {condition}")
            chunks = context.chunks(condition, store)
            if chunks.digest() != run.chunks_sha256:
                raise RuntimeError(f"{condition} has other chunks than its record; run it again")
            texts = chunks.texts(context.collection(condition.collection).documents)
            sizes = np.array([len(ids) for ids, _ in encoder.content(texts)])
            unread = np.maximum(sizes - (WINDOW - SPECIAL), 0).sum() / sizes.sum()
        rows.append(
            {"collection": condition.collection, "chunker": condition.chunker}
            | {"chunks a document": each, "unread": unread}
        )
    return {"chunkers": pd.DataFrame(rows)}


def judged(measured: pd.DataFrame, arms: Iterable[Arms]) -> pd.DataFrame:
    """Every chunker of :func:`tables`, and why it is ``left out`` of comparisons between models.

    Args:
        measured: in every collection that has the chunker; what holds in one holds in all.
        arms: every collection and model that is compared, averaged windows among its layouts.
    """
    of_each = measured.groupby("chunker")
    few = of_each["chunks a document"].transform("min") <= DEPTH
    cut = of_each["unread"].transform("max") >= LEAST_UNREAD
    read = [set(one.late[AVERAGED, max(one.plain)].columns) for one in arms]
    some = ~measured["chunker"].isin(set.intersection(*read))
    return measured.assign(**{"left out": np.select([few, cut, some], [FEW, CUT, SOME], "")})


def held(table: pd.DataFrame, reasons: Sequence[str] = ("",)) -> list[str]:
    """The chunkers of :func:`judged` that are left out for one of these reasons, or for none."""
    return [str(name) for name in table.loc[table["left out"].isin(reasons), "chunker"].unique()]
