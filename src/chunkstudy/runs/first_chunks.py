"""The first ten chunks of every question, as spans, so that another cut-off needs neither a run nor
a text.

Rankings of Chroma's records are too big to lie beside them all (``rankings.py``). Of the records
that pages show, ten ranks a question lie in ``results/first_chunks``, under the record's path; what
is judged stands in ``results/facts``. Nothing here is believed unless it gives the record's own
scores.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.runs import facts, parquet, rankings, records, rescore, scoring
from chunkstudy.runs.parquet import RecordError

DEPTH = 10
COLUMNS = ("query", "document", "start", "end")
CHECKED = "SpanRecall@5"


def write(places: Places, run: records.Run, ranking: pd.DataFrame) -> Path:
    """Keep the first chunks of a ranking of chunks.

    Raises:
        RecordError: if it does not give the scores of the study's record.
    """
    top = ranking[ranking.groupby("query").cumcount() < DEPTH]
    path = _path(places, run)
    parquet.write(path, top[list(COLUMNS)].astype(np.int32), COLUMNS)
    try:
        read(places, run)
    except RecordError:
        path.unlink()
        raise
    return path


def read(places: Places, run: records.Run) -> pd.DataFrame | None:
    """The first chunks of a record, ``query, document, start, end``, best first; None where none
    are kept.

    Raises:
        RecordError: if they do not give the record's scores.
    """
    path = _path(places, run)
    if not path.exists():
        return None
    found = parquet.read(path)
    own = records.read_in_order(places.runs / run.path, run)[CHECKED]
    given = values(places, run, CHECKED, found)
    if given is None or not np.array_equal(given.to_numpy(), own.to_numpy()):
        raise RecordError(f"{path} is not of the record {run.path}; remove it, or keep it anew")
    return found


def values(
    places: Places, run: records.Run, measure: str, ranking: pd.DataFrame
) -> pd.Series | None:
    """A measure of spans by query id, six decimals, from what is stored of the collection; None
    where that is nothing, or where the measure needs the text."""
    judged = facts.judged(places, run.collection)
    match = rescore.SPAN.fullmatch(measure)
    if judged is None or match is None or match[2] or int(match[3]) > rankings.DEPTH:
        return None
    hit = PROTOCOLS[run.protocol].hit
    found = rescore.of_spans(judged, hit, ranking, match[1], int(match[3]))
    ids = facts.read(places, run.collection)["query_id"]
    return scoring.six_decimals(pd.Series(found, ids))


def _path(places: Places, run: records.Run) -> Path:
    return places.results / "first_chunks" / f"{run.path}.parquet"
