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

import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
from tqdm import tqdm

from chunkstudy.base.spans import text_digest
from chunkstudy.llm.causal_models import CausalReader, Floats32, HiddenPart, Read
from chunkstudy.llm.recordings import RecordedLines

AFTER = 24
"""Tokens after a boundary that are looked at, about a sentence of prose."""
BEFORE = 64
"""Tokens in front of a boundary that are looked at, one or two paragraphs of conversation."""
SIZE, CONTEXT = 512, 128
"""Tokens of a pass at most, and before a place at least, where there are so many."""
DECIMALS = 6
VERSION = 1
"""Counts up where a signal is computed otherwise, so that nothing old is remembered."""


Of = Callable[[Read, int], float]
"""What one reading gives at the first token after a boundary."""


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


def _rise(read: Read, place: int) -> float:
    """Mean entropy over the tokens after the boundary minus that over as many before it."""
    after = read.entropy[place : place + AFTER].mean()
    return float(after - read.entropy[max(0, place - AFTER) : place].mean())


def _entropy(read: Read, place: int, offset: int = 0) -> float:
    """Of the token so far behind the boundary; NaN outside of what was read."""
    token = place + offset
    return float(read.entropy[token]) if 0 <= token < len(read.entropy) else float("nan")


INFLUENCE = "influence"
READ: dict[str, Of] = {
    "entropy": _entropy,
    "entropy-rise": _rise,
    "first-surprisal": lambda read, place: float(read.surprisal[place]),
    "surprisal": lambda read, place: float(read.surprisal[place : place + AFTER].mean()),
    "attention": lambda read, place: staying(read.attention, place),
    "attention-last": lambda read, place: staying(read.largest, place),
}
SIGNALS = (*READ, INFLUENCE)
"""Every signal; influence is stored as such and is low at a boundary, see :func:`strength`."""
PROFILE = {f"entropy at {offset:+d}": offset for offset in range(-8, 8)}
"""Entropy around a boundary, token by token; 0 is the entropy at the boundary."""
OF_ONE_READING = READ | {name: partial(_entropy, offset=at) for name, at in PROFILE.items()}


def influence(
    reader: CausalReader, ids: Sequence[int], read: Read, places: Sequence[int]
) -> list[float]:
    """Of the tokens before each place, in bits a token; about 0 where there are none."""
    parts = [HiddenPart(place, AFTER, min(BEFORE, place)) for place in places]
    return [
        float((without - read.surprisal[place + 1 : place + 1 + AFTER]).mean())
        for place, without in zip(places, reader.again(ids, read, parts), strict=True)
    ]


def strength(name: str, values: pd.Series) -> pd.Series:
    """A signal turned so that it is larger where a boundary is likelier."""
    return -values if name == INFLUENCE else values


def measure(
    reader: CausalReader,
    text: str,
    ends: Sequence[int],
    names: Sequence[str] = SIGNALS,
    memory: RecordedLines | None = None,
    label: str = "",
) -> pd.DataFrame:
    """A row per boundary, a column per signal; NaN where too few tokens follow or none precede.

    Args:
        reader: the model.
        text: what it reads.
        ends: characters at which boundaries lie, ascending.
        names: of the signals.
        memory: a line for each pass and signal that was measured before, so that a run that was
            killed goes on where it was; None to remember nothing.
        label: says on stderr what is read; nothing is said where it is empty.
    """
    ids, offsets = reader.tokens(text)
    starts = [start for start, _ in offsets]
    places = [bisect_left(starts, end) for end in ends]
    passes = plan(sorted(set(places)), len(ids))
    measured = [
        pd.DataFrame(_of_pass(reader, ids, one_pass, names, memory), index=one_pass.places)
        for one_pass in tqdm(passes, desc=label, disable=None if label else True)
    ]
    table = pd.concat([pd.DataFrame(columns=list(names), dtype=float), *measured])
    return table.reindex(places).reset_index(drop=True)[list(names)]


class Pass(NamedTuple):
    """Tokens ``start`` to ``end`` are read together; ``places`` are what is looked at, counted from
    the text's first token."""

    start: int
    end: int
    places: tuple[int, ...]


def plan(
    places: Sequence[int], tokens: int, size: int = SIZE, context: int = CONTEXT
) -> list[Pass]:
    """Passes for all places that have a token before and ``AFTER + 1`` behind them.

    Each begins ``context`` tokens before the first place that is not read yet, and ends with what
    its last place needs, so that scattered places cost little more than themselves.

    Args:
        places: token indices, ascending.
        tokens: of the text.
        size: tokens of a pass at most.
        context: tokens that stand before a place at least, if there are so many.
    """
    rest = [place for place in places if place > 0 and place + AFTER < tokens]
    passes = []
    while rest:
        start = max(0, rest[0] - context)
        inside = tuple(place for place in rest if place + AFTER < start + size)
        passes.append(Pass(start, inside[-1] + AFTER + 1, inside))
        rest = rest[len(inside) :]
    return passes


def _of_pass(
    reader: CausalReader,
    ids: Sequence[int],
    one_pass: Pass,
    names: Sequence[str],
    memory: RecordedLines | None,
) -> dict[str, list[float]]:
    """The values of one pass at its places, out of the memory where they are in it."""
    tokens = list(ids[one_pass.start : one_pass.end])
    places = [place - one_pass.start for place in one_pass.places]
    model = reader.describe()
    key = [VERSION, model["id"], model["weights_sha256"], tokens, places]
    digests = [text_digest(json.dumps([*key, name])) for name in names]
    if memory is not None and all(digest in memory for digest in digests):
        known = [memory.line(digest) or {} for digest in digests]
        return {name: line["values"] for name, line in zip(names, known, strict=True)}
    read = reader.read(tokens)
    measured = {
        name: influence(reader, tokens, read, places)
        if name == INFLUENCE
        else [OF_ONE_READING[name](read, place) for place in places]
        for name in names
    }
    measured = {n: [round(value, DECIMALS) for value in values] for n, values in measured.items()}
    if memory is not None:
        lines = zip(digests, measured.values(), strict=True)
        memory.add([{"digest": digest, "values": values} for digest, values in lines])
    return measured
