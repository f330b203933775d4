"""Can late chunking be trained, does training remove what it costs, and does pooling passages in
context while training beat training on passages read alone?

all-MiniLM-L6-v2 is trained on questions with a document and the passage that answers them
(training/), in five folds: each leaves out a fifth of COVID-QA's papers and one of Chroma's
corpora, on which both orderings are then scored. It comes in parts, a trained model each.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import elsewhere, price, within
from chunkstudy.studies.trained_late_chunking.parts import PLAN, Part

COLLECTIONS = ()
PACKAGES = ("safetensors",)
NAME = "trained-late-chunking"

__all__ = ["COLLECTIONS", "NAME", "PACKAGES", "PLAN", "estimate", "part"]


def part(context: Context, one: Part) -> dict[str, pd.DataFrame]:
    """``parts``: the model of each part, what it was trained on and how far. ``questions``: of
    each question asked of the documents left out DCG@10 when chunks are read plain and late.
    ``elsewhere``: nDCG@10 of each query of a collection that nothing was trained on. ``curves``:
    the loss of each step, and on the validation part at each look; step 0 is the model as it was.
    """
    return (
        elsewhere.scores(context, one) if one.test == "elsewhere" else within.scores(context, one)
    )


def estimate(todo: Sequence[Part]) -> list[str]:
    """What parts would take on one core."""
    return price.lines(todo)
