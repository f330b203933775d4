"""A collection in numbers; the study keeps them, so that a page tells them without its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd
from IPython.display import HTML

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Collection
from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs import facts
from chunkstudy.show import passages
from chunkstudy.show.tables import Table

SHOWN = ("part", "documents", "characters", "tokens", "queries", "excerpts")
ONCE = {"documents", "characters", "tokens", "queries", "excerpts",
        "excerpts_that_stand_more_than_once"}  # fmt: skip
"""Counts that add up over parts."""


@dataclass(frozen=True)
class ShownCollection:
    """A collection of a study."""

    places: Places = field(repr=False)
    name: str
    fresh: bool = False

    def __post_init__(self) -> None:
        registry.find(self.name)

    def load(self) -> Collection:
        """Its documents, questions and judgments."""
        return load_collection(self.name)

    def counts(self) -> pd.DataFrame:
        """A row a part: documents, characters, tokens, questions, excerpts."""
        kept = pd.DataFrame() if self.fresh else facts.read(self.places, f"{self.name}_counts")
        counts = facts.counts(self.load()) if kept.empty else kept
        part = counts["part"].str.partition("/")[0]
        sums = counts.assign(part=part, documents=1).groupby("part", sort=False)
        return sums[[one for one in counts.assign(documents=1) if one in ONCE]].sum().reset_index()

    def parts(self) -> Mapping[str, str]:
        """By question, the part that it is asked of; none where that is the whole collection."""
        task = registry.find(self.name).task
        if task == "in_corpus" or (task == "in_document" and self.name not in facts.IN_PARTS):
            return {}
        kept = pd.DataFrame() if self.fresh else facts.read(self.places, self.name)
        if kept.empty:
            return self.load().groups
        return dict(zip(kept["query_id"], kept["part"], strict=True))

    def question(self, number: int = 0) -> HTML:
        """A question and its excerpts, marked in their surroundings."""
        return passages.question(self.load(), number)

    def _repr_html_(self) -> str:
        counts = self.counts()
        return Table.of(counts[[one for one in SHOWN if one in counts]]).html()
