"""How open the next token is at a boundary, and how surprising the text after it.

Source: Chroma's report, appendix "Logit & Attention Based Chunking": the entropy of the next token,
H = - sum over tokens t of P(t) log P(t), was expected to rise where the theme changes. The report
leaves open where it was read and how far a rise would reach; here it is read at the boundary and
over ``AFTER`` tokens on either side.
"""

from __future__ import annotations

from chunkstudy.base.reading import Read

AFTER = 24
"""Tokens after a boundary that are looked at, about a sentence of prose."""


def entropy(read: Read, place: int) -> float:
    """Of the token that begins the text after the boundary, in bits."""
    return float(read.entropy[place])


def entropy_rise(read: Read, place: int) -> float:
    """Mean entropy over the tokens after the boundary minus that over as many before it, bits."""
    after, before = (
        read.entropy[place : place + AFTER],
        read.entropy[max(0, place - AFTER) : place],
    )
    return float(after.mean() - before.mean())


def first_surprisal(read: Read, place: int) -> float:
    """Of the first token after the boundary, in bits."""
    return float(read.surprisal[place])


def surprisal(read: Read, place: int) -> float:
    """Mean over the tokens after the boundary, in bits."""
    return float(read.surprisal[place : place + AFTER].mean())


def entropy_at(read: Read, place: int, offset: int) -> float:
    """Of the token that stands ``offset`` tokens behind the boundary, or before it where negative,
    in bits; NaN outside of what was read."""
    at = place + offset
    return float(read.entropy[at]) if 0 <= at < len(read.entropy) else float("nan")
