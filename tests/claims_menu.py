"""The menu of other data under which a claim's verdict should turn; small, and always the same.

Numbers set to one constant, negated, tripled, shuffled, raised or lowered where a column has one
value, or set to what the text states; cells that came out again or did not; facts of official code
with another value; other scores of records. Only sources that a reading asked for are changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype, is_numeric_dtype

from chunkstudy.published.claims.evidence import Sources
from chunkstudy.runs.conditions import Condition
from tests.claims_mutations import Mutation, Source

Level = tuple[str, str]
"""A column, and one of its values."""
UNTRIED = ("place", "published", "marks", "unit", "needs", "run")
"""Columns that say nothing of what a number is about."""
LEVELS = 16
"""A column with more values than these names rows and is not tried value by value."""


def menu(words: Words, asked: Iterable[Source], sources: Sources) -> Iterator[Mutation]:
    """What is tried, the likeliest first."""
    for verdict in ("exact", "deviates"):
        yield Mutation(partial(_judged, verdict))
    if any(kind == "code" for kind, _ in asked):
        yield from (Mutation(partial(_fact, word)) for word in words.facts())
    frames = [
        found
        for kind, name in asked
        if kind != "records" and len(found := sources.frame(kind, name))
    ]
    columns: list[str | None] = [
        None,
        *dict.fromkeys(name for found in frames for name in _numbers(found)),
    ]
    for own, other in permutations([name for name in columns if name in words.texts], 2):
        yield Mutation(partial(_copied, own, other))
    levels = list(dict.fromkeys(level for found in frames for level in _levels(found, words.texts)))
    yield from (Mutation(partial(_raised, level, by)) for level in levels for by in (9, -9))
    if any(kind == "records" for kind, _ in asked):
        yield from _records(words.texts, sources)
    yield from (Mutation(partial(_mapped, column, np.negative)) for column in columns)
    for c in words.constants():
        yield Mutation(partial(_mapped, None, partial(_constant, c)))
    yield Mutation(partial(_mapped, None, partial(np.multiply, 3)))
    yield from (Mutation(partial(_shuffled, seed)) for seed in range(12))


@dataclass(frozen=True)
class Words:
    """The texts and the numbers that a claim's functions name."""

    texts: frozenset[str]
    numbers: frozenset[float]

    def constants(self) -> list[float]:
        """The numbers, a little less and more of each, and a few plain ones."""
        near = {near for n in self.numbers for near in (n, n - 0.5, n + 0.5, n * 0.99, n * 1.01)}
        return sorted(near | {0.0, 1.0, -1.0, 1e6})

    def facts(self) -> list[str]:
        """Values that a fact of the code might have: what a claim names, and what none does."""
        return [*self.texts, *(f"{n:g}" for n in self.numbers), "something else", "1000000"]


def functions_of(decide: Callable[..., object]) -> Iterator[Callable[..., object]]:
    """A claim's function, what it calls of its work's file, and what that calls, each once."""
    queue = [decide]
    for function in queue:
        yield function
        globals_, names = function.__globals__, list(_named_in(function.__code__))
        named = [globals_.get(name) for name in names]
        modules = [
            one
            for one in named
            if isinstance(one, ModuleType) and ".published.claims." in one.__name__
        ]
        named += [getattr(module, name, None) for module in modules for name in names]
        here = (decide.__module__, *(module.__name__ for module in modules))
        queue += [
            one
            for one in dict.fromkeys(filter(inspect.isfunction, named))
            if one.__module__ in here and one not in queue
        ]


def _named_in(code: CodeType) -> Iterator[str]:
    """The names that a function uses, those inside of its expressions too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named_in(constant)


def words(functions: Iterable[Callable[..., object]]) -> Words:
    """What these functions name, by themselves or by a constant of their file."""
    texts, numbers = set[str](), set[float]()
    for function in functions:
        queue: list[object] = [function.__code__]
        for found in queue:
            if isinstance(found, CodeType):
                globals_ = function.__globals__
                queue += [*found.co_consts, *(globals_.get(name) for name in found.co_names)]
            elif isinstance(found, str):
                texts.add(found)
            elif isinstance(found, (int, float)) and not isinstance(found, bool):
                numbers.add(found)
            elif isinstance(found, (tuple, list)):
                queue += found
    return Words(frozenset(texts), frozenset(numbers))


def _records(words: frozenset[str], sources: Sources) -> Iterator[Mutation]:
    """Other scores and sizes of records."""
    yield Mutation(size=0.01)
    for value in (0.0, 1.0):
        yield Mutation(scores=partial(_all_equal, value))
    chunkers = sorted({one.chunker for one in sources.conditions()})
    protocols = sorted({one.protocol for one in sources.conditions()})
    named = [name for name in chunkers if any(name.startswith(word) for word in words)] or chunkers
    for name in (*protocols, *named):
        for value in (0.0, 1.0):
            yield Mutation(scores=partial(_of_condition, name, value))
    for seed in range(8):
        yield Mutation(scores=partial(_drawn, seed))


def _all_equal(value: float, _: Condition, wide: pd.DataFrame) -> pd.DataFrame:
    return wide * 0 + value


def _of_condition(
    name: str, value: float, condition: Condition, wide: pd.DataFrame
) -> pd.DataFrame:
    """One chunker's or protocol's scores as given, the others' a half, but for a little noise."""
    noise = np.random.default_rng(len(str(condition))).random(wide.shape) / 100
    level = value if name in (condition.chunker, condition.protocol) else 0.5
    return wide * 0 + (level * 0.98 + noise)


