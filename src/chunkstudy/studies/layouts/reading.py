"""Late chunking of one collection by one model: layouts, windows and chunkers side by side, with
plain chunks beside them; the scores of every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.show.study import Study

TODAY = "most context"
LAYOUTS = {
    TODAY: "",
    "no overlap": "-0",
    "packed": "-packed",
    "averaged": "-averaged",
    "afterthoughts": "-afterthoughts",
    "centred": "-centred",
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
        documents: by question, the document that it is asked of.
    """

    collection: str
    model: str
    measure: str
    late: Mapping[Cell, pd.DataFrame]
    plain: Mapping[int, pd.DataFrame]
    documents: pd.Series

    @property
    def keys(self) -> dict[str, object]:
        return {"collection": self.collection, "model": self.model}

    def read_whole(self, chunkers: Sequence[str]) -> pd.DataFrame:
        """Plain chunks in the widest window, which holds all but the longest."""
        return self.plain[max(self.plain)][list(chunkers)]

    def where(self, asked: pd.Series) -> Arms:
        """The same of some questions: those for which ``asked`` is true."""
        ids = asked.index[asked]
        return replace(
            self,
            late={cell: scores.loc[ids] for cell, scores in self.late.items()},
            plain={window: scores.loc[ids] for window, scores in self.plain.items()},
            documents=self.documents.loc[ids],
        )


def read(
    study: Study,
    collection: str,
    chunkers: Sequence[str],
    encoder: str,
    windows: Sequence[int],
    layouts: Sequence[str],
    measure: str,
    protocol: str,
    alone: Sequence[str] = (),
) -> Arms:
    """Every layout in every window, and plain chunks in every window.

    Args:
        study: the notebook's.
        collection: searched within documents.
        chunkers: slugs.
        encoder: hub id.
        windows: tokens read at once.
        layouts: of :data:`LAYOUTS`.
        measure: with its cut-off.
        protocol: whose rules.
        alone: the chunkers of the layout ``centred``, which takes a window a chunk.

    Raises:
        KeyError: for a layout that does not exist.
    """
    depth = int(measure.partition("@")[2])
    late: dict[Cell, pd.DataFrame] = {}
    plain: dict[int, pd.DataFrame] = {}
    documents = None
    for window in windows:
        given = (collection, chunkers, encoder, window, protocol)
        scores = study.runs(*given).scores(depth, [measure])
        plain[window] = scores.wide(measure)
        documents = scores.documents if documents is None else documents
        for layout in layouts:
            some = [one for one in chunkers if layout != "centred" or one in alone]
            ordering = f"contextualized-{window}{LAYOUTS[layout]}"
            runs = study.runs(collection, some, encoder, window, protocol, ordering=ordering)
            late[layout, window] = runs.scores(depth, [measure]).wide(measure)
    assert documents is not None
    return Arms(collection, encoder, measure, late, plain, documents)
