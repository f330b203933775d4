"""Records that leave one machine for another: packed with who made them and on what, unpacked."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base.files import json_text, replacing
from chunkstudy.base.places import Places
from chunkstudy.runs import rankings, records
from chunkstudy.runs.conditions import Condition

FILE = "handed_in.json"
LARGEST = 2 * 1024**3
"""Bytes that an archive may unpack to."""
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
            content = json.loads((folder / FILE).read_text(encoding="utf-8"))
            return cls.model_validate(content)
        except FileNotFoundError as error:
            raise HandingInError(
                f"nobody says who ran {folder}; pack records with `chunkstudy pack`"
            ) from error
        except (ValidationError, ValueError) as error:
            raise HandingInError(f"{folder / FILE} does not say who ran this: {error}") from error


def pack(
    path: Path, conditions: Iterable[Condition], places: Places, told: HandedIn
) -> tuple[int, int]:
    """Write recorded conditions with their rankings into a tar file; what is not whole is refused.

    The same content gives the same bytes.

    Returns:
        How many records were packed, and how many bytes the archive has.

    Raises:
        HandingInError: if there is nothing to pack, or a ranking that a record names is not here.
        RecordError: if a record is not whole.
    """
    members: dict[str, bytes] = {}
    count = 0
    for condition in conditions:
        folder = places.runs / condition.path
        run = records.read_run(folder)
        records.read_scores(folder, run)
        for name in ("run.json", records.SCORES, "timing.json"):
            members[f"runs/{condition}/{name}"] = (folder / name).read_bytes()
        members[f"runs/{condition}/{FILE}"] = json_text(told.model_dump()).encode()
        count += 1
        if run.ranking is None:
            continue
        found = rankings.find(folder, places.rankings, run.ranking)
        if found is None:
            raise HandingInError(
                f"the ranking of {condition} lies neither beside its record nor in "
                f"{places.rankings}; `chunkstudy run --only '{condition}' --again` makes one"
            )
        rankings.read(found, run.ranking)
        inside = found.parent == folder
        name = f"runs/{condition}/{found.name}" if inside else f"rankings/{found.name}"
        members[name] = found.read_bytes()
    if not count:
        raise HandingInError("none of these conditions is recorded; run them first")
    with replacing(path) as temporary, tarfile.open(temporary, "w") as tar:
        for name, content in sorted(members.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
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
        raise HandingInError(f"{path} is no archive of `chunkstudy pack` ({error})") from error
