"""What the papers' models read, and the condition behind a cell of their tables, each under the
protocol of its work."""

from __future__ import annotations

from dataclasses import replace

from chunkstudy.core.protocols import (
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    AS_PUBLISHED_LUMBERCHUNKER,
    CORRECTED,
)
from chunkstudy.pipeline.conditions import CONTEXTUALIZED, PRE_EMBEDDING, Condition, EncoderName

JINA_SMALL = "jinaai/jina-embeddings-v2-small-en"
JINA_V3 = "jinaai/jina-embeddings-v3"
NOMIC = "nomic-ai/nomic-embed-text-v1"
E5 = "intfloat/multilingual-e5-large"
E5_INSTRUCT = "intfloat/multilingual-e5-large-instruct"
ADA = "text-embedding-ada-002"

WINDOWS = {JINA_SMALL: 8192, JINA_V3: 8192, NOMIC: 8192, E5: 512, E5_INSTRUCT: 512}
"""Tokens each model reads at once in both papers, special ones included (Beyond Chunk-Then-Embed,
Section 3.2; late_encoder.py, mteb_chunked_eval.py:29): the windows of contextualized encoding, and
where plain texts are cut. Of E5 that section names the first and the code runs the second: both."""
ORDERINGS = (PRE_EMBEDDING, CONTEXTUALIZED)
JINA_MODELS = (JINA_SMALL, NOMIC, JINA_V3)
"""From weak to strong, as the second post orders them."""
TAXONOMY_COLLECTIONS = (
    "gutenqa",
    "fiqa",
    "nfcorpus",
    "scifact",
    "trec-covid",
    "arguana",
    "scidocs",
)
TAXONOMY_METHODS = (
    "paragraph",
    "sentence-5",
    "fixed-256",
    "semantic",
    "lumberchunker",
    "proposition",
)


def jina(collection: str, chunker: str, model: str, ordering: str) -> Condition:
    """The condition of a cell of Jina's two posts; boundaries are the evaluated model's."""
    protocol = AS_PUBLISHED_JINA.name
    return Condition(collection, chunker, slug(model), _ordering(model, ordering), protocol)


def taxonomy(collection: str, chunker: str, model: str, ordering: str) -> Condition:
    """The condition of a cell of the taxonomy's own runs.

    Semantic boundaries are jina-embeddings-v2-small-en's whatever model is evaluated (Beyond
    Chunk-Then-Embed, Section 3.1).
    """
    if chunker == "semantic" and model != JINA_SMALL:
        chunker = f"semantic-by-{slug(JINA_SMALL)}"
    ordering = _ordering(model, ordering)
    return Condition(collection, chunker, slug(model), ordering, AS_PUBLISHED_IELAB.name)


def lumberchunker(method: str) -> Condition:
    """The condition of a cell of Table 1's ``Original`` column: LumberChunker's own evaluation of
    the segmentations that its authors made."""
    chunker = method if method == "paragraph" else f"{method}-released"
    protocol = AS_PUBLISHED_LUMBERCHUNKER.name
    return Condition("gutenqa", chunker, slug(ADA), PRE_EMBEDDING, protocol)


def corrected(condition: Condition) -> Condition:
    """The same condition under the corrected protocol."""
    return replace(condition, protocol=CORRECTED.name)


def slug(model: str) -> str:
    """A model with the window that the papers give it, as conditions name it."""
    return str(EncoderName(model, WINDOWS.get(model)))


def _ordering(model: str, ordering: str) -> str:
    return f"{CONTEXTUALIZED}-{WINDOWS[model]}" if ordering == CONTEXTUALIZED else ordering
