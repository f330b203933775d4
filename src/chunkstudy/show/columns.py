"""How a column is shown: its title, and what makes text of a value.

A study says it of its own columns; what many tables share stands in ``SHARED``. A number of which
nobody says it is a fraction, shown in percent; a whole number is a count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from chunkstudy.evaluation import measures
from chunkstudy.published.sources import WORKS
from chunkstudy.runs import display_names
from chunkstudy.show.formats import (
    more_tokens,
    number,
    percent,
    percent_finely,
    points,
    points_finely,
    probability,
    tenths,
    tokens,
    whole,
)

Text = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is shown: its title and what makes text of a value."""

    title: str
    text: Text


Columns = Mapping[str, Column | Text]
"""By name; what is no ``Column`` has the title that it has elsewhere. ``*`` is for all numbers that
nothing else is said of."""


def over(study: Columns, table: Columns) -> Columns:
    """What a study says of its columns, and what one of its tables says otherwise."""
    found = dict(study)
    for name, own in table.items():
        known = study.get(name)
        if isinstance(known, Column) and not isinstance(own, Column):
            own = replace(known, text=own)
        found[name] = own
    return found


def named(kind: str) -> Text:
    """What a reader calls things of a kind that ``display_names`` knows, such as ``chunker``."""
    return partial(display_names.shown, kind)


def one_of(names: Mapping[str, str]) -> Text:
    """What a reader calls things by these names; others stay as they are."""
    return lambda name: names.get(name, str(name))


SHARED: Columns = {
    **{
        kind: Column(kind, named(kind))
        for kind in ("chunker", "encoder", "ordering", "protocol", "collection", "measure", "table",
                     "task", "verdict")
    },
    "work": Column("work", one_of({name: work.title for name, work in WORKS.items()})),
    "model": Column("model", named("encoder")),
    "other chunker": Column("other chunker", named("chunker")),
    "best chunker": Column("best chunker", named("chunker")),
    "a": Column("first", named("chunker")),
    "b": Column("second", named("chunker")),
    "pre_embedding": Column("plain", percent),
    "contextualized": Column("late", percent),
    "within_stack": Column("within spread", whole),
    "statistic": Column("statistic", one_of({"std": "standard deviation"})),
    "part": Column("corpus", named("part")),
    "n": Column("queries", whole),
    "mean tokens": Column("tokens per chunk", tenths),
    "std": Column("standard deviation", percent),
    "difference": Column("difference, points", points),
    "gain": Column("gain, points", points),
    "p": Column("p", probability),
    "p_holm": Column("p, Holm", probability),
    "p_equivalent_holm": Column("p of equivalence, Holm", probability),
}  # fmt: skip
IN_TOKENS: Mapping[Text, Text] = {
    percent: tokens, percent_finely: tokens, points: more_tokens, points_finely: more_tokens,
}  # fmt: skip
"""How a number is shown where its row's measure counts tokens, by how a fraction is."""


def column(name: str, values: pd.Series, own: Columns) -> Column:
    """How a column is shown: as its table says, as all tables do, or by its type."""
    said = own.get(name)
    if isinstance(said, Column):
        return said
    known = SHARED.get(name) or _of_measure(name)
    if not isinstance(known, Column):
        title = display_names.COLLECTIONS.get(name, name.replace("_", " "))
        known = Column(title, _by_type(values, own.get("*", percent)))
    if said is None:
        return known
    title = known.title.removesuffix(", points") if said is number else known.title
    return replace(known, title=title, text=said)


def _of_measure(name: str) -> Column | None:
    """A column that is named after a measure, such as ``SpanRecall@5 published``."""
    first, space, rest = name.partition(" ")
    found = measures.find(first.rstrip(","))
    if "@" not in first and found.title == found.name:
        return None
    title = f"{found.title}{',' * first.endswith(',')}{space}{rest}"
    if found.tokens:
        return Column(title, more_tokens if rest.endswith("difference") else whole)
    return Column(title, percent)


def _by_type(values: pd.Series, numbers: Column | Text) -> Text:
    if pd.api.types.is_bool_dtype(values):
        return lambda value: "yes" if value else "no"
    if pd.api.types.is_float_dtype(values):
        return numbers.text if isinstance(numbers, Column) else numbers
    return whole if pd.api.types.is_numeric_dtype(values) else str
