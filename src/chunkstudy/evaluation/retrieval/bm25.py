"""BM25: chunks ranked by the words they share with a query.

Source: Lucene's form of the measure as bm25s computes it (Lù, arXiv 2407.03618), k1 = 1.2 and
b = 0.75 as Lucene has them; a word is a run of letters and digits in lower case, without stop words
and stemming, so that it is the same for every language that puts blanks between words. In own
documents every two neighbouring signs of scripts that put none (Chinese, Japanese, Korean, Thai,
Lao, Khmer, Burmese) are a word, as Lucene's CJKAnalyzer has it (its CJKBigramFilter).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from chunkstudy.evaluation.retrieval.chunks import Limit, Ranking, keep_best, nothing_kept

K1, B = 1.2, 0.75
WORD = re.compile(r"\w+")
MARKED_WORD = regex.compile(r"[\w\p{N}][\w\p{N}\p{M}]*")
"""The same with the marks of scripts that write vowels so."""
UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc]+"
)
"""A run of signs between which blanks tell nothing; U+30FC lengthens a vowel."""


def words(text: str, scripts: str = "latin") -> list[str]:
    """What is counted of a text; of ``any`` script two neighbouring signs where it puts no blanks,
    and the same in either of Unicode's normal forms. The study's records count as for ``latin``."""
    if scripts == "latin" or text.isascii():
        return WORD.findall(text.casefold())
    found = MARKED_WORD.findall(unicodedata.normalize("NFC", text).casefold())
    return [word for run in found for word in _bigrams(run)]


def _bigrams(run: str) -> Iterator[str]:
    """A word as it is, of unspaced scripts each two neighbours; a sign alone stays alone."""
    end = 0
    for match in UNSPACED.finditer(run):
        if match.start() > end:
            yield run[end : match.start()]
        signs = regex.findall(r"\X", match[0])
        if len(signs) == 1:
            yield match[0]
        yield from (first + second for first, second in pairwise(signs))
        end = match.end()
    if end < len(run):
        yield run[end:]


class BM25:
    """An index over texts.

    Args:
        texts: what is searched, shape (chunks,).
        scripts: whose words are counted, see :func:`words`.

    Raises:
        ModuleNotFoundError: if bm25s is not installed (the extra ``bm25``).
    """

    def __init__(self, texts: Sequence[str], scripts: str = "latin") -> None:
        import bm25s  # late: it is an extra

        self._size = len(texts)
        self._scripts = scripts
        self._index = bm25s.BM25(k1=K1, b=B, method="lucene")
        self._known: dict[str, int] = {}
        ids = [
            [self._known.setdefault(word, len(self._known)) for word in words(t, scripts)]
            for t in texts
        ]
        if self._known:
            self._index.index((ids, self._known), create_empty_token=False, show_progress=False)

    def __len__(self) -> int:
        return self._size

    def scores(self, query: str) -> NDArray[np.float32]:
        """Shape (chunks,); 0 of a chunk that shares no word."""
        ids = [self._known[word] for word in words(query, self._scripts) if word in self._known]
        if not ids:
            return np.zeros(self._size, dtype=np.float32)
        scores: NDArray[np.float32] = self._index.get_scores_from_ids(ids)
        return scores

    def search(self, queries: Sequence[str], depth: int, allowed: Limit | None = None) -> Ranking:
        """Rank the chunks for every query; one that shares no word with it is not found.

        Args:
            queries: as they are asked.
            depth: chunks kept per query.
            allowed: limits queries to one document each; words are weighed by all chunks.
        """
        best = nothing_kept(len(queries), depth)
        places = np.arange(self._size)
        for row, query in enumerate(queries):
            scores = self.scores(query)[None]
            matching = scores > 0
            if allowed is not None and (document := allowed.query_document[row]) >= 0:
                matching &= allowed.chunk_document == document
            keep_best(best, slice(row, row + 1), np.where(matching, scores, -np.inf), places)
        return best
