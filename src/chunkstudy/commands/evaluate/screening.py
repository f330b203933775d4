"""What chunks show before anybody has asked a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.chunkers.structure import sentences
from chunkstudy.commands.evaluate import running, scores, tables
from chunkstudy.commands.evaluate.arms import Arm
from chunkstudy.commands.evaluate.texts import Texts

CAPTION = "What needs no question, by way of chunking."


def screen(texts: Texts, arms: Sequence[Arm], vectors: Path) -> pd.DataFrame:
    """A row an arm that matches texts as they are: sizes, text in no chunk, beyond the window and
    in several chunks, sentences that a boundary breaks, all as fractions."""
    own = running.as_functions(texts, arms)
    offsets = [tokens.cl100k_offsets(one.text) for one in texts.collection.documents]
    rows = []
    for arm in arms:
        store = arm.encoder.open(vectors)
        indexed = running.index(texts, arm, store, own, vectors)
        returned, _ = indexed.returned
        counted = scores.token_sizes(returned, offsets)
        read = running.characters_read(store, arm, indexed)
        cut, unread = running.shares_unread(indexed, read)
        tenth, half, ninth = (float(one) for one in np.percentile(counted, (10, 50, 90)))
        rows.append(
            {
                **arm.keys,
                **tables.sizes(texts.collection, returned, counted),
                "tokens, a tenth below": tenth,
                "tokens, median": half,
                "tokens, a tenth above": ninth,
                "cut": cut,
                "unread": unread,
                "sentences broken": broken(texts.collection, returned),
                "text in several chunks": repeated(returned),
            }
        )
    return pd.DataFrame(rows)


def broken(collection: Collection, chunks: Chunks) -> float:
    """The share of sentences that no chunk holds whole, of those that a chunk touches."""
    total = whole = 0
    for position, document in enumerate(collection.documents):
        mine = chunks.document == position
        starts, ends = chunks.start[mine], chunks.end[mine]
        for start, end in sentences(document.text):
            touched = (starts < end) & (ends > start)
            text = document.text[start:end]
            first, last = start + len(text) - len(text.lstrip()), start + len(text.rstrip())
            total += bool(touched.any())
            whole += bool(((starts <= first) & (ends >= last)).any())
    return 1 - whole / total if total else 0.0


def repeated(chunks: Chunks) -> float:
    """The share of all characters in chunks that another chunk of the document holds before."""
    again, reached, document = 0, 0, -1
    order = np.lexsort((chunks.end, chunks.start, chunks.document))
    spans = zip(chunks.document[order], chunks.start[order], chunks.end[order], strict=True)
    for one, start, end in spans:
        reached = reached if one == document else 0
        document = one
        again += max(0, min(int(end), reached) - int(start))
        reached = max(reached, int(end))
    total = int(chunks.lengths.sum())
    return again / total if total else 0.0
