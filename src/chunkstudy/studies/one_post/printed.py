"""One post as printed four times over, segment by segment, and the text behind the segments.

The printed page is not ours to pass on; what is kept of it are offsets and digests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import sha256
from chunkstudy.core.settings import Settings

FOLDER = "CHUNKSTUDY_PRINTED"
"""Names the folder of the reports and posts as text."""
NAME = "001_*.txt"
SHA256 = "e0eced89ddd958fb5a48c06ed2a12dfd0c970060cd6dfe9884d8c4a33b4ffb39"
WITNESS = "JINA-SEGMENTER-API"
"""The segmentation that leaves nothing out: rules cut the page, and only line breaks lie between
what they take."""
HEADING = re.compile(r"(?m)^## (.+)\n\s*#### (\d+) chunk\(s\)\n")
BETWEEN = re.compile(r"\n\n(\n*)")
"""Segments are printed two line breaks apart, beyond those that end a segment itself."""


@dataclass(frozen=True, slots=True)
class PrintedSegmentation:
    """What a heading states, and the segments printed below it."""

    name: str
    stated: int
    segments: tuple[str, ...]
    printed: str


def find() -> Path:
    """The printed page.

    Raises:
        ResourceError: if it is not at hand, or is another page.
    """
    folder = Settings.from_env().printed
    page = next(iter(sorted(folder.glob(NAME))), None) if folder else None
    if page is None:
        raise ResourceError(
            "the post and its four segmentations are not ours to pass on; set "
            f"{FOLDER} to a folder that has them as {NAME}: tables derive from the offsets kept in "
            "results/studies/one-post without them"
        )
    if sha256(page) != SHA256:
        raise ResourceError(
            f"{page} is not the page that this study reads; put the archived copy of the post "
            "with its four segmentations there"
        )
    return page


def read(page: str) -> list[PrintedSegmentation]:
    """The segmentations of a page, in its order."""
    parts = iter(HEADING.split(page)[1:])
    segmentations = []
    for name, stated, below in zip(parts, parts, parts, strict=True):
        printed = re.sub(r"\n-{3}\s*\Z", "", below).strip("\n")
        segments = tuple(BETWEEN.split(printed)[::2])
        segmentations.append(PrintedSegmentation(name, int(stated), segments, printed))
    return segmentations


def source(segmentations: list[PrintedSegmentation]) -> str:
    """The post: the witness without the line breaks that printing put between its segments."""
    printed = {each.name: each.printed for each in segmentations}
    return BETWEEN.sub(r"\1", printed[WITNESS])
