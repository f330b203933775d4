"""Where a real collection's files come from: CHUNKSTUDY_DATA, the user's cache, or a download.

Every file is checked by sha256, wherever it was found.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import sha256
from chunkstudy.core.settings import Settings


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a collection: its place in the data folder, its public home, its digest, which
    is empty where only what is made of the file is pinned."""

    path: str
    url: str
    sha256: str


LISTS = files("chunkstudy") / "data" / "sources"


def lines(collection: str) -> list[str]:
    """What ``data/sources`` says of a collection's files, a line a file."""
    return (LISTS / f"{collection}.txt").read_text(encoding="utf-8").splitlines()


def listed(collection: str) -> dict[str, str]:
    """The files of a collection by name, each with its sha256, as pooch writes its registries."""
    return dict(line.rsplit(" ", 1) for line in lines(collection))


def cache_folder() -> Path:
    """Downloads go here: CHUNKSTUDY_CACHE, else the user's cache folder."""
    return Settings.from_env().cache_folder


def find(path: str) -> Path | None:
    """The file of this name in the data folder, else in the cache; None when it is in neither."""
    places = [cache_folder() / path]
    if data := Settings.from_env().data:
        places.insert(0, data / path)
    return next((place for place in places if place.is_file()), None)


def fetch(source: SourceFile) -> Path:
    """The file, downloaded at its pinned revision if it is not here yet.

    Raises:
        ResourceError: if it can be found nowhere or has another digest.
    """
    if path := find(source.path):
        if source.sha256 and sha256(path) != source.sha256:
            raise ResourceError(
                f"{path} has another sha256 than the pinned {source.path}; delete it to have it "
                "fetched again"
            )
        return path
    import pooch  # late: most that import this never download

    target = cache_folder() / source.path
    try:
        pooch.retrieve(
            source.url,
            known_hash=f"sha256:{source.sha256}" if source.sha256 else None,
            fname=target.name,
            path=target.parent,
        )
    except ValueError as error:
        raise ResourceError(
            f"{source.url} gave a file with another sha256 than expected; nothing was kept, "
            "try again or put the right file under $CHUNKSTUDY_DATA/" + source.path
        ) from error
    except Exception as error:
        raise ResourceError(
            f"{source.path} is neither under CHUNKSTUDY_DATA nor in the cache and could not be "
            "downloaded; set CHUNKSTUDY_DATA to a folder that has it, or go online once"
        ) from error
    return target


def listed_file(collection: str, path: str, home: str) -> SourceFile:
    """One of the listed files of a collection, which lies at the same path below its home."""
    return SourceFile(f"{collection}/{path}", f"{home}/{path}", listed(collection)[path])


def read(collection: str, path: str, home: str) -> bytes:
    """What such a file holds.

    Raises:
        ResourceError: see :func:`fetch`.
    """
    return fetch(listed_file(collection, path, home)).read_bytes()


def rows(table: bytes) -> list[dict[str, str]]:
    """The rows of a CSV file in UTF-8 by its head."""
    return list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"), newline="")))
