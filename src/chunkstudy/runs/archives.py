"""Records that leave this machine: all of them to deposit, some to hand in, their scores as text;
and those that come from another."""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from chunkstudy.base.files import json_text, replacing
from chunkstudy.base.places import Places
from chunkstudy.runs import rankings, records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library

FILE = "handed_in.json"
LARGEST = 2 * 1024**3
"""Bytes that an archive may unpack to."""
COLUMNS = (
    "collection", "chunker", "encoder", "ordering", "protocol", "query_id", "measure", "value",
)  # fmt: skip
Told = Annotated[str, Field(min_length=2, max_length=200)]


class HandingInError(ValueError):
    """What cannot be packed or unpacked; the message says why."""


class HandedIn(BaseModel):
    """Who made a record, on what, and when, in their own words."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    by: Told
    machine: Told
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    note: Annotated[str, Field(max_length=1000)] = ""

    @classmethod
    def read(cls, folder: Path) -> HandedIn:
        """What stands beside a record.

        Raises:
            HandingInError: if it is missing or not whole.
        """
        try:
            return cls.model_validate_json((folder / FILE).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise HandingInError(
                f"nobody says who ran {folder}; pack records with `chunkstudy pack`"
            ) from error
        except ValueError as error:
            raise HandingInError(f"{folder / FILE} does not say who ran this: {error}") from error


def archive(path: Path, places: Places) -> tuple[int, list[Condition]]:
    """Pack every record, and every ranking that is at hand, into a tar file.

    Returns:
        How many files were packed, and the conditions whose kept ranking is not at hand.
    """
    members: dict[str, Path | bytes] = {}
    missing = []
    for condition in records.find(places.runs):
        found, whole = _members(condition, places)
        members |= found
        missing += [] if whole else [condition]
    _write(path, members)
    return len(members), missing


def pack(
    path: Path, conditions: Iterable[Condition], places: Places, told: HandedIn
) -> tuple[int, int]:
    """Pack recorded conditions with their rankings, and who made them, into a tar file.

    Returns:
        How many records were packed, and how many bytes the archive has.

    Raises:
        HandingInError: if there is nothing to pack, or a ranking that a record names is not here.
        RecordError: if a record is not whole.
    """
    members: dict[str, Path | bytes] = {}
    count = 0
    for count, condition in enumerate(conditions, start=1):  # noqa: B007 - counted below
        found, whole = _members(condition, places)
        if not whole:
            raise HandingInError(
                f"the ranking of {condition} lies neither beside its record nor in "
                f"{places.rankings}; `chunkstudy run --only '{condition}' --again` makes one"
            )
        members |= {**found, f"runs/{condition}/{FILE}": json_text(told.model_dump()).encode()}
    if not count:
        raise HandingInError("none of these conditions is recorded; run them first")
    _write(path, members)
    return count, path.stat().st_size


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A folder of records as it is, or an archive's content in a folder that goes away.

    Raises:
        HandingInError: if there is no such thing, if it is no archive, or one that would write
            outside of its folder or more than ``LARGEST``.
    """
    if path.is_dir():
        yield path
        return
    try:
        with tarfile.open(path) as tar, TemporaryDirectory() as folder:
            if sum(member.size for member in tar.getmembers()) > LARGEST:
                raise HandingInError(f"{path} unpacks to more than {LARGEST:,} bytes; hand in less")
            tar.extractall(folder, filter="data")
            yield Path(folder)
    except FileNotFoundError as error:
        raise HandingInError(
            f"there is no {path}; name a folder of records or an archive"
        ) from error
    except tarfile.TarError as error:
        said = " ".join(str(error).split())
        raise HandingInError(f"{path} is no archive of `chunkstudy pack` ({said})") from error


def export_csv(path: Path, conditions: Iterable[Condition], library: Library) -> int:
    """Write a line per condition, query and measure, values with six decimals; returns how many.

    A query without a value has no line.
    """
    lines = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for condition in conditions:
            if (record := library.get(condition)) is None:
                continue
            for measure, values in record.wide.items():
                given = values.dropna()
                lines += len(given)
                writer.writerows(
                    (*condition.path.parts, query, measure, f"{value:.6f}")
                    for query, value in given.items()
                )
    return lines


def _members(condition: Condition, places: Places) -> tuple[dict[str, Path], bool]:
    """A record's files by their name in an archive, and whether its ranking is among them.

    Records stand under ``runs``; rankings from outside the repository under ``rankings``, named by
    their digest.

    Raises:
        RecordError: if it is not whole.
    """
    folder = places.runs / condition.path
    run = records.read_run(folder)
    records.read_scores(folder, run)
    names = ("run.json", records.SCORES, "timing.json")
    members = {f"runs/{condition}/{name}": folder / name for name in names}
    if run.ranking is None:
        return members, True
    found = rankings.find(folder, places.rankings, run.ranking)
    if found is None:
        return members, False
    rankings.read(found, run.ranking)
    inside = f"runs/{condition}" if found.parent == folder else "rankings"
    return members | {f"{inside}/{found.name}": found}, True


def _write(path: Path, members: Mapping[str, Path | bytes]) -> None:
    """The same content gives the same bytes: members are sorted, owner and time are fixed."""
    with replacing(path) as temporary, tarfile.open(temporary, "w") as tar:
        for name, given in sorted(members.items()):
            content = given if isinstance(given, bytes) else given.read_bytes()
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
