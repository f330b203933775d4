"""What every figure says: its message, drawn above it, and its alternative text.

``captions.toml`` holds both, written by people. A message that tells a result names the finding on
whose condition it stands, so that a result that changes stops the build before a figure says the
old one.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

SOURCE = Path(__file__).with_name("captions.toml")


class CaptionError(LookupError):
    """A figure nobody wrote a caption for; the message says where to add it."""


class Caption(BaseModel):
    """One figure in words.

    Attributes:
        name: of the figure's files.
        title: its message in one line of words, without a number that a record could change.
        finding: the finding that bears the message; empty where it only says what is drawn.
        alternative: what is drawn and what it looks like, for those who cannot see it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: Annotated[str, Field(min_length=1, max_length=120)]
    finding: str = ""
    alternative: Annotated[str, Field(min_length=40)]


@cache
def read(path: Path = SOURCE) -> dict[str, Caption]:
    """Every caption by its figure's name."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("figure", [])
    return {one["name"]: Caption.model_validate(one) for one in entries}


def of(name: str) -> Caption:
    """The caption of a figure.

    Raises:
        CaptionError: where there is none.
    """
    try:
        return read()[name]
    except KeyError as error:
        raise CaptionError(
            f"figure {name} has no caption; write its message and alternative text into "
            f"{SOURCE.name}"
        ) from error
