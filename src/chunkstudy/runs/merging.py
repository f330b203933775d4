"""Records of another machine, added to those of this checkout."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from chunkstudy.base import places
from chunkstudy.runs import conditions, rankings, records
from chunkstudy.runs.records import RecordError


@dataclass
class Merged:
    """How many records were added, how many were here already, and of each that was refused why."""

    added: int = 0
    here: int = 0
    refused: list[str] = field(default_factory=list)


def merge(folder: Path) -> Merged:
    """Add the records below a folder that is laid out as ``results/runs``.

    A record is added whole or refused: where it is not whole, or where the same condition is
    recorded here with other scores.

    Raises:
        RecordError: if the folder holds no record.
    """
    sources = sorted(path for path in folder.glob("*/*/*/*/*") if path.is_dir())
    if not sources:
        raise RecordError(
            f"there is no record below {folder}; name a folder that is laid out as results/runs"
        )
    merged = Merged()
    for source in sources:
        try:
            added = _add(source, source.relative_to(folder).as_posix())
        except (ValueError, RuntimeError) as error:
            merged.refused.append(str(error))
            continue
        merged.added += added
        merged.here += not added
    return merged


def _add(source: Path, name: str) -> bool:
    """Add one record; False if it is here already.

    Raises:
        RecordError: if it is not whole, or recorded here with other scores.
        ValueError: if its path names no condition.
    """
    target = records.record_folder(conditions.parse(name))
    run = records.read_run(source)
    scores = records.read_in_order(source, run)
    if records.complete(target):
        digest = records.read_run(target).per_query_sha256
        if digest != run.per_query_sha256:
            raise RecordError(
                f"{name} is recorded here with other scores (digest {digest[:12]}, there "
                f"{run.per_query_sha256[:12]}); run it again on both machines to see which holds"
            )
        return False
    try:
        timing = records.read_timing(source)
    except (OSError, json.JSONDecodeError) as error:
        raise RecordError(
            f"{source / 'timing.json'} is missing or torn; copy the record again"
        ) from error
    outside = places.find().rankings
    ranking = rankings.load(source, outside, run.ranking)
    records.write(target, run, scores, timing, ranking, outside=outside)
    return True
