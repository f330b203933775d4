"""How far do one condition's scores move when only the batch budget or the threads change?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import torch

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.grids import PRE
from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context

COLLECTIONS = ("chroma",)
CHUNKER = "recursive-200-0"
SETTINGS = ((1024, 2), (4096, 1), (4096, 2), (16384, 2))
"""(batch tokens, threads)."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``means``: the mean of every measure under each setting."""
    rows: list[tuple[int, int, str, float]] = []
    threads_before = torch.get_num_threads()
    for name in collections:
        condition = Condition(name, CHUNKER, MINILM, PRE, AS_PUBLISHED_CHROMA.name)
        collection = context.collection(name)
        for budget, threads in SETTINGS:
            spec = models.spec(models.parse_slug(MINILM)[0])
            encoder = TransformerEncoder(spec, batch_tokens=budget, threads=threads)
            folder = context.places.build / "repeatability" / f"{budget}-{threads}"
            context.say(f"batches of {budget} tokens, {threads} threads")
            context.note(encoder.describe())
            outcome = evaluate(condition, collection, VectorStore(encoder, folder))
            context.cut(str(condition), outcome.chunks)
            means = outcome.scores.mean()
            rows += [(budget, threads, str(one), float(mean)) for one, mean in means.items()]
    torch.set_num_threads(threads_before)
    columns = ["batch_tokens", "threads", "measure", "mean"]
    return {"means": pd.DataFrame(rows, columns=columns)}
