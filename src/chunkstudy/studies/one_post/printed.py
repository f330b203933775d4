"""One post as printed four times over, segment by segment, and the text behind the segments.

The printed page is not ours to pass on; what is kept of it are offsets and digests.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.base import sources
from chunkstudy.base.files import sha256

FOLDER = "CHUNKSTUDY_PRINTED"
"""Names the folder of the reports and posts as text."""
NAME = "001_*.txt"
SHA256 = "e0eced89ddd958fb5a48c06ed2a12dfd0c970060cd6dfe9884d8c4a33b4ffb39"
WITNESS = "JINA-SEGMENTER-API"
"""The segmentation that leaves nothing out: rules cut the page, and only line breaks lie between
what they take."""
HEADING = re.compile(r"(?m)^## (.+)$")
STATED = re.compile(r"\A\s*#### (\d+) chunk\(s\)\n")
BETWEEN = re.compile(r"\n\n(\n*)")
"""Segments are printed two line breaks apart, beyond those that end a segment itself."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """What a heading states, and the segments printed below it."""

    name: str
    stated: int
    segments: tuple[str, ...]
    printed: str


def find() -> Path:
    """The printed page.

    Raises:
        SourceError: if it is not at hand, or is another page.
    """
    named = os.environ.get(FOLDER)
    found = sorted(Path(named).glob(NAME)) if named else []
    if not found:
        raise sources.SourceError(
            "the post and its four segmentations are not ours to pass on; set "
            f"{FOLDER} to a folder that has them as {NAME}: tables derive from the offsets kept in "
            "results/studies/one-post without them"
        )
    if sha256(found[0]) != SHA256:
        raise sources.SourceError(
            f"{found[0]} is not the page that this study reads; put the archived copy of the post "
            "with its four segmentations there"
        )
    return found[0]


def read(page: str) -> list[Segmentation]:
    """The segmentations of a page, in its order.

    Raises:
        ValueError: if a heading states no number of chunks.
    """
    parts = HEADING.split(page)[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        stated = STATED.match(body)
        if stated is None:
            raise ValueError(f"{name} does not state how many chunks it has; fetch the page again")
        printed = re.sub(r"\n-{3}\s*\Z", "", body[stated.end() :]).strip("\n")
        segments = tuple(BETWEEN.split(printed)[::2])
        found.append(Segmentation(name, int(stated[1]), segments, printed))
    return found


def source(segmentations: list[Segmentation]) -> str:
    """The post: the witness without the line breaks that printing put between its segments."""
    witness = next(one for one in segmentations if one.name == WITNESS)
    return BETWEEN.sub(r"\1", witness.printed)
