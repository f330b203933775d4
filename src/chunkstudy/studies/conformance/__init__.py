"""Does the late chunking that others ship give our vectors, and what do their decisions cost?

Three tools pool chunks from a document's token states: chonkie, ConTEB's contextual-embeddings and
afterthoughts. ``vectors`` holds what each gave on the same weights, texts and boundaries against
what our own reading of its decisions gives, and against late chunking as it is done here;
``scores`` has the questions' DCG@10 with each decision, on whole documents that are a part of each
collection.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.runs.study_runs import Context
from chunkstudy.show import formats
from chunkstudy.show.columns import Column
from chunkstudy.studies.conformance import arms, vectors
from chunkstudy.studies.conformance.costs import (
    UNREAD,
    at,
    decisions,
    protocols,
    quote,
    separated,
)

AS_DEPTH = {"documents": Column("documents returned a query", formats.tenths)}
COLLECTIONS = ("builtin", "chroma-within", covid_qa.WITHIN)


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``vectors`` and ``scores``; collections without a part of their own give no scores."""
    scored = [arms.scores(context, name) for name in collections if name in arms.PARTS]
    return {
        "vectors": vectors.compared(context, collections),
        "scores": pd.concat(scored, ignore_index=True) if scored else pd.DataFrame(),
    }
