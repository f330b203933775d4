"""Runs the tools that ship late chunking, where they are installed, on boundaries given to them.

``python -m tests.late_chunking_elsewhere`` writes what the study ``conformance`` compares with; it
needs chonkie, afterthoughts and contextual-embeddings, which nothing else here does.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import chunk_documents
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.run import load_collection
from chunkstudy.studies.conformance import vectors
from chunkstudy.studies.conformance.readings import AFTERTHOUGHTS, CHONKIE, CONTEB

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
Spans = Sequence[tuple[int, int]]
Embed = Callable[[str, Spans], NDArray[np.float32]]
TEXTS = (
    ("builtin", "sentence-5", "story/the-salt-line.md"),
    ("builtin", "sentence-5", "chatlogs/bee-colony.json"),
    ("builtin", "sentence-5", "finance/orrin-signal-2020.md"),
    ("builtin", "fixed-64", "encyclopedia/pale-scree-moth.md"),
    ("builtin", "fixed-64", "pubmed/zinc-lozenge-taste.md"),
    ("builtin", "fixed-64", "pubmed/choir-lung-function.md"),
    ("builtin", "fixed-64", "speeches/university-founding-day.md"),
    ("covid-qa-within", "sentence-5", "paper-1545"),
    ("covid-qa-within", "fixed-64", "paper-1546"),
)


def chonkie() -> Embed:
    """LateChunker with its recursive boundaries replaced; its tokenizer counts their tokens."""
    from chonkie import LateChunker, SentenceTransformerEmbeddings
    from chonkie.types import Chunk

    late = LateChunker(SentenceTransformerEmbeddings(_sentence_transformer()))

    def embed(text: str, spans: Spans) -> NDArray[np.float32]:
        late._recursive_chunk = lambda *_, **__: [
            Chunk(
                text=text[a:b],
                start_index=a,
                end_index=b,
                token_count=late._estimate_token_count(text[a:b]),
            )
            for a, b in spans
        ]
        return _unit(np.stack([one.embedding for one in late.chunk(text)]))

    return embed


def conteb() -> Embed:
    """LongContextEmbeddingModel; chunks beyond the window are missing at the end."""
    from contextual_embeddings import LongContextEmbeddingModel

    model = LongContextEmbeddingModel(base_model=_sentence_transformer())

    def embed(text: str, spans: Spans) -> NDArray[np.float32]:
        (found,) = model.embed_batch_documents([[text[a:b] for a, b in spans]])
        return torch.stack(found).numpy()

    return embed


def afterthoughts() -> Embed:
    """LateEncoder with the boundaries as its sentences, one a chunk.

    A function that draws sentences is what its signature asks for and its check of arguments
    refuses (validation.py), so that the check is left out.
    """
    from afterthoughts import LateEncoder
    from afterthoughts import encode as module

    module.validate_encode_params = lambda *_, **__: None
    late = LateEncoder(_folder(), device="cpu", _num_token_jobs=1)

    def embed(text: str, spans: Spans) -> NDArray[np.float32]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, found = late.encode(
                [text], sent_tokenizer=lambda _: torch.tensor(spans), show_progress=False
            )
        return _unit(np.asarray(found))

    return embed


EMBED: dict[str, Callable[[], Embed]] = {
    CHONKIE: chonkie,
    CONTEB: conteb,
    AFTERTHOUGHTS: afterthoughts,
}


def record(tools: Sequence[str] = tuple(EMBED)) -> pd.DataFrame:
    """A row per tool, text and chunk, as ``recorded.csv`` holds them."""
    encoder = TransformerEncoder(models.spec(MODEL))
    rows: list[dict[str, Any]] = []
    for tool in tools:
        embed = EMBED[tool]()
        for name, chunker, wanted in TEXTS:
            documents = load_collection(name).documents
            (document,) = (one for one in documents if one.id == wanted)
            drawn = chunk_documents(build_chunker(chunker, CORRECTED, None, encoder), [document])
            spans = list(zip(drawn.start.tolist(), drawn.end.tolist(), strict=True))
            theirs = embed(document.text, spans)
            rows_of = pd.DataFrame(spans, columns=["start", "end"])
            _, ours = vectors.as_tool(encoder, tool, document, rows_of)
            for i, (start, end) in enumerate(spans):
                there = i < len(theirs)
                kept = theirs[i, :: vectors.EVERY] if there else np.full(16, np.nan)
                apart = float(np.abs(theirs[i] - ours[i]).max()) if there else np.nan
                rows.append(
                    {
                        "tool": tool,
                        "version": importlib.metadata.version(tool),
                        "collection": name,
                        "chunker": chunker,
                        "document": wanted,
                        "chunk": i,
                        "start": start,
                        "end": end,
                        "given": there,
                        "apart": apart,
                        **dict(zip(vectors.COORDINATES, kept.tolist(), strict=True)),
                    }
                )
    return pd.DataFrame(rows)


def _folder() -> str:
    return str(models.weights_folder(models.spec(MODEL)))


def _sentence_transformer() -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(_folder(), device="cpu")


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


if __name__ == "__main__":
    record().to_csv(vectors.RECORDED, index=False, float_format="%.8g", lineterminator="\n")
