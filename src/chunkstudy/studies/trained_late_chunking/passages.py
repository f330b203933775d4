"""Documents cut into passages, each to be read alone or pooled from its document's windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.spans import Document, Span
from chunkstudy.base.tokens import tokens_between
from chunkstudy.encoders.contextualized import (
    Ids,
    Layout,
    TokenSpans,
    in_sequence,
    most_context,
)
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.encoders.window_layouts import LAYOUTS
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.trained_late_chunking.questions import Triple


@dataclass(frozen=True)
class Passages:
    """A document's passages.

    Attributes:
        characters: (passages, 2), where each stands in the text.
        alone: what plain encoding reads of each, special tokens included.
        whole: (passages,), whether that is all of it.
        layout: the document in windows.
        tokens: (passages, 2), the tokens of each in the layout's sequence.
    """

    characters: NDArray[np.int64]
    alone: tuple[Ids, ...]
    whole: NDArray[np.bool_]
    layout: Layout
    tokens: TokenSpans

    @cached_property
    def limits(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(windows,) each: where in the sequence the states of a window begin and end."""
        lengths = np.array([end - start for start, end in self.layout.kept], dtype=np.int64)
        places = self.layout.places
        starts = np.cumsum(lengths) - lengths if places is None else np.asarray(places)
        return starts, starts + lengths

    def shared(self, start: int, end: int) -> NDArray[np.int64]:
        """(passages,): characters that each shares with a span; negative where none is near."""
        first, last = self.characters.T
        return np.minimum(last, end) - np.maximum(first, start)

    def best(self, triple: Triple) -> int:
        """The passage that holds most of what answers a question.

        Raises:
            StudyError: if none holds any of it, or the model reads no token of it.
        """
        shared = self.shared(triple.start, triple.end)
        found = int(shared.argmax()) if len(shared) else 0
        if not len(shared) or shared[found] <= 0:
            raise StudyError(
                f"question {triple.query!r} is answered at [{triple.start}, {triple.end}) of "
                f"document {triple.document!r}, which lies in no passage; cut the document whole"
            )
        if self.tokens[found, 0] >= self.tokens[found, 1]:
            raise StudyError(
                f"the passage that answers question {triple.query!r} of document "
                f"{triple.document!r} has no token; leave the question out"
            )
        return found

    @cached_property
    def reach(self) -> NDArray[np.int64]:
        """(passages, 2): the first window that holds a state of each and one past the last."""
        starts, ends = self.limits
        first = np.searchsorted(ends, self.tokens[:, 0], side="right")
        last = np.searchsorted(starts, self.tokens[:, 1] - 1, side="right")
        return np.stack([first, last], axis=1)

    def windows(self, passage: int) -> range:
        """The windows that hold a passage's states."""
        first, last = self.reach[passage].tolist()
        return range(first, last)


def prepare(
    encoder: TransformerEncoder,
    document: Document,
    spans: Sequence[Span],
    window: int,
    layout: str = "",
) -> Passages:
    """A document's passages, laid out as contextualized encoding lays a document out: windows with
    their own special tokens that share a quarter, each token's state from the window that shows
    most around it; or by another of ``LAYOUTS``."""
    ((ids, offsets),) = encoder.content([document.text])
    characters = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    tokens = tokens_between(offsets, characters[:, 0], characters[:, 1])
    frame = frame_of(encoder, window)
    if layout:
        windows, tokens = LAYOUTS[layout](ids, tokens, frame)
    else:
        windows = most_context(ids, frame, window // 4)
        tokens = in_sequence(tokens, document_ends=False, prefix=len(frame.prefix))
    texts = [document.text[a:b] for a, b in spans]
    alone = encoder.token_ids(texts)
    whole = [
        len(read) == len(frame.around(ids))
        for read, (ids, _) in zip(alone, encoder.content(texts), strict=True)
    ]
    return Passages(
        characters,
        tuple(tuple(one) for one in alone),
        np.asarray(whole, dtype=np.bool_),
        windows,
        tokens,
    )


def excerpt(
    passages: Passages, windows: Sequence[int]
) -> tuple[Layout, NDArray[np.int64], TokenSpans]:
    """Some of a document's windows, read without the rest of it; which of its passages, ascending,
    lie in them whole; and where these stand in the layout's sequence, (passages, 2)."""
    kept = sorted(set(windows))
    layout = passages.layout
    starts, ends = passages.limits
    part = Layout(
        tuple(layout.windows[i] for i in kept),
        tuple(layout.kept[i] for i in kept),
        layout.places and tuple(layout.places[i] for i in kept),
    )
    read = np.isin(np.arange(len(starts)), kept)
    before = np.cumsum([0, *read])
    first, last = passages.reach.T
    has_tokens = passages.tokens[:, 0] < passages.tokens[:, 1]
    whole = np.flatnonzero(has_tokens & (before[last] - before[first] == last - first))
    unread = np.cumsum([0, *((ends - starts) * ~read)])  # states left out before each window
    moved = 0 if layout.places else unread[first[whole], np.newaxis]
    return part, whole, passages.tokens[whole] - moved
