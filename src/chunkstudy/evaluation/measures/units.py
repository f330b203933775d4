"""What a measure counts in, which follows from its name."""

from __future__ import annotations

COUNTED = ("TokensRead",)
"""Measures that count tokens; every other is a fraction."""


def in_tokens(measure: str) -> bool:
    """Whether a measure such as ``TokensRead@5`` counts tokens and is no fraction."""
    return measure.startswith(COUNTED)
