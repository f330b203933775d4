"""The table of chunkers. To add one: write its function, then its line in ``CHUNKERS``.
A reader is told its first size in tokens where the function names it ``size``, else by its name:
``lines=20`` is *20 lines*.

A chunker is a function of a text that names what else it needs: ``embed``, texts to vectors;
``count``, the length function; ``tokenizer``, the tokens that windows are made of; ``ask`` and
``model``, a language model; ``segmentation``, what others made of the text; ``quirks`` and
``form``, whose faults it keeps (``Protocol``); ``sentences``, whether ielab's code shows a model
those; and the numbers of its slug.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from chunkstudy.chunkers import (
    breakpoints,
    llm_windows,
    lumberchunker,
    passages,
    propositions,
    random_boundaries,
    segmenter,
    semantic,
    structure,
)
from chunkstudy.core.spans import RewrittenSpan, Span

ANY = ("cl100k", "wordpiece", "wordpiece-special", "characters")
CL100K = ("cl100k",)
WORDPIECE = ("wordpiece",)
GEMINI = "gemini/gemini-2.5-flash"
"""What the taxonomy asks (Beyond Chunk-Then-Embed, Section 3.2)."""


@dataclass(frozen=True, slots=True)
class ChunkerEntry:
    """A chunker in the table.

    Attributes:
        function: a text, and what it names, to spans, or to (start, end, text as the official code
            puts it together).
        title: what a reader calls it.
        sizes: the numbers of its slug, by the names under which the function takes them.
        lengths: the length functions it can be measured in, the usual one first.
        passes: how often it embeds the text to place boundaries, for estimates of cost.
        windows: of a text, and of the scripts whose full stops count, all that it embeds, where
            that is known beforehand and can be encoded for a whole collection at once.
        decodes: whether Jina's plain arm puts its tokens back into text.
        rewrites: whether its text is its own under every protocol, beside its parent's span.
        segments: the collections it knows, where it does not chunk any text.
        llm: the language model that the paper let draw the boundaries, by provider and name.
        control: whether it only stands against others and nobody would use it.
    """

    function: Callable[..., Sequence[Span] | Sequence[RewrittenSpan]]
    title: str
    sizes: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ANY
    passes: float = 0.0
    windows: Callable[[str, str], list[str]] | None = None
    decodes: bool = False
    rewrites: bool = False
    segments: tuple[str, ...] = ()
    llm: str = ""
    control: bool = False

    def takes(self, name: str) -> bool:
        """Whether the function names it."""
        return name in _parameters(self.function)


@cache
def _parameters(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _released(title: str, rewrites: bool = False) -> ChunkerEntry:
    return ChunkerEntry(passages.segmented, title, rewrites=rewrites, segments=("gutenqa-emma",))


def _without_tail(merge: bool) -> ChunkerEntry:
    function = partial(passages.fixed_without_tail, merge=merge)
    return ChunkerEntry(function, "Fixed size", ("size", "least"), WORDPIECE, decodes=True)


def _breakpoints(kind: breakpoints.Kind, title: str) -> ChunkerEntry:
    function = partial(breakpoints.chunk, kind=kind)
    return ChunkerEntry(function, title, lengths=CL100K, llm=GEMINI)


CHUNKERS: dict[str, ChunkerEntry] = {
    "recursive": ChunkerEntry(structure.recursive, "Recursive", ("size", "overlap")),
    "token": ChunkerEntry(structure.token, "Token window", ("size", "overlap"), CL100K + WORDPIECE),
    "kamradt": ChunkerEntry(semantic.kamradt, "Kamradt", lengths=CL100K, passes=3),
    "kamradt-modified": ChunkerEntry(
        semantic.kamradt_modified, "Kamradt, modified", ("size",), passes=7
    ),
    "cluster": ChunkerEntry(semantic.cluster, "Cluster", ("size",), passes=1),
    "none": ChunkerEntry(passages.none, "No chunking"),
    "paragraph": ChunkerEntry(passages.paragraphs, "Paragraph"),
    "markdown": ChunkerEntry(structure.sections, "Sections under headings", ("size",)),
    "fixed": ChunkerEntry(passages.fixed, "Fixed size", ("size",), WORDPIECE, decodes=True),
    "fixed-merged": _without_tail(merge=True),
    "fixed-dropped": _without_tail(merge=False),
    "sentence": ChunkerEntry(
        passages.sentence_groups, "Sentence groups", ("group",), WORDPIECE, decodes=True
    ),
    "semantic": ChunkerEntry(
        semantic.percentile,
        "Semantic",
        lengths=CL100K,
        passes=3,
        windows=semantic.percentile_windows,
        decodes=True,
    ),
    "segmenter": ChunkerEntry(segmenter.segments, "Jina's segmenter", lengths=CL100K),
    "proposition-sentences": ChunkerEntry(
        passages.sentence_propositions, "Proposition, each sentence one", rewrites=True
    ),
    "lumberchunker-released": _released("LumberChunker, authors' boundaries"),
    "proposition-released": _released("Proposition, authors' text", rewrites=True),
    "semantic-released": _released("Semantic, authors' boundaries"),
    "recursive-released": _released("Recursive, authors' boundaries"),
    "fixed-released": _released("Fixed size, authors' boundaries"),
    "llm": ChunkerEntry(llm_windows.chunk, "Language model", lengths=CL100K, llm="openai/gpt-4o"),
    "lumberchunker": ChunkerEntry(lumberchunker.chunk, "LumberChunker", lengths=CL100K, llm=GEMINI),
    "lumberchunker-last": ChunkerEntry(
        random_boundaries.last_candidate,
        "LumberChunker, always the last candidate",
        lengths=CL100K,
        control=True,
    ),
    "lumberchunker-random": ChunkerEntry(
        random_boundaries.any_candidate,
        "LumberChunker, a candidate at random",
        ("draw",),
        CL100K,
        control=True,
    ),
    "breakpoints-structure": _breakpoints("structure", "Segments by structure"),
    "breakpoints-topic": _breakpoints("topic", "Segments by topic"),
    "breakpoints-summary": _breakpoints("summary", "Segments with summaries"),
    "proposition": ChunkerEntry(
        propositions.chunk,
        "Proposition",
        lengths=CL100K,
        rewrites=True,
        llm=GEMINI,
    ),
}
