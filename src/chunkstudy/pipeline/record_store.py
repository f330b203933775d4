"""Every record of the study by condition, and those of another machine that are added to them."""

from __future__ import annotations

from pathlib import Path

from chunkstudy.core.errors import RecordError
from chunkstudy.core.project import Project
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.records import Outcome, Record


class Library(dict[Condition, Record]):
    """The records below ``results/runs``; build it once and pass it on.

    Raises:
        RecordError: if a table of conditions is not whole, or of another schema version.
    """

    def __init__(self, places: Project) -> None:
        self.places = places
        super().__init__(
            (condition, records.read(places.runs, condition))
            for condition in records.find(places.runs)
        )


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
        target = records.runs_of(condition)
        try:
            record = records.read(folder, condition)
            outcome = Outcome(record.run, record.scores, record.timing, record.ranking())
            if not records.complete(target, condition):
                records.write(target, outcome)
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
