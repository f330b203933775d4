"""Recall of judged spans by how much is read: the chunks in order of rank, the last one cut where
the budget ends.

At equal k a large chunk, or one that repeats half of its neighbour, hands the reader more text than
a small one. At an equal budget all hand over the same. Text that two chunks share is counted in
either of two ways: *again*, each time it is handed over, as a language model is billed for it, and
*once*, as by a reader who skips what was already read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, on_one_line
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
AGAIN, ONCE = "again", "once"
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class BudgetReading:
    """When each judged token is read: as how manyth token, counted from 1.

    Attributes:
        query: shape (judged tokens,), ascending; a token that two spans of a query share is one.
        moments: by the way of counting, shape (judged tokens,); ``NEVER`` beyond ``most``.
        judged: shape (queries,), the sum of the lengths of a query's judged spans.
        most: tokens up to which the reading was followed.
    """

    query: Ints
    moments: dict[str, Ints]
    judged: Floats
    most: int

    def recall(self, budget: int, counted: str) -> Floats:
        """Shape (queries,): the fraction of the judged tokens among the first ``budget`` read, as
        SpanRecall has it; 0 for a query that nothing judges. ``budget``: ``most`` at most.
        """
        within = self.query[self.moments[counted] <= budget]
        read = np.bincount(within, minlength=len(self.judged)).astype(np.float64)
        return np.divide(read, self.judged, out=np.zeros_like(read), where=self.judged > 0)


def follow(judged: JudgedSpans, chunks: Chunks, ranking: Ints, most: int) -> BudgetReading:
    """Read the chunks of every query in their order until ``most`` tokens are read in either way.

    Args:
        judged: spans in tokens of their documents (``token_overlap.to_tokens``).
        chunks: the chunks, in the same unit.
        ranking: chunk indices, shape (queries, depth), best first, padded with -1.
        most: the largest budget that will be asked for.

    Raises:
        ValueError: if a ranking that leaves chunks out ends before the budget does.
    """
    base, line = on_one_line(judged, chunks)
    starts, ends = chunks.start + base[chunks.document], chunks.end + base[chunks.document]
    spans = [judged.start + base[judged.document], judged.end + base[judged.document]]
    read = np.zeros(line, dtype=bool)
    queries = [np.zeros(0, dtype=np.int64)]
    moments = [np.zeros((2, 0), dtype=np.int64)]
    for query in range(judged.queries):
        of_query = np.flatnonzero(judged.query == query)
        places = [np.arange(spans[0][part], spans[1][part]) for part in of_query]
        wanted = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *places]))
        again, once = np.full((2, len(wanted)), NEVER)
        handed = fresh = 0
        touched = []
        ranked = ranking[query][ranking[query] != NO_CHUNK]
        if not len(wanted):
            continue
        for chunk in ranked.tolist():
            if fresh >= most:
                break
            start, end = int(starts[chunk]), int(ends[chunk])
            low, high = np.searchsorted(wanted, (start, end))
            new = np.cumsum(~read[start:end])
            inside = wanted[low:high] - start
            again[low:high] = np.minimum(again[low:high], handed + inside + 1)
            once[low:high] = np.minimum(once[low:high], fresh + new[inside])
            handed += end - start
            fresh += int(new[-1]) if end > start else 0
            read[start:end] = True
            touched.append(slice(start, end))
        if fresh < most and len(ranked) == ranking.shape[1] < len(chunks):
            raise ValueError(
                f"the ranking holds {len(ranked)} chunks per query, which are {fresh} tokens, and "
                f"the budget is {most}; search deeper"
            )
        for part in touched:
            read[part] = False
        queries.append(np.full(len(wanted), query))
        moments.append(np.stack([again, once]))
    lengths = np.bincount(judged.query, judged.end - judged.start, judged.queries)
    of_tokens = np.concatenate(moments, axis=1)
    of_tokens[of_tokens > most] = NEVER
    return BudgetReading(
        np.concatenate(queries),
        {AGAIN: of_tokens[0], ONCE: of_tokens[1]},
        lengths.astype(np.float64),
        most,
    )
