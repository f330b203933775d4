"""Does a late chunk notice what comes after it, or only what came before?

Asked of the three sentences on Berlin with which Jina introduces late chunking.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Document
from chunkstudy.collections import berlin
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.grids import JINA, LATE, WIDE
from chunkstudy.runs.names import parse_ordering
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context

NAME = "late-direction"
COLLECTIONS: tuple[str, ...] = ()
OTHER = " The museum keeps paintings and prints from four centuries."
"""Put in the place of a sentence, to see which vectors notice."""


def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``cosines``: how far a late chunk's vector moves when the last sentence is replaced, or the
    first: its cosine similarity to what it was. A replaced sentence has none."""
    sentences, store = berlin.load(context.file(berlin.FILE)).chunks, context.store(WIDE)
    before = vectors(store, sentences)
    later = vectors(store, (*sentences[:-1], OTHER))
    earlier = vectors(store, (OTHER.strip(), *sentences[1:]))
    last = len(sentences) - 1
    rows = [
        {
            "chunk": i + 1,
            "last replaced": float(before[i] @ later[i]) if i < last else math.nan,
            "first replaced": float(before[i] @ earlier[i]) if i else math.nan,
        }
        for i in range(len(sentences))
    ]
    return {"cosines": pd.DataFrame(rows)}


def vectors(store: VectorStore, sentences: Sequence[str]) -> NDArray[np.float32]:
    """Late vectors of sentences that follow one another, shape (sentences, dimension)."""
    ends = np.cumsum([len(sentence) for sentence in sentences])
    starts = np.concatenate([[0], ends[:-1]])
    chunks = Chunks(np.zeros(len(sentences), dtype=np.int64), starts, ends, None)
    documents = [Document("article", "".join(sentences))]
    found, _ = encode(store, documents, chunks, parse_ordering(LATE), PROTOCOLS[JINA])
    return found
