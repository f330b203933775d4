"""Chunkers that look at characters and tokens only: recursive, token windows, sentences.

Sources: S0 "RecursiveCharacterTextSplitter & TokenTextSplitter"; Chroma's
recursive_token_chunker.py and fixed_token_chunker.py. Offsets are carried by construction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from chunkstudy.spans import Span
from chunkstudy.tokens import TokenCounter, cl100k_offsets, wordpiece

T = TypeVar("T")

SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
SENTENCE_GAP = re.compile(r"(?<=[.?!])\s+")
SURROGATE = re.compile("[\ud800-\udfff]")
PIECE_SIZE = 50


def recursive(text: str, *, size: int, overlap: int = 0, count: TokenCounter) -> list[Span]:
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
    found: list[Span] = []
    if text.strip():
        _recurse(text, (0, len(text)), SEPARATORS, _Merger(text, size, overlap, count, found))
    return found


def pieces(text: str, count: TokenCounter) -> list[Span]:
    """The base pieces of the semantic chunkers: recursive, below 50 tokens, without overlap."""
    return recursive(text, size=PIECE_SIZE, count=count)


def token(text: str, *, size: int, overlap: int = 0, tokenizer: str = "cl100k") -> list[Span]:
    """Windows of ``size`` tokens every ``size - overlap`` (fixed_token_chunker.py:247-262).

    A chunk covers every character that its tokens touch, so two neighbours share a character
    whose bytes are cut apart.

    Raises:
        ValueError: if the size is not positive, or the overlap negative or not smaller than it.
    """
    return [
        (offsets[0][0], offsets[-1][1])
        for offsets in windows(token_offsets(text, tokenizer), size, overlap)
    ]


def token_offsets(text: str, tokenizer: str) -> list[Span]:
    """Character offsets of the tokens, under ``cl100k`` or ``wordpiece``.

    What WordPiece drops (accents, control characters) belongs to the token before it.
    """
    if tokenizer == "cl100k":
        return [(start, end) for start, end in cl100k_offsets(text).tolist()]
    encoded = wordpiece().encode(SURROGATE.sub("\ufffd", text), add_special_tokens=False)
    starts = [start for start, _ in encoded.offsets]
    ends = [
        end + len(text[end:following].rstrip())
        for (_, end), following in zip(encoded.offsets, [*starts[1:], len(text)], strict=True)
    ]
    return list(zip(starts, ends, strict=True))


def windows(items: Sequence[T], size: int, overlap: int) -> list[Sequence[T]]:
    """Windows of ``size`` items; the last one is the first that reaches the end."""
    check_sizes(size, overlap)
    found = []
    for start in range(0, len(items), size - overlap):
        found.append(items[start : start + size])
        if start + size >= len(items):
            break
    return found


def sentences(text: str) -> list[Span]:
    """Sentences end where white space follows a full stop, question or exclamation mark.

    LangChain's SemanticChunker (its ``sentence_split_regex``), without the empty sentence it
    makes of white space at the end of the text.
    """
    gaps = list(SENTENCE_GAP.finditer(text))
    starts = [0, *(gap.end() for gap in gaps)]
    ends = [*(gap.start() for gap in gaps), len(text)]
    return [(s, e) for s, e in zip(starts, ends, strict=True) if not text[s:e].isspace() and s < e]


def check_sizes(size: int, overlap: int = 0) -> None:
    """Refuse sizes that no chunk can have."""
    if size < 1:
        raise ValueError(f"the chunk size is {size}; it must be at least 1")
    if not 0 <= overlap < size:
        raise ValueError(
            f"the overlap is {overlap} for chunks of {size}; it must be at least 0 and smaller "
            "than the size"
        )


class _Merger:
    """Puts pieces together into chunks and collects the chunks."""

    def __init__(
        self, text: str, size: int, overlap: int, count: TokenCounter, found: list[Span]
    ) -> None:
        self.text, self.size, self.overlap, self.count, self.found = (
            text,
            size,
            overlap,
            count,
            found,
        )
        # The official joiner is "", whose length is 2 where [CLS] and [SEP] are counted.
        self.joiner = count.count("")

    def lengths(self, spans: Sequence[Span]) -> list[int]:
        texts = [self.text[start:end] for start, end in spans]
        distinct = list(dict.fromkeys(texts))
        length = dict(zip(distinct, self.count.count_many(distinct), strict=True))
        return [length[text] for text in texts]

    def merge(self, spans: Sequence[Span], lengths: Sequence[int]) -> None:
        first, total = 0, 0
        for i, length in enumerate(lengths):
            if first < i and total + length + self.joiner > self.size:
                self._append(spans[first][0], spans[i - 1][1])
                while total > self.overlap or (total > 0 and self._overflows(total, length, i > first)):
                    total -= lengths[first] + (self.joiner if i - first > 1 else 0)
                    first += 1
            total += length + (self.joiner if i > first else 0)
        if spans:
            self._append(spans[first][0], spans[-1][1])

    def _overflows(self, total: int, length: int, joined: bool) -> bool:
        return total + length + (self.joiner if joined else 0) > self.size

    def _append(self, start: int, end: int) -> None:
        chunk = self.text[start:end]
        if stripped := chunk.strip():
            start += len(chunk) - len(chunk.lstrip())
            self.found.append((start, start + len(stripped)))


def _recurse(text: str, span: Span, separators: Sequence[str], merger: _Merger) -> None:
    level = next(i for i, s in enumerate(separators) if not s or text.find(s, *span) >= 0)
    finer = separators[level + 1 :]
    spans = _split(text, span, separators[level])
    short: list[Span] = []
    short_lengths: list[int] = []
    for piece, length in zip(spans, merger.lengths(spans), strict=True):
        if length < merger.size:
            short.append(piece)
            short_lengths.append(length)
            continue
        merger.merge(short, short_lengths)
        short, short_lengths = [], []
        if finer:
            _recurse(text, piece, finer, merger)
        else:
            merger.found.append(piece)
    merger.merge(short, short_lengths)


def _split(text: str, span: Span, separator: str) -> list[Span]:
    start, end = span
    if not separator:
        return [(i, i + 1) for i in range(start, end)]
    cuts = [start]
    at = text.find(separator, start, end)
    while at >= 0:
        cuts.append(at)
        at = text.find(separator, at + len(separator), end)
    cuts.append(end)
    return [(s, e) for s, e in zip(cuts, cuts[1:], strict=False) if s < e]
