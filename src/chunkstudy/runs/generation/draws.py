"""Random choices that a key decides, the same on every machine and under every Python."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def number(key: str, below: int) -> int:
    """One of 0 to ``below`` - 1, all as likely."""
    return int.from_bytes(_digest(key)) % below


def sample(key: str, items: Sequence[Item], size: int) -> list[Item]:
    """``size`` of the items, or all if they are fewer, in an order drawn as well."""
    order = sorted(range(len(items)), key=lambda i: _digest(f"{key}/{i}"))
    return [items[i] for i in order[:size]]


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", errors="surrogatepass")).digest()
