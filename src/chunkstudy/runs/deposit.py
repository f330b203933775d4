"""What leaves the repository: per-query scores as text, and one archive to deposit."""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from chunkstudy.base.files import replacing
from chunkstudy.base.places import Places
from chunkstudy.runs import rankings, records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library

COLUMNS = (
    "collection", "chunker", "encoder", "ordering", "protocol", "query_id", "measure", "value",
)  # fmt: skip
FILES = ("run.json", records.SCORES, "timing.json")


def export_csv(path: Path, conditions: Iterable[Condition], library: Library) -> int:
    """Write a line per condition, query and measure, values with six decimals; returns how many.

    A query without a value has no line.
    """
    lines = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for condition in conditions:
            record = library.get(condition)
            if record is None:
                continue
            for measure, values in record.wide.items():
                rows = [
                    (*condition.path.parts, query, measure, f"{value:.6f}")
                    for query, value in values.items()
                    if not np.isnan(value)
                ]
                writer.writerows(rows)
                lines += len(rows)
    return lines


def archive(path: Path, places: Places) -> tuple[int, list[Condition]]:
    """Pack every record, and every ranking that is at hand, into a tar file.

    The same content gives the same bytes: members are sorted, and owner and time are fixed.
    Records stand under ``runs``; rankings from outside the repository under ``rankings``, named by
    their digest. What is not whole is refused.

    Returns:
        How many files were packed, and the conditions whose kept ranking is not at hand.
    """
    members: dict[str, Path] = {}
    missing = []
    for condition, folder in records.find(places.runs).items():
        run = records.read_run(folder)
        records.read_scores(folder, run)
        for name in FILES:
            members[f"runs/{condition}/{name}"] = folder / name
        if run.ranking is None:
            continue
        found = rankings.find(folder, places.rankings, run.ranking)
        if found is None:
            missing.append(condition)
            continue
        rankings.read(found, run.ranking)
        inside = found.parent == folder
        members[f"runs/{condition}/{found.name}" if inside else f"rankings/{found.name}"] = found
    with replacing(path) as temporary, tarfile.open(temporary, "w") as tar:
        for name, file in sorted(members.items()):
            content = file.read_bytes()
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return len(members), missing
