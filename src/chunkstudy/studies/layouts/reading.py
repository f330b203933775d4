"""Late chunking of one collection by one model: layouts, windows and chunkers side by side, with
plain chunks beside them; the scores of every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.runs.study_results import StudyError
from chunkstudy.show.study import Study

TODAY, AVERAGED = "most context", "averaged"
LAYOUTS = {
    TODAY: "",
    "no overlap": "-0",
    "packed": "-packed",
    AVERAGED: "-averaged",
}
"""How a document longer than the window is read, and how its ordering ends."""
Cell = tuple[str, int]
"""A layout and the tokens that are read at once."""


@dataclass(frozen=True)
class Arms:
    """Scores by one measure, fractions, a row a question.

    Attributes:
        collection: its name.
        model: hub id.
        measure: such as ``DCG@10``.
        late: by layout and window, a column a chunker.
        plain: by window, the same of chunks that are embedded by themselves.
        documents: by question, the document that it is asked of, where the collection tells.
    """

    collection: str
    model: str
    measure: str
    late: Mapping[Cell, pd.DataFrame]
    plain: Mapping[int, pd.DataFrame]
    documents: pd.Series | None

    @property
    def keys(self) -> dict[str, object]:
        return {"collection": self.collection, "model": self.model}

    def of(self, questions: pd.Index[str]) -> Arms:
        """The scores of some questions."""
        late = {cell: scores.loc[questions] for cell, scores in self.late.items()}
        plain = {window: scores.loc[questions] for window, scores in self.plain.items()}
        documents = None if self.documents is None else self.documents.loc[questions]
        return replace(self, late=late, plain=plain, documents=documents)

    def read_whole(self, chunkers: Sequence[str]) -> pd.DataFrame:
        """Plain chunks in the widest window, which holds all but the longest."""
        return self.plain[max(self.plain)][list(chunkers)]


def read(
    study: Study,
    collection: str,
    asked: Mapping[str, Sequence[str]],
    encoder: str,
    windows: Sequence[int],
    measure: str,
    protocol: str,
) -> Arms:
    """Layouts in every window, and plain chunks in every window.

    Args:
        study: the notebook's.
        collection: searched within documents.
        asked: by layout of :data:`LAYOUTS`, the slugs of its chunkers; the first layout has all.
        encoder: hub id.
        windows: tokens read at once.
        measure: with its cut-off.
        protocol: whose rules.

    Raises:
        StudyError: for a layout that does not exist.
    """
    if unknown := set(asked) - set(LAYOUTS):
        raise StudyError(f"unknown layout {min(unknown)!r}; use one of {', '.join(LAYOUTS)}")
    every = next(iter(asked.values()))
    plain = {
        window: study.runs(collection, every, encoder, window, protocol).by(measure)
        for window in windows
    }
    late: dict[Cell, pd.DataFrame] = {}
    for layout, chunkers in asked.items():
        for window in windows:
            ordering = f"contextualized-{window}{LAYOUTS[layout]}"
            runs = study.runs(collection, chunkers, encoder, window, protocol, ordering=ordering)
            late[layout, window] = runs.by(measure).wide(measure)
    scores = {window: one.wide(measure) for window, one in plain.items()}
    documents = plain[windows[0]].documents
    return Arms(collection, encoder, measure, late, scores, documents)
