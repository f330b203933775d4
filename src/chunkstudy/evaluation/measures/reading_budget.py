"""Recall of judged spans by how much is read: the chunks in order of rank, the last one cut where
the budget ends.

At equal k a large chunk, or one that repeats half of its neighbour, hands the reader more text than
a small one. At an equal budget all hand over the same. Text that two chunks share is counted in
either of two ways: *again*, each time it is handed over, as a language model is billed for it, and
*once*, as by a reader who skips what was already read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.spans import Chunks
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, on_one_line
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
AGAIN, ONCE = "again", "once"


def budget_recall(
    judged: JudgedSpans, chunks: Chunks, ranking: Ints, budget: int, counted: str = AGAIN
) -> Floats:
    """Shape (queries,): the fraction of the judged tokens among the first ``budget`` read, as
    SpanRecall has it; 0 for a query that nothing judges.

    Args:
        judged: spans in tokens of their documents (``token_overlap.to_tokens``).
        chunks: the chunks, in the same unit.
        ranking: chunk indices, shape (queries, depth), best first, padded with -1.
        budget: tokens.
        counted: how tokens that two chunks share are.

    Raises:
        ValueError: if a ranking that leaves chunks out ends before the budget does.
    """
    base, line = on_one_line(judged, chunks)
    starts, ends = chunks.start + base[chunks.document], chunks.end + base[chunks.document]
    first, last = judged.start + base[judged.document], judged.end + base[judged.document]
    found, unread = np.zeros(judged.queries), np.ones(line, dtype=bool)
    for query in np.unique(judged.query).tolist():
        left, read = budget, []
        ranked = ranking[query][ranking[query] != NO_CHUNK]
        for chunk in ranked.tolist():
            if not left:
                break
            tokens = np.arange(starts[chunk], ends[chunk])
            tokens = tokens[unread[tokens]] if counted == ONCE else tokens
            read.append(tokens[:left])
            unread[read[-1]] = False
            left -= len(read[-1])
        spans = np.flatnonzero(judged.query == query).tolist()
        wanted = np.unique(np.concatenate([np.arange(first[s], last[s]) for s in spans]))
        found[query] = np.count_nonzero(~unread[wanted])
        for tokens in read:
            unread[tokens] = True
        if left and len(ranked) == ranking.shape[1] < len(chunks):
            raise ValueError(
                f"the ranking holds {len(ranked)} chunks per query, which are {budget - left} "
                f"tokens, and the budget is {budget}; search deeper"
            )
    lengths = np.bincount(judged.query, judged.end - judged.start, judged.queries)
    return np.divide(found, lengths, out=np.zeros(judged.queries), where=lengths > 0)
