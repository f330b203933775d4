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
on the cut a little, which the study of boundary signals measures.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from tqdm import tqdm

from chunkstudy.llm.reading import Floats, Floats32, Part, Read, Reader

AFTER = 24
"""Tokens after a boundary that are looked at, about a sentence of prose."""
BEFORE = 64
"""Tokens in front of a boundary that are looked at, one or two paragraphs of conversation."""
SIZE, CONTEXT = 512, 128
"""Tokens of a pass at most, and before a place at least, where there are so many."""
DECIMALS = 6
VERSION = 1
"""Counts up where a signal is computed otherwise, so that nothing old is remembered."""


def _at(values: Floats, place: int, offset: int = 0) -> float:
    """Of the token so far behind the boundary; NaN outside of what was read."""
    at = place + offset
    return float(values[at]) if 0 <= at < len(values) else float("nan")


def _rise(read: Read, place: int) -> float:
    """Mean over the tokens after the boundary minus that over as many before it."""
    after = read.entropy[place : place + AFTER].mean()
    return float(after - read.entropy[max(0, place - AFTER) : place].mean())


def staying(paid: Floats32, place: int) -> float:
    """The part of the attention that stays behind the boundary.

    Args:
        paid: (tokens, tokens), what the token of a row pays to that of a column.
        place: the first token after the boundary.
    """
    rows = paid[place : place + AFTER]
    behind = float(rows[:, max(0, place - BEFORE) : place].sum())
    own = float(rows[:, place : place + AFTER].sum())
    return own / (own + behind)


def influence(
    reader: Reader, ids: Sequence[int], read: Read, places: Sequence[int], before: int = BEFORE
) -> list[float]:
    """Of the tokens before each place, in bits a token; about 0 where there are none."""
    parts = [Part(place, AFTER, min(before, place)) for place in places]
    hidden = reader.again(ids, read, parts)
    return [
        float((without - read.surprisal[place + 1 : place + 1 + AFTER]).mean())
        for place, without in zip(places, hidden, strict=True)
    ]


INFLUENCE = "influence"
READ: dict[str, Callable[[Read, int], float]] = {
    "entropy": lambda read, place: _at(read.entropy, place),
    "entropy-rise": _rise,
    "first-surprisal": lambda read, place: _at(read.surprisal, place),
    "surprisal": lambda read, place: float(read.surprisal[place : place + AFTER].mean()),
    "attention": lambda read, place: staying(read.attention, place),
    "attention-last": lambda read, place: staying(read.largest, place),
}
"""What one reading gives at the first token after a boundary, by name."""
SIGNALS = (*READ, INFLUENCE)
"""Every signal; influence is stored as such and is low at a boundary, see :func:`strength`."""
PROFILE: dict[str, Callable[[Floats, int], float]] = {
    f"entropy at {offset:+d}": partial(_at, offset=offset) for offset in range(-8, 8)
}
"""Entropy around a boundary, token by token; +0 is the entropy at the boundary."""


def strength(name: str, values: pd.Series) -> pd.Series:
    """A signal turned so that it is larger where a boundary is likelier."""
    return -values if name == INFLUENCE else values


class Memory:
    """Values by pass in a file of JSON lines, so that a run that was killed goes on where it was.

    Args:
        path: the file; None to remember nothing beyond this process.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._known: dict[str, dict[str, list[float]]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    key, values = json.loads(line)
                except ValueError:  # the last line of a run that was killed
                    continue
                self._known.setdefault(key, {}).update(values)

    def find(self, key: str, names: Sequence[str]) -> dict[str, list[float]] | None:
        """The values of a pass, if all of these signals are known."""
        known = self._known.get(key, {})
        return known if all(name in known for name in names) else None

    def add(self, key: str, values: dict[str, list[float]]) -> None:
        self._known.setdefault(key, {}).update(values)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, values]) + "\n")


def measure(
    reader: Reader,
    text: str,
    ends: Sequence[int],
    names: Sequence[str] = SIGNALS,
    memory: Memory | None = None,
    label: str = "",
    context: int = CONTEXT,
) -> pd.DataFrame:
    """A row per boundary, a column per signal; NaN where too few tokens follow or none precede.

    Args:
        reader: the model.
        text: what it reads.
        ends: characters at which boundaries lie, ascending.
        names: of the signals.
        memory: what was measured before.
        label: says on stderr what is read; nothing is said where it is empty.
        context: tokens before a place at least.
    """
    memory = memory or Memory()
    ids, offsets = reader.tokens(text)
    starts = [start for start, _ in offsets]
    at = [bisect_left(starts, end) for end in ends]
    found: dict[int, dict[str, float]] = {}
    passes = plan(sorted(set(at)), len(ids), context=context)
    for one in tqdm(passes, desc=label, disable=None if label else True):
        values = _of_pass(reader, ids, one, names, memory)
        for i, place in enumerate(one.places):
            found[place] = {name: values[name][i] for name in names}
    return pd.DataFrame([found.get(place, {}) for place in at], columns=list(names), dtype=float)


class Pass(NamedTuple):
    """Tokens ``start`` to ``end`` are read together; ``places`` are what is looked at, counted from
    the text's first token."""

    start: int
    end: int
    places: tuple[int, ...]


def plan(
    places: Sequence[int], tokens: int, size: int = SIZE, context: int = CONTEXT, after: int = AFTER
) -> list[Pass]:
    """Passes for all places that have a token before and ``after + 1`` behind them.

    Each begins ``context`` tokens before the first place that is not read yet, and ends with what
    its last place needs, so that scattered places cost little more than themselves.

    Args:
        places: token indices, ascending.
        tokens: of the text.
        size: tokens of a pass at most.
        context: tokens that stand before a place at least, if there are so many.
        after: tokens that are looked at behind a place.

    Raises:
        ValueError: if a pass could not hold a place with what it needs.
    """
    if size < context + after + 1:
        raise ValueError(
            f"a pass of {size} tokens cannot hold {context} before a place and {after + 1} behind "
            "it; make it longer"
        )
    rest = [place for place in places if place > 0 and place + after < tokens]
    found = []
    while rest:
        start = max(0, rest[0] - context)
        own = tuple(place for place in rest if place + after < start + size)
        found.append(Pass(start, own[-1] + after + 1, own))
        rest = rest[len(own) :]
    return found


def _of_pass(
    reader: Reader, ids: Sequence[int], one: Pass, names: Sequence[str], memory: Memory
) -> dict[str, list[float]]:
    """The values of one pass at its places, out of the memory where they are in it."""
    own = list(ids[one.start : one.end])
    here = [place - one.start for place in one.places]
    described = reader.describe()
    said = json.dumps([VERSION, described["id"], described["weights_sha256"], own, here])
    key = hashlib.sha256(said.encode("ascii")).hexdigest()[:32]
    known = memory.find(key, names)
    if known is None:
        read = reader.read(own)
        known = {name: [READ[name](read, at) for at in here] for name in names if name in READ}
        known |= {n: [PROFILE[n](read.entropy, at) for at in here] for n in names if n in PROFILE}
        if INFLUENCE in names:
            known[INFLUENCE] = influence(reader, own, read, here)
        known = {name: [round(at, DECIMALS) for at in values] for name, values in known.items()}
        memory.add(key, known)
    return known
