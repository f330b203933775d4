"""Records of another machine, added to those of this checkout."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from chunkstudy.base import places
from chunkstudy.runs import records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.records import RecordError


@dataclass
class Merged:
    """How many records were added, how many were here already, and of each that was refused why."""

    added: int = 0
    here: int = 0
    refused: list[str] = field(default_factory=list)


def merge(folder: Path) -> Merged:
    """Add the records of a folder that is laid out as ``results/runs``.

    A record is added whole or refused: where it is not whole, or where the same condition is
    recorded here with other scores.

    Raises:
        RecordError: if the folder holds no record, or a table of conditions is not whole.
    """
    conditions = records.find(folder)
    if not conditions:
        raise RecordError(
            f"there is no record below {folder}; name a folder that is laid out as results/runs"
        )
    merged = Merged()
    for condition in conditions:
        try:
            added = _add(folder, condition)
        except RecordError as error:
            merged.refused.append(str(error))
            continue
        merged.added += added
        merged.here += not added
    return merged


def _add(folder: Path, condition: Condition) -> bool:
    """Add one record; False if it is here already.

    Raises:
        RecordError: if it is not whole, or recorded here with other scores.
    """
    source, target = records.read(folder, condition), records.runs_of(condition)
    scores, outside = source.scores, places.find().rankings
    if records.complete(target, condition):
        digest = records.read(target, condition).run.per_query_sha256
        if digest != source.run.per_query_sha256:
            raise RecordError(
                f"{condition} is recorded here with other scores (digest {digest[:12]}, there "
                f"{source.run.per_query_sha256[:12]}); run it again on both machines to see which "
                "holds"
            )
        return False
    ranking = source.ranking(outside)
    records.write(target, source.run, scores, source.timing, ranking, outside=outside)
    return True
