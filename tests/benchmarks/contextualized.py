"""Contextualized encoding of 500 SciFact documents beside a loop over single documents.

The loop is what Jina's evaluation does: per chunker, one document at a time through the same
weights in transformers, chunks pooled in Python. Ours lays all documents out, reads each window
once for all chunkers, and pools from the same states. A document fills the cores by itself, so for
a single chunker no code can do much better than the loop: the bare matrix products say how much.
Seconds are the processor's, all threads together, which other work on the machine hardly distorts.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Document
from chunkstudy.base.tokens import tokens_between
from chunkstudy.collections import beir
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import Layout, in_sequence, whole
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.chunking import build_chunker
from tests.benchmarks.engines import matrix_products

CHUNKERS = ("none", "fixed-64", "fixed-256", "sentence-5")
DOCUMENTS = 500


def main() -> None:
    """Print seconds and ratios for one chunker and for all of them."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    if not beir.available("scifact"):
        print("SciFact is not here; set CHUNKSTUDY_DATA")
        return
    ours = TransformerEncoder(models.spec("sentence-transformers/all-MiniLM-L6-v2"), window=512)
    theirs = AutoModel.from_pretrained(
        str(models.weights_folder(ours.spec)), add_pooling_layer=False
    ).eval()
    documents = beir.load("scifact").documents[:limit]
    contents = ours.content([document.text for document in documents])
    layouts = [whole([ours.ends[0], *ids[:510], ours.ends[1]]) for ids, _ in contents]
    spans = {slug: _spans(slug, documents, contents) for slug in CHUNKERS}
    print(f"{len(documents)} documents, {sum(one.tokens for one in layouts)} tokens, "
          f"{torch.get_num_threads()} threads")  # fmt: skip
    loop(theirs, layouts[:5], spans["none"][:5])
    assert ours.spec.architecture
    lengths = [one.tokens for one in layouts]
    products = matrix_products(lengths, ours.batch_tokens, ours.spec.architecture)
    for slugs in (CHUNKERS[2:3], CHUNKERS):
        started = time.process_time()
        looped = [loop(theirs, layouts, spans[slug]) for slug in slugs]
        middle = time.process_time()
        together = [np.concatenate(parts) for parts in zip(*map(spans.get, slugs), strict=True)]
        pooled = ours.pool(layouts, together)
        ended = time.process_time()
        products()
        least = time.process_time() - ended
        expected = [np.concatenate(parts) for parts in zip(*looped, strict=True)]
        error = max(float(abs(a - b).max()) for a, b in zip(pooled, expected, strict=True))
        print(
            f"{len(slugs)} chunkers: loop {middle - started:.1f} s, ours {ended - middle:.1f} s, "
            f"ratio {(middle - started) / (ended - middle):.2f}; one reading's matrix products "
            f"{least:.1f} s, so at most {(middle - started) / least:.2f}; "
            f"largest difference {error:.1e}"
        )


@torch.inference_mode()
def loop(
    model: torch.nn.Module, layouts: list[Layout], spans: list[NDArray[np.int64]]
) -> list[NDArray[np.float32]]:
    """One document at a time, its chunks pooled one by one."""
    found = []
    for layout, places in zip(layouts, spans, strict=True):
        states = model(input_ids=torch.tensor([layout.windows[0]])).last_hidden_state[0]
        means = torch.stack([states[a:b].mean(0) for a, b in places.tolist()])
        found.append(torch.nn.functional.normalize(means).numpy())
    return found


def _spans(
    slug: str,
    documents: tuple[Document, ...],
    contents: list[tuple[list[int], NDArray[np.int64]]],
) -> list[NDArray[np.int64]]:
    """Of each document, the positions of its chunks among the first 510 tokens."""
    chunker = build_chunker(slug, CORRECTED)
    found = []
    for document, (_, offsets) in zip(documents, contents, strict=True):
        starts, ends = np.array([span[:2] for span in chunker(document.text)]).T
        places = in_sequence(tokens_between(offsets[:510], starts, ends), document_ends=False)
        found.append(places[places[:, 0] < places[:, 1]])
    return found


if __name__ == "__main__":
    main()
