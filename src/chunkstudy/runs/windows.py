"""One model read at several windows: which model a slug names, and how much it reads at once."""

from __future__ import annotations

from chunkstudy.encoders import models
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.encoding import CONTEXTUALIZED, parse_ordering

IN_ORDER = "in order"


def model(encoder: str) -> str:
    """The model's id, whatever its window."""
    return models.parse_slug(encoder)[0]


def reach(encoder: str) -> int:
    """Tokens that an encoder reads at once."""
    name, window = models.parse_slug(encoder)
    return window or models.spec(name).window


def window(ordering: str) -> int:
    """Tokens read at once where chunks are contextualized; 0 where they are not."""
    return parse_ordering(ordering).window


def positions(ordering: str) -> str:
    """What the slug of a contextualized ordering says beyond its window: where tokens are read."""
    plain = f"{CONTEXTUALIZED}-{window(ordering)}"
    return ordering.removeprefix(plain).strip("-") or IN_ORDER


def contextualized(one: Condition) -> bool:
    """Whether it is late chunking as it comes, at positions in order."""
    return one.ordering.startswith(CONTEXTUALIZED) and positions(one.ordering) == IN_ORDER


def late(one: Condition) -> bool:
    """Whether it is late chunking at positions in order, in whatever layout of windows."""
    return contextualized(one) or parse_ordering(one.ordering).beside
