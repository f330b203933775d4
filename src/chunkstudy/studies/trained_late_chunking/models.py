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
    """The parts, and what they take of one core; a model that two parts test is trained once."""
    models = {part.model: part for part in todo if part.is_trained}.values()
    training = sum(one.steps * STEP + (1 + one.steps / one.every) * LOOK for one in models)
    testing = sum(WITHIN if part.test == "within" else ELSEWHERE for part in todo)
    hours = (training + testing) / 3600
    return [
        *(part.name for part in todo),
        f"{len(todo)} parts\t{hours:.1f} hours of a core at most",
    ]
