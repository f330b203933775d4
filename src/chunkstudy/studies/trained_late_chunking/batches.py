"""Documents cut into passages, each to be read alone or pooled from its document's windows; and
questions trained on together: those of one document first, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.encoders.contextualized import Layout, TokenSpans
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline.conditions import parse_method
from chunkstudy.pipeline.encoding import jobs
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.studies.trained_late_chunking.parts import Source, Triple


@dataclass(frozen=True)
class Passages:
    """A document's passages.

    Attributes:
        chunks: where each stands in the text.
        texts: which plain encoding reads alone.
        layout: the document in windows.
        tokens: (passages, 2), the tokens of each in the layout's sequence.
    """

    chunks: Chunks
    texts: Sequence[str]
    layout: Layout
    tokens: TokenSpans

    @cached_property
    def window_of(self) -> NDArray[np.int64]:
        """(states of the sequence,): the window that each comes from."""
        lengths = [end - start for start, end in self.layout.kept]
        return np.repeat(np.arange(len(lengths)), lengths)

    def shared(self, triple: Triple) -> NDArray[np.int64]:
        """(passages,): characters that each shares with an answer; negative where none is near."""
        first = np.maximum(self.chunks.start, triple.start)
        return np.minimum(self.chunks.end, triple.end) - first

    def best(self, triple: Triple) -> int:
        """The passage that holds most of what answers a question; sentences leave no gaps."""
        shared = self.shared(triple)
        assert shared.max(initial=0) > 0, f"no passage holds an answer to {triple.query}"
        return int(shared.argmax())

    def answering(self, triple: Triple, triples: Sequence[Triple]) -> NDArray[np.bool_]:
        """(passages,): whether each holds any of an answer to the question, of all triples."""
        question = triple.source, triple.query
        answers = [other for other in triples if (other.source, other.query) == question]
        return np.any([self.shared(answer) > 0 for answer in answers], axis=0)

    def windows(self, triples: Sequence[Triple]) -> list[int]:
        """The windows that hold the passages that answer some questions, ascending."""
        spans = [self.tokens[self.best(triple)].tolist() for triple in triples]
        return sorted({i for first, last in spans for i in self.window_of[first:last].tolist()})

    def excerpt(self, windows: Sequence[int]) -> tuple[Layout, NDArray[np.int64], TokenSpans]:
        """Some windows, ascending, read without the rest of the document; which of its passages,
        ascending, lie in them whole; and where these stand in the layout's sequence,
        (passages, 2)."""
        kept = tuple(self.layout.kept[i] for i in windows)
        layout = Layout(tuple(self.layout.windows[i] for i in windows), kept)
        before = np.cumsum([0, *np.isin(self.window_of, windows)])  # states read before each
        places = before[self.tokens]
        read, tokens = np.diff(places).ravel(), np.diff(self.tokens).ravel()
        inside = np.flatnonzero((read == tokens) & (tokens > 0))
        return layout, inside, places[inside]


Library = Mapping[Source, Passages]


def passages(store: VectorStore, collection: Collection, chunks: Chunks, ordering: str) -> Library:
    """The passages of a collection's documents, in the windows in which late chunking reads them.

    Args:
        store: of the encoder, which tokenizes.
        collection: the collection.
        chunks: of all its documents, which are the passages.
        ordering: of late chunking.
    """
    documents = collection.documents
    read = jobs(store, documents, chunks, parse_method(ordering), CORRECTED)
    library = {}
    for i, layout, tokens in zip(
        np.unique(chunks.document).tolist(), read.layouts, read.spans, strict=True
    ):
        inside = chunks.only(chunks.document == i)
        source = collection.name, documents[i].id
        library[source] = Passages(inside, inside.texts(documents), layout, tokens)
    return library


def read_whole(
    triples: Sequence[Triple], library: Library, encoder: TransformerEncoder
) -> list[Triple]:
    """Those whose passage plain encoding reads to its end: of a longer one the model may never see
    the answer, and a system that reads passages alone would learn from less than one in context."""
    documents = [library[triple.source] for triple in triples]
    texts = [each.texts[each.best(triple)] for each, triple in zip(documents, triples, strict=True)]
    read = np.asarray(encoder.characters_read(texts)) == [len(text) for text in texts]
    return [triples[i] for i in np.flatnonzero(read).tolist()]


@dataclass(frozen=True)
class Batch:
    """Questions and passages, the same whichever way the passages are read.

    Attributes:
        questions: their texts, one for each triple.
        positive: (questions,), the passage that holds most of the answer.
        relevant: (questions, passages), all passages that hold any of an answer to the question.
        alone: the text of each passage.
        layouts: of each document the windows read in context.
        tokens: of each document, (its passages, 2) in its layout's sequence; passages follow each
            other document by document.
    """

    questions: list[str]
    positive: torch.Tensor
    relevant: torch.Tensor
    alone: list[str]
    layouts: list[Layout]
    tokens: list[TokenSpans]


def shuffled(triples: Sequence[Triple], library: Library, seed: int) -> Iterator[Triple]:
    """The triples without end: documents in another order each time, the questions of one together
    and in the order of their answers, so that a window is read once for all of them."""
    random = np.random.default_rng(seed)
    sources = sorted({triple.source for triple in triples})
    by_answer = sorted(triples, key=lambda each: (library[each.source].best(each), each))
    while True:
        for i in random.permutation(len(sources)).tolist():
            yield from (triple for triple in by_answer if triple.source == sources[i])


def batches(
    ordered: Iterable[Triple], triples: Sequence[Triple], library: Library, budget: int
) -> Iterator[Batch]:
    """Triples in their order, in batches; one is full when the next question's windows would take
    it past the budget, or when it has all triples.

    Args:
        ordered: the triples, each once or again and again.
        triples: all of them.
        library: the passages of their documents.
        budget: tokens of windows.
    """
    group: list[Triple] = []
    for triple in ordered:
        longer = gather([*group, triple], triples, library)
        tokens = sum(layout.tokens for layout in longer.layouts)
        if group and (len(group) == len(triples) or tokens > budget):
            yield gather(group, triples, library)
            group = []
        group.append(triple)
    yield gather(group, triples, library)


def gather(group: Sequence[Triple], triples: Sequence[Triple], library: Library) -> Batch:
    """A batch of some triples; of all of them, the other answers to a question are not wrong."""
    batch = Batch([], torch.empty(0), torch.empty(0), [], [], [])
    positive: list[int] = []
    relevant = []
    for source in dict.fromkeys(triple.source for triple in group):
        document = library[source]
        of_document = [triple for triple in group if triple.source == source]
        layout, inside, places = document.excerpt(document.windows(of_document))
        best = np.searchsorted(inside, [document.best(triple) for triple in of_document])
        positive += (len(batch.alone) + best).tolist()
        answering = [document.answering(triple, triples)[inside] for triple in of_document]
        relevant.append(torch.from_numpy(np.stack(answering)))
        batch.questions.extend(triple.question for triple in of_document)
        batch.alone.extend(document.texts[i] for i in inside)
        batch.layouts.append(layout)
        batch.tokens.append(places)
    return replace(batch, positive=torch.tensor(positive), relevant=torch.block_diag(*relevant))
