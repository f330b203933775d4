"""Do the chunks of Kamradt's chunker grow with the text, when it cuts at a percentile?

Its threshold is relative: one sentence boundary in twenty is cut, however long the text is. Each
of Chroma's corpora is cut whole and from its beginning only, so that the text is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.chunkers import semantic
from chunkstudy.chunkers.structure import sentences
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.study_runs import Context

NAME = "percentile-threshold"
COLLECTIONS = ("chroma",)
SHARES = (0.1, 0.25, 0.5, 1.0)
"""Of a corpus' sentences, from its first."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``sizes``: a row per corpus and share of it; sizes of chunks in cl100k tokens."""
    store, count = context.store(MINILM), tokens.counter("cl100k")
    rows = []
    for document in [one for name in collections for one in context.collection(name).documents]:
        spans = sentences(document.text)
        for share in SHARES:
            context.say(f"{document.id}: the first {share:.0%}")
            n = max(2, round(share * len(spans)))
            text = document.text[: spans[n - 1][1]]
            found = semantic.kamradt(text, embed=store.encode)
            cuts = [*(start for start, *_ in found), len(text)]
            sizes = np.array(count.count_many([text[a:b] for a, b in pairwise(cuts)]))
            rows.append(
                {
                    "part": document.id,
                    "share": f"{share:.0%}",
                    "sentences": n,
                    "tokens": count.count(text),
                    "chunks": len(sizes),
                    "mean tokens": float(sizes.mean()),
                    "largest": int(sizes.max()),
                }
            )
    return {"sizes": pd.DataFrame(rows)}
