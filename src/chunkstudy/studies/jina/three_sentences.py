"""How similar to the word Berlin are three sentences about it, embedded alone and late?

The example of Jina's first post on late chunking, and of jina-ai/late-chunking, examples.ipynb
(db558c3). Its late arm pools each sentence without its own full stop but with that of the sentence
before, and without special tokens, which the plain arm includes (chunked_pooling/__init__.py:1-28).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.core.sources import SourceFile
from chunkstudy.core.tokens import tokens_between
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import in_sequence, whole
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline.experiments import Context, experiment

FILE = SourceFile(
    "jina/berlin.json", "", "2d8e29b9d32aebfa49a2e5d63697305fbd221c8d3f1470827873cd956b638989"
)
MODELS = ("jinaai/jina-embeddings-v2-base-en", "sentence-transformers/all-MiniLM-L6-v2")
"""The example's own model, and ours beside."""
NAMED = 12
"""Characters of a sentence that stand for it in tables."""


@experiment("berlin")
def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``cosines``: a row per sentence with its three cosines, by every model of ``MODELS`` whose
    weights are verified."""
    example = json.loads(context.file(FILE).read_text(encoding="utf-8"))
    chunks = [chunk["text"] for chunk in example["chunks"]]
    rows = []
    for spec in (models.with_recorded_digests(models.spec(name)) for name in MODELS):
        if spec.verified:
            encoder = TransformerEncoder(spec)
            context.note(encoder.describe())
            rows.append(similarities(example["query"], chunks, encoder))
            rows[-1].insert(0, "encoder", spec.id)
    return {"cosines": pd.concat(rows, ignore_index=True)}


def similarities(question: str, chunks: Sequence[str], encoder: TransformerEncoder) -> pd.DataFrame:
    """Cosine of each chunk of a text, which they give joined, with the question: ``chunk, plain,
    late as published, late``."""
    text = "".join(chunks)
    query = encoder.encode([question], "query")[0]
    ((ids, offsets),) = encoder.content([text])
    first, last = encoder.ends
    layout = whole((first, *ids, last))
    bounds = np.array([0, *accumulate(map(len, chunks))])
    spans = tokens_between(offsets, bounds[:-1], bounds[1:])
    vectors = {"plain": encoder.encode(chunks)}
    for name, places in (
        ("late as published", in_notebook(text, offsets)),
        ("late", spans),
    ):
        vectors[name] = encoder.pool([layout], [in_sequence(places, document_ends=False)])[0]
    columns = {name: of_chunks @ query for name, of_chunks in vectors.items()}
    return pd.DataFrame({"chunk": [c.strip()[:NAMED].strip() for c in chunks], **columns})


def in_notebook(text: str, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The content tokens that the notebook pools for each sentence, shape (sentences, 2).

    A full stop that ends a sentence, one before a gap or the end, belongs to the next.
    """
    after = [*offsets[1:, 0].tolist(), len(text) + 1]
    stops = [
        i
        for i, (start, end) in enumerate(offsets.tolist())
        if text[start:end] == "." and after[i] > end
    ]
    return np.array(list(pairwise([0, *stops])), dtype=np.int64).reshape(-1, 2)