def _drawn(seed: int, condition: Condition, wide: pd.DataFrame) -> pd.DataFrame:
    generator = np.random.default_rng([seed, *str(condition).encode()])
    return wide * 0 + generator.random(wide.shape) * generator.random(wide.shape[1])


def _numbers(found: pd.DataFrame) -> list[str]:
    return [n for n in found.columns if is_numeric_dtype(found[n]) and n != "decimals"]


def _levels(found: pd.DataFrame, words: frozenset[str]) -> Iterator[Level]:
    """Columns and their values: those that a predicate names, and all where they are few."""
    for name in found.columns:
        if name not in UNTRIED and not is_numeric_dtype(found[name]):
            values = sorted(set(found[name].dropna().astype(str)))
            if len(values) > LEVELS:
                values = [value for value in values if value in words]
            yield from ((str(name), value) for value in values)


def _with(found: pd.DataFrame, changed: dict[str, pd.Series]) -> pd.DataFrame:
    """Numbers in place of others; whole ones stay whole, and published cells print the changed."""
    whole = {n: v.round().astype(int) for n, v in changed.items() if is_integer_dtype(found[n])}
    found = found.assign(**changed | whole)
    if "decimals" not in found:
        return found
    text = [
        f"{value:.{int(decimals)}f}" if not (pd.isna(value) or pd.isna(decimals)) else old
        for value, decimals, old in zip(
            found["value"], found["decimals"], found["published"], strict=True
        )
    ]
    return found.assign(published=text)


def _mapped(
    column: str | None, function: Callable[[Any], Any], source: Source, found: pd.DataFrame
) -> pd.DataFrame:
    """Every number, or those of one column, by a function."""
    names = [name for name in _numbers(found) if column in (None, name)]
    return _with(found, {name: function(found[name].astype(float)) for name in names})


def _constant(value: float, numbers: pd.Series) -> pd.Series:
    return numbers * 0 + value


def _raised(where: Level, by: float, source: Source, found: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the rows where a column has one value, moved far beyond all others."""
    name, level = where
    if name not in found:
        return found
    at = found[name].astype(str) == level
    changed = {
        column: numbers.mask(at, numbers + by * max(numbers.abs().max(), 1e-3))
        for column in _numbers(found)
        for numbers in [found[column].astype(float)]
    }
    return _with(found, changed)


def _shuffled(seed: int, source: Source, found: pd.DataFrame) -> pd.DataFrame:
    names = _numbers(found)
    order = np.random.default_rng(seed).permutation(len(found))
    return _with(found, {name: found[name].iloc[order].set_axis(found.index) for name in names})


def _judged(verdict: str, source: Source, found: pd.DataFrame) -> pd.DataFrame:
    """Cells with a record that came out again, or that did not."""
    if source[0] != "compared":
        return found
    off = 0.0 if verdict == "exact" else 10.0
    value = found["value"].fillna(found["published"].astype(float))
    changed = found.assign(
        verdict=verdict, value=value, reproduced=value + off, corrected=value + off
    )
    return changed.assign(difference=off, low=value + off - 1e-3, high=value + off + 1e-3, needs="")


def _fact(word: str, source: Source, found: pd.DataFrame) -> pd.DataFrame:
    """A fact of official code with another value, a number in the place of a number."""
    if source[0] != "code" or _is_number(found["value"].iloc[0]) != _is_number(word):
        return found
    return found.assign(value=word)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdigit()


def _copied(one: str | None, two: str | None, source: Source, found: pd.DataFrame) -> pd.DataFrame:
    """One column of numbers in the place of another."""
    if one is None or two is None or not {one, two} <= set(_numbers(found)):
        return found
    return found.assign(**{one: found[two]})
