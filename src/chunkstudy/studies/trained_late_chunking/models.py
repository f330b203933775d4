"""Can late chunking be trained, does training remove what it costs, and does pooling passages in
context while training beat training on passages read alone?

all-MiniLM-L6-v2 is trained on questions with a document and the passage that answers them
(loop.py), in five folds: each leaves out a fifth of COVID-QA's papers and one of Chroma's
corpora, on which both orderings are then scored. It comes in parts, a trained model each.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import testing
from chunkstudy.studies.trained_late_chunking.parts import PLAN, Part

COLLECTIONS = ()
PACKAGES = ("safetensors",)
NAME = "trained-late-chunking"

__all__ = ["COLLECTIONS", "NAME", "PACKAGES", "PLAN", "estimate", "part"]
STEP, LOOK = 2.2, 10.0
"""Seconds of one core, of an AMX Xeon, for a step on 2,048 tokens and a look at the validation
part."""
WITHIN, ELSEWHERE = 150.0, 420.0
"""Seconds for both orderings on what is left out of a fold, on average, and for the three
collections."""


def part(context: Context, one: Part) -> dict[str, pd.DataFrame]:
    """``parts``: the model of each part, what it was trained on and how far. ``questions``: of
    each question asked of the documents left out DCG@10 when chunks are read plain and late.
    ``elsewhere``: nDCG@10 of each query of a collection that nothing was trained on. ``curves``:
    the loss of each step, and on the validation part at each look; step 0 is the model as it was.
    """
    return (
        testing.elsewhere(context, one) if one.test == "elsewhere" else testing.within(context, one)
    )


def estimate(todo: Sequence[Part]) -> list[str]:
    """A line per part, what it would take of one core, and the sum; a model that an earlier part
    trains is not trained again."""
    trained: set[str] = set()
    found, total = [], 0.0
    for part in todo:
        seconds = WITHIN if part.test == "within" else ELSEWHERE
        steps = 0
        if part.is_trained and part.model not in trained:
            trained.add(part.model)
            steps = part.steps
            seconds += steps * STEP + (1 + steps / part.every) * LOOK
        total += seconds
        found.append(f"{part.name}\t{steps} steps\t{seconds / 60:.0f} minutes of a core")
    return [*found, f"{len(todo)} parts\t{total / 3600:.1f} hours of a core at most"]
