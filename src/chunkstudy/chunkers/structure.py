"""Chunkers that look at characters and tokens only: recursive, token windows, sentences, sections.

Sources: Chroma's report, "RecursiveCharacterTextSplitter & TokenTextSplitter"; Chroma's
recursive_token_chunker.py and fixed_token_chunker.py. Offsets are carried by construction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from chunkstudy.chunkers.markup import headings
from chunkstudy.chunkers.text_tokens import WordPieces, token_spans
from chunkstudy.core.spans import Drawn, RewrittenSpan, Span, stripped
from chunkstudy.core.tokens import TokenCounter, cl100k, cl100k_tokens, without_surrogates

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
SENTENCE_GAP = re.compile(r"(?<=[.?!])\s+")
STOPS = "。！？｡।॥؟۔։።፧።"
"""Full stops, question and exclamation marks that need no blank behind them: Chinese and Japanese,
Devanagari, Arabic and Urdu, Armenian, Ethiopic. Thai has none."""
CLOSING = "」』）】》〉”’\"')]"
STOP = re.compile(f"[{STOPS}]++[{re.escape(CLOSING)}]*+")
PIECE_SIZE = 50


def recursive(
    text: str,
    *,
    size: int,
    overlap: int = 0,
    count: TokenCounter,
) -> list[Span]:
    """Split at the coarsest separator that occurs, recurse into what is too long, merge the rest.

    A separator stays at the start of the piece that follows it; pieces shorter than ``size`` are
    merged up to ``size``; a chunk starts with the last pieces of the one before, as many as hold
    at most ``overlap``; chunks are stripped (recursive_token_chunker.py:20, 48-90;
    fixed_token_chunker.py:66-115). Pieces of no length under ``count`` (WordPiece drops control
    characters) are carried over even without an overlap, as there.

    Raises:
        ValueError: if the size is not positive, or the overlap negative or not smaller than it.
    """
    check_sizes(size, overlap)
    splitter = _Recursive(text, size, overlap, count)
    if text.strip():
        splitter.split(0, len(text), SEPARATORS)
    return splitter.found


def pieces(text: str, count: TokenCounter) -> list[Span]:
    """The base pieces of the semantic chunkers: recursive, up to 50 tokens, without overlap."""
    return recursive(text, size=PIECE_SIZE, count=count)


def token(text: str, *, size: int, overlap: int = 0, count: TokenCounter) -> list[RewrittenSpan]:
    """Windows of ``size`` tokens every ``size - overlap`` (fixed_token_chunker.py:247-262).

    A chunk covers every character that its tokens touch, so two neighbours share a character
    whose bytes are cut apart; its text is that of its cl100k tokens, the source under WordPiece.

    Raises:
        ValueError: if the size is not positive, or the overlap negative or not smaller than it.
    """
    if count.name != "cl100k":
        spans = token_spans(text, WordPieces())
        ends = [
            (spans[first][0], spans[after - 1][1])
            for first, after in windows(len(spans), size, overlap)
        ]
        return [(start, end, text[start:end]) for start, end in ends]
    ids, offsets = cl100k_tokens(text)
    whole, cut = without_surrogates(text) is text, []
    for first, after in windows(len(ids), size, overlap):
        start, end = int(offsets[first, 0]), int(offsets[after - 1, 1])
        torn = (first > 0 and offsets[first - 1, 1] > start) or (
            after < len(ids) and offsets[after, 0] < end
        )
        # decoding gives the source unless a character is cut in two
        written = text[start:end] if whole and not torn else cl100k().decode(ids[first:after])
        cut.append((start, end, written))
    return cut


def windows(items: int, size: int, overlap: int) -> list[Span]:
    """Windows of ``size`` of so many items, each from its first to one past its last; the last one
    is the first that reaches the end."""
    check_sizes(size, overlap)
    cut = []
    for start in range(0, items, size - overlap):
        cut.append((start, min(start + size, items)))
        if start + size >= items:
            break
    return cut


def sentences(text: str, scripts: str = "latin") -> list[Span]:
    """Sentences end where white space follows a full stop, question or exclamation mark; of ``any``
    script also behind the full stops of others (:func:`stops`).

    LangChain's SemanticChunker (its ``sentence_split_regex``), without the empty sentence it
    makes of white space at the end of the text.
    """
    gaps = [gap.span() for gap in SENTENCE_GAP.finditer(text)]
    if scripts == "any" and (others := stops(text)):
        gaps = sorted({*gaps, *((end, end) for _, end in others)})
    starts = [0, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), len(text)]
    return [
        stripped(text, s, e) if scripts == "any" else (s, e)
        for s, e in zip(starts, ends, strict=True)
        if not text[s:e].isspace() and s < e
    ]


def sections(text: str, *, size: int, count: TokenCounter) -> list[Span]:
    """Sections under headings, as ``markup`` finds them, in spans of at most ``size``: from one
    heading to before the next, of whatever level; text before the first one is a section, and a
    heading without text of its own stays with the section below it.

    Raises:
        ValueError: if the size is not positive.
    """
    check_sizes(size)
    starts = [0]
    body = 0  # where the text under the last heading begins
    for heading in headings(text):
        if text[body : heading.start].strip():
            starts.append(heading.start)
        body = heading.end
    spans = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        if count.count(part.strip()) > size:
            inner = recursive(part, size=size, count=count)
            spans += [(start + low, start + high) for low, high in inner]
        elif part.strip():
            spans.append(stripped(text, start, end))
    return spans


def stops(text: str) -> list[Span]:
    """Where a sentence ends in a script that puts no blank behind its full stop: the stops with the
    quotation marks and brackets that close behind them."""
    return [stop.span() for stop in STOP.finditer(text)]


def joined(
    text: str, pieces: Sequence[Span], starts: Sequence[int], between: str = " "
) -> Drawn[RewrittenSpan]:
    """Chunks from base pieces, which Chroma's and LangChain's code join by a space.

    A single piece has no neighbour to compare with and stays whole: a fallback.

    Args:
        text: the document.
        pieces: of it, ascending.
        starts: the index of the first piece of every chunk, 0 the first of them.
        between: what joins the pieces.
    """
    bounds = pairwise([*starts, len(pieces)]) if pieces else ()
    chunks = [
        (
            pieces[first][0],
            pieces[after - 1][1],
            between.join(text[start:end] for start, end in pieces[first:after]),
        )
        for first, after in bounds
    ]
    return Drawn(chunks, fallbacks=int(len(pieces) == 1))


def check_sizes(size: int, overlap: int = 0) -> None:
    """Refuse sizes that no chunk can have."""
    if size < 1:
        raise ValueError(f"the chunk size is {size}; it must be at least 1")
    if not 0 <= overlap < size:
        raise ValueError(
            f"the overlap is {overlap} for chunks of {size}; it must be at least 0 and smaller "
            "than the size"
        )


@dataclass
class _Recursive:
    """One text being split; ``found`` collects its chunks in order."""

    text: str
    size: int
    overlap: int
    count: TokenCounter
    found: list[Span] = field(default_factory=list)
    joiner: int = field(init=False)
    """Length of the empty string that joins pieces: 2 where [CLS] and [SEP] are counted."""

    def __post_init__(self) -> None:
        self.joiner = self.count.count("")

    def split(self, start: int, end: int, separators: Sequence[str]) -> None:
        level = next(
            (i for i, s in enumerate(separators) if self.text.find(s, start, end) >= 0),
            len(separators) - 1,
        )
        finer = separators[level + 1 :]
        spans = self._at(separators[level], start, end)
        short: list[Span] = []
        lengths: list[int] = []
        for span, length in zip(spans, self._lengths(spans), strict=True):
            if length < self.size:
                short.append(span)
                lengths.append(length)
                continue
            self._merge(short, lengths)
            short, lengths = [], []
            if finer:
                self.split(*span, finer)
            else:
                self.found.append(span)
        self._merge(short, lengths)

    def _at(self, separator: str, start: int, end: int) -> list[Span]:
        if not separator:
            return [(i, i + 1) for i in range(start, end)]
        cuts = [start]
        at = self.text.find(separator, start, end)
        while at >= 0:
            cuts.append(at)
            at = self.text.find(separator, at + len(separator), end)
        cuts.append(end)
        return [(s, e) for s, e in pairwise(cuts) if s < e]

    def _lengths(self, spans: Sequence[Span]) -> list[int]:
        texts = [self.text[start:end] for start, end in spans]
        distinct = list(dict.fromkeys(texts))
        lengths = dict(zip(distinct, self.count.count_many(distinct), strict=True))
        return [lengths[text] for text in texts]

    def _merge(self, spans: Sequence[Span], lengths: Sequence[int]) -> None:
        first, total = 0, 0
        for i, length in enumerate(lengths):
            if first < i and total + length + self.joiner > self.size:
                self._append(spans[first][0], spans[i - 1][1])
                while total > self.overlap or (
                    total > 0 and total + length + self.joiner * (first < i) > self.size
                ):
                    total -= lengths[first] + self.joiner * (i - first > 1)
                    first += 1
            total += length + self.joiner * (first < i)
        if spans:
            self._append(spans[first][0], spans[-1][1])

    def _append(self, start: int, end: int) -> None:
        start, end = stripped(self.text, start, end)
        if start < end:
            self.found.append((start, end))
