"""Records of another machine, added to those of this checkout."""

from __future__ import annotations

from pathlib import Path

from chunkstudy.base import places
from chunkstudy.runs import records
from chunkstudy.runs.records import RecordError


def merge(folder: Path) -> tuple[int, int, list[str]]:
    """Add the records of a folder that is laid out as ``results/runs``: how many were added, how
    many were here already, and of each that was refused why.

    A record is refused where it is not whole, or where the same condition is recorded here with
    other scores.

    Raises:
        RecordError: if the folder holds no record, or a table of conditions is not whole.
    """
    added, already, refused = 0, 0, []
    for condition in records.find(folder):
        target, outside = records.runs_of(condition), places.find().rankings
        try:
            record = records.read(folder, condition)
            scores, ranking = record.scores, record.ranking(outside)
            if not records.complete(target, condition):
                records.write(target, record.run, scores, record.timing, ranking, outside=outside)
                added += 1
                continue
            digest, other = (
                source.run.per_query_sha256[:12]
                for source in (records.read(target, condition), record)
            )
            if digest != other:
                raise RecordError(
                    f"{condition} is recorded here with other scores (digest {digest}, there "
                    f"{other}); run it again on both machines to see which holds"
                )
            already += 1
        except RecordError as error:
            refused.append(str(error))
    if not added + already + len(refused):
        raise RecordError(
            f"there is no record below {folder}; name a folder that is laid out as results/runs"
        )
    return added, already, refused
