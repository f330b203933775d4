"""Replies of language models that have to be one JSON object."""

from __future__ import annotations

import json
from typing import Any


def object_of(reply: str, keys: set[str]) -> dict[str, Any] | None:
    """The one JSON object that a reply is, None unless it has these keys, each once."""
    try:
        found = json.loads(reply, object_pairs_hook=_single)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and set(found) == keys else None


def says(value: Any) -> bool:
    """Whether it is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)
