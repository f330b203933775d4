"""Boundary signals of a causal model: what it makes of a text before and after a place where a
chunk could end.

Source: Chroma's report, appendix "Further Algorithms", which looked at the entropy of Llama 3 8B's
next token (H = - sum over tokens t of P(t) log P(t)), at its attention (a heatmap of the largest
over the last layer's heads), and, after ContextCite (Cohen-Wang et al., 2024), at how masked pieces
of 50 tokens change the likelihood of later text; it found no clear signal by eye, printed no
number, and leaves open where and how far each is read. Here every signal is taken over equally many
tokens at all places, so that neither distance nor length tells places apart:

- entropy and surprisal in bits, at the boundary or over the ``AFTER`` tokens on either side;
- of the attention that the ``AFTER`` tokens pay to the ``BEFORE`` tokens in front of the boundary
  and to themselves, the part that stays behind the boundary, without what goes further back, to the
  start token above all;
- influence: by how many bits a token the likelihood of the ``AFTER`` tokens that follow the first
  one falls where they cannot attend to the ``BEFORE`` tokens, all else staying where it stood. The
  first is left out, since it is predicted from the last token that is hidden.

A model could read a whole book at once, at a cost that grows with its square. It is read in passes
of ``SIZE`` tokens; how far back a pass reaches differs from place to place, so that values depend
on the cut a little: of 60 places read in other passes too, the ranks by each signal correlated at
0.92 or more (measured up to commit 7e05764f).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from tqdm import tqdm

from chunkstudy.studies.boundary_signals.reader import CausalReader, Floats, Floats32, Read
from chunkstudy.studies.boundary_signals.texts import Text

AFTER = 24
"""Tokens after a boundary that are looked at, about a sentence of prose."""
BEFORE = 64
"""Tokens in front of a boundary that are looked at, one or two paragraphs of conversation."""
SIZE, CONTEXT = 512, 128
"""Tokens of a pass at most, and before a place at least, where there are so many."""
DECIMALS = 6
"""Of what is measured, before it is averaged or rounded further."""
INFLUENCE = "influence"
"""The one signal that is low at a boundary."""
SIGNALS = (
    "entropy", "entropy-rise", "first-surprisal", "surprisal", "attention", "attention-last",
    INFLUENCE,
)  # fmt: skip
PROFILE = range(-8, 8)
"""Tokens around a boundary whose entropies are kept; 0 is the first after it."""


def measure(reader: CausalReader, text: Text) -> pd.DataFrame:
    """The candidates of a text, with a column per signal and per token of the profile; NaN where
    too few tokens follow or none precede."""
    ids, offsets = reader.tokens(text.whole)
    starts = [start for start, _ in offsets]
    places = [bisect_left(starts, end) for end in text.places["end"]]
    measured: dict[int, dict[str | int, float]] = {}
    for one_pass in tqdm(plan(sorted(set(places)), len(ids)), desc=text.name, disable=None):
        tokens = ids[one_pass.start : one_pass.end]
        inside = [place - one_pass.start for place in one_pass.places]
        read = reader.read(tokens)
        without = reader.without_before(tokens, read, inside, BEFORE, AFTER)
        for place, at, hidden in zip(one_pass.places, inside, without, strict=True):
            measured[place] = signals(read, at, hidden) | around(read, at)
    rows = [measured.get(place, {}) for place in places]
    table = pd.DataFrame(rows, columns=[*SIGNALS, *PROFILE], dtype=float)
    return text.places.join(table.round(DECIMALS))


class Pass(NamedTuple):
    """Tokens ``start`` to ``end`` are read together; ``places`` are what is looked at, counted from
    the text's first token."""

    start: int
    end: int
    places: tuple[int, ...]


def plan(places: Sequence[int], tokens: int) -> list[Pass]:
    """Passes for all places that have a token before and ``AFTER + 1`` behind them.

    Each begins ``CONTEXT`` tokens before the first place that is not read yet, and ends with what
    its last place needs, so that scattered places cost little more than themselves.

    Args:
        places: token indices, ascending.
        tokens: of the text.
    """
    rest = [place for place in places if place > 0 and place + AFTER < tokens]
    passes = []
    while rest:
        start = max(0, rest[0] - CONTEXT)
        inside = tuple(place for place in rest if place + AFTER < start + SIZE)
        passes.append(Pass(start, inside[-1] + AFTER + 1, inside))
        rest = rest[len(inside) :]
    return passes


def signals(read: Read, place: int, without: Floats) -> dict[str | int, float]:
    """Every signal at one place.

    Args:
        read: the pass that it is in.
        place: the first token after the boundary, counted from the pass's first.
        without: surprisal where what is in front of the boundary is hidden, (``AFTER``,).
    """
    before, after = slice(max(0, place - AFTER), place), slice(place, place + AFTER)
    known = read.surprisal[place + 1 : place + 1 + AFTER]
    return {
        "entropy": read.entropy[place],
        "entropy-rise": read.entropy[after].mean() - read.entropy[before].mean(),
        "first-surprisal": read.surprisal[place],
        "surprisal": read.surprisal[after].mean(),
        "attention": staying(read.attention, place),
        "attention-last": staying(read.largest, place),
        INFLUENCE: (without - known).mean(),
    }


def staying(paid: Floats32, place: int) -> float:
    """The part of the attention that stays behind the boundary.

    Args:
        paid: (tokens, tokens), what the token of a row pays to that of a column.
        place: the first token after the boundary.
    """
    rows = paid[place : place + AFTER]
    behind = float(rows[:, max(0, place - BEFORE) : place].sum())
    inside = float(rows[:, place : place + AFTER].sum())
    return inside / (inside + behind)


def around(read: Read, place: int) -> dict[str | int, float]:
    """Entropy token by token around a boundary, of the tokens that there are."""
    return {offset: read.entropy[place + offset] for offset in PROFILE if place + offset >= 0}
