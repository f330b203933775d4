"""All signals at the candidates of a text, remembered pass by pass."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from chunkstudy.base.reading import Read, Reader
from chunkstudy.chunkers.signals import attention, entropy
from chunkstudy.chunkers.signals.influence import influence
from chunkstudy.chunkers.signals.passes import CONTEXT, SIZE, Pass, plan

INFLUENCE = "influence"
READ: dict[str, Callable[[Read, int], float]] = {
    "entropy": entropy.entropy,
    "entropy-rise": entropy.entropy_rise,
    "first-surprisal": entropy.first_surprisal,
    "surprisal": entropy.surprisal,
    "attention": attention.attention,
    "attention-last": attention.attention_last,
}
"""What one reading gives, by name."""
PROFILE = {
    f"entropy at {offset:+d}": partial(entropy.entropy_at, offset=offset) for offset in range(-8, 8)
}
"""Entropy around a boundary, token by token; +0 is the entropy at the boundary."""
SIGNALS = (*READ, INFLUENCE)
"""Every signal; influence is stored as such and is low at a boundary."""
FALLING = (INFLUENCE,)
"""Signals that are small at a boundary; :func:`strength` turns them round."""
DECIMALS = 6
VERSION = 1
"""Counts up where a signal is computed otherwise, so that nothing old is remembered."""


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


def places(ends: Sequence[int], starts: Sequence[int]) -> list[int]:
    """Of each boundary the first token that lies after it.

    Args:
        ends: characters at which boundaries lie, ascending.
        starts: the first character of each token.
    """
    return [bisect_left(starts, end) for end in ends]


def measure(
    reader: Reader,
    text: str,
    ends: Sequence[int],
    names: Sequence[str] = SIGNALS,
    memory: Memory | None = None,
    label: str = "",
    size: int = SIZE,
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
        size: tokens of a pass.
        context: tokens before a place at least.
    """
    memory = memory or Memory()
    ids, offsets = reader.tokens(text)
    at = places(ends, [start for start, _ in offsets])
    passes = plan(sorted(set(at)), len(ids), size, context)
    found = pd.DataFrame(columns=list(names), dtype=float)
    for one in tqdm(passes, desc=label, disable=None if label else True):
        values = remembered(reader, ids, one, names, memory)
        of_pass = pd.DataFrame({name: values[name] for name in names}, index=list(one.places))
        found = of_pass if found.empty else pd.concat([found, of_pass])
    return found.reindex(at).reset_index(drop=True)


def remembered(
    reader: Reader, ids: Sequence[int], one: Pass, names: Sequence[str], memory: Memory
) -> dict[str, list[float]]:
    """The values of one pass at its places, out of the memory where they are in it."""
    own = list(ids[one.start : one.end])
    here = [place - one.start for place in one.places]
    key = _key(reader, own, here)
    known = memory.find(key, names)
    if known is None:
        known = _read(reader, own, here, names)
        memory.add(key, known)
    return known


def strength(name: str, values: pd.Series) -> pd.Series:
    """A signal turned so that it is larger where a boundary is likelier."""
    return -values if name in FALLING else values


def _read(
    reader: Reader, ids: Sequence[int], here: Sequence[int], names: Sequence[str]
) -> dict[str, list[float]]:
    read = reader.read(ids)
    shown = READ | PROFILE
    found = {name: [shown[name](read, one) for one in here] for name in names if name in shown}
    if INFLUENCE in names:
        found[INFLUENCE] = influence(reader, ids, read, here)
    return {name: [round(one, DECIMALS) for one in values] for name, values in found.items()}


def _key(reader: Reader, ids: Sequence[int], here: Sequence[int]) -> str:
    described = reader.describe()
    said = json.dumps([VERSION, described["id"], described["weights_sha256"], ids, here])
    return hashlib.sha256(said.encode("ascii")).hexdigest()[:32]
