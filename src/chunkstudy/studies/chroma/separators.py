"""What do Chroma's separators change in recursive chunks, against LangChain's own?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.chunkers.structure import SEPARATORS, recursive
from chunkstudy.runs.study_runs import Context

NAME = "separators"
COLLECTIONS = ("chroma",)
LANGCHAIN = ("\n\n", "\n", " ", "")
SIZES = (200, 400)


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``chunks``: a row per size and separators; sizes in cl100k tokens."""
    count = tokens.counter("cl100k")
    rows = []
    documents = [one for name in collections for one in context.collection(name).documents]
    for size in SIZES:
        for name, marks in (("LangChain's", LANGCHAIN), ("Chroma's", SEPARATORS)):
            sizes: list[int] = []
            for document in documents:
                cut = recursive(document.text, size=size, count=count, separators=marks)
                sizes += count.count_many([document.text[a:b] for a, b in cut])
            found = np.array(sizes)
            rows.append(
                {
                    "separators": name,
                    "size": size,
                    "chunks": len(found),
                    "mean tokens": float(found.mean()),
                    "shorter than a tenth of the size": int((found < size / 10).sum()),
                }
            )
    return {"chunks": pd.DataFrame(rows)}
