"""The tokens that windows, sentence ends and decoded text are made of.

WordPiece's, or the evaluated encoder's own (``Protocol.tokenizer``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkstudy.core.spans import RewrittenSpan, Span
from chunkstudy.core.tokens import TextTokens, TokenOffsets, content, tokens_between, wordpiece


class WordPieces:
    """BERT's uncased WordPiece, which all of the study's models but the XLM-R ones use."""

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        return content(wordpiece(), texts)

    def decode(self, ids: Sequence[int]) -> str:
        return wordpiece().decode(list(ids), skip_special_tokens=False)


def token_spans(text: str, tokenizer: TextTokens) -> list[Span]:
    """The characters of each token; what a tokenizer drops (accents, control characters), white
    space aside, belongs to the token before it, or at the beginning to the first."""
    ((_, offsets),) = tokenizer.content([text])
    starts, ends = offsets[:, 0].tolist(), offsets[:, 1].tolist()
    if starts and text[: starts[0]].strip():
        starts[0] = len(text) - len(text.lstrip())
    return [
        (start, end + len(text[end:following].rstrip()))
        for start, end, following in zip(starts, ends, [*starts[1:], len(text)], strict=False)
    ]


def decoded(text: str, spans: Sequence[Span], tokenizer: TextTokens) -> list[RewrittenSpan]:
    """Chunks whose text is their tokens put back together, as Jina's plain arm embeds them
    (mteb_chunked_eval.py:351-356): lower case, spaces as the tokenizer sets them, [UNK] for what
    the vocabulary lacks, and ``##`` where a chunk starts inside a word.
    """
    starts, ends = np.asarray(spans, dtype=np.int64).reshape(-1, 2).T
    ((ids, offsets),) = tokenizer.content([text])
    return [
        (start, end, tokenizer.decode(ids[first:last]))
        for (start, end), (first, last) in zip(
            spans, tokens_between(offsets, starts, ends).tolist(), strict=True
        )
    ]
