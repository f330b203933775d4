"""How much one condition's scores move when only the batch budget or the threads change."""

from __future__ import annotations

import sys

import pandas as pd
import torch

from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.files import write_text
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.run import evaluate, load_collection
from chunkstudy.grid.store import VectorStore
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA

SETTINGS = ((1024, 2), (4096, 1), (4096, 2), (16384, 2))
"""(batch tokens, threads)."""


def measure(chunker: str, places: Places) -> str:
    """Write ``results/noise/<chunker>.csv``: the mean of every measure under each setting."""
    condition = Condition("chroma", chunker, MINILM, "pre_embedding", AS_PUBLISHED_CHROMA.name)
    collection = load_collection("chroma")
    rows = []
    threads_before = torch.get_num_threads()
    for batch_tokens, threads in SETTINGS:
        encoder = TransformerEncoder(
            models.spec(models.parse_slug(MINILM)[0]), batch_tokens=batch_tokens, threads=threads
        )
        folder = places.build / "noise" / f"{batch_tokens}-{threads}"
        print(f"batches of {batch_tokens} tokens, {threads} threads", file=sys.stderr)
        outcome = evaluate(condition, collection, VectorStore(encoder, folder))
        for measure_name, value in outcome.scores.mean().items():
            rows.append((batch_tokens, threads, measure_name, f"{value:.6f}"))
    torch.set_num_threads(threads_before)
    table = pd.DataFrame(rows, columns=["batch_tokens", "threads", "measure", "mean"])
    path = places.results / "noise" / f"{chunker}.csv"
    write_text(path, table.to_csv(index=False, lineterminator="\n"))
    spread = (
        table.astype({"mean": float}).groupby("measure")["mean"].agg(lambda v: v.max() - v.min())
    )
    return f"largest change of any mean: {spread.max():.6f}; written to results/noise/{chunker}.csv"
