"""How much of the attention of the text after a boundary stays behind it.

Source: Chroma's report, appendix "Logit & Attention Based Chunking", with a heatmap of the largest
attention over the heads of the last layer, in which no clear structure was found. The report leaves
open how a structure would be measured. Here each of ``AFTER`` tokens shares its attention out among
the ``BEFORE`` tokens in front of the boundary and those from the boundary up to itself; the signal
is the part that stays after the boundary. Attention to what lies further back, the start token
above all, takes no part. All places are compared at the same lengths, so that the trend by
distance is the same for all of them.
"""

from __future__ import annotations

from chunkstudy.base.reading import Floats32, Read
from chunkstudy.chunkers.signals.entropy import AFTER

BEFORE = 64
"""Tokens in front of a boundary that are looked at, one or two paragraphs of conversation."""


def attention(read: Read, place: int) -> float:
    """By the mean over all layers and heads."""
    return _stays(read.attention, place)


def attention_last(read: Read, place: int) -> float:
    """By the largest of the last layer's heads, as the report plots it."""
    return _stays(read.largest, place)


def _stays(paid: Floats32, place: int) -> float:
    rows = paid[place : place + AFTER]
    behind = float(rows[:, max(0, place - BEFORE) : place].sum())
    own = float(rows[:, place : place + AFTER].sum())
    return own / (own + behind)
