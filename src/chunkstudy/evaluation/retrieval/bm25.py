"""BM25: chunks ranked by the words they share with a query.

Source: Lucene's form of the measure as bm25s computes it (Lù, arXiv 2407.03618), k1 = 1.2 and
b = 0.75 as Lucene has them; a word is a run of letters and digits in lower case, without stop words
and stemming, so that it is the same for every language that puts blanks between words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunkstudy.evaluation.retrieval.chunks import Limit, Ranking, keep_best, nothing_kept

K1, B = 1.2, 0.75
WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """What is counted of a text."""
    return WORD.findall(text.casefold())


class BM25:
    """An index over texts.

    Args:
        texts: what is searched, shape (chunks,).

    Raises:
        ModuleNotFoundError: if bm25s is not installed (the extra ``bm25``).
    """

    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s  # late: it is an extra

        self._size = len(texts)
        self._index = bm25s.BM25(k1=K1, b=B, method="lucene")
        self._known: dict[str, int] = {}
        ids = [[self._known.setdefault(word, len(self._known)) for word in words(t)] for t in texts]
        if self._known:
            self._index.index((ids, self._known), create_empty_token=False, show_progress=False)

    def scores(self, query: str) -> NDArray[np.float32]:
        """Shape (chunks,); 0 of a chunk that shares no word."""
        ids = [self._known[word] for word in words(query) if word in self._known]
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
