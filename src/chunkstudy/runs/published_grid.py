"""The papers' conditions: what produced each cell of their tables.

Chroma's main table and appendix, Jina's posts, the taxonomy's Tables 1 to 5.
Every condition comes under the protocol of the work that printed it and under the corrected one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

from chunkstudy.base.protocols import (
    AS_PUBLISHED_CHROMA,
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    AS_PUBLISHED_LUMBERCHUNKER,
    CORRECTED,
)
from chunkstudy.runs.conditions import CONTEXTUALIZED, LARGE, PRE_EMBEDDING, Condition, EncoderName

MAIN_SIZES = ("800-400", "400-200", "400-0", "200-0")
CHROMA_METHODS = (
    *(f"{name}-{size}" for size in MAIN_SIZES for name in ("recursive", "token")),
    "kamradt",
    "kamradt-modified-300",
    "cluster-400",
    "cluster-200",
    "llm",
)
JINA_SMALL = "jinaai/jina-embeddings-v2-small-en"
JINA_V3 = "jinaai/jina-embeddings-v3"
NOMIC = "nomic-ai/nomic-embed-text-v1"
E5 = "intfloat/multilingual-e5-large"
E5_INSTRUCT = "intfloat/multilingual-e5-large-instruct"
ADA = "text-embedding-ada-002"

WINDOWS = {JINA_SMALL: 8192, JINA_V3: 8192, NOMIC: 8192, E5: 512, E5_INSTRUCT: 512}
"""Tokens each model reads at once in both papers, special ones included (Beyond Chunk-Then-Embed,
Section 3.2; late_encoder.py, mteb_chunked_eval.py:29): the windows of contextualized encoding, and
where plain texts are cut."""
ORDERINGS = (PRE_EMBEDDING, CONTEXTUALIZED)
JINA_TABLE = ("scifact", "trec-covid", "fiqa", "nfcorpus", "quora")
JINA_COMBINATIONS = ("scifact", "nfcorpus", "fiqa", "trec-covid")
JINA_MODELS = (JINA_SMALL, NOMIC, JINA_V3)
JINA_METHODS = ("fixed-256", "sentence-5", "semantic")
TAXONOMY_COLLECTIONS = (
    "gutenqa",
    "fiqa",
    "nfcorpus",
    "scifact",
    "trec-covid",
    "arguana",
    "scidocs",
)
TAXONOMY_MODELS = (JINA_SMALL, JINA_V3, NOMIC, E5_INSTRUCT, E5)
"""The paper names multilingual-e5-large (Beyond Chunk-Then-Embed, Section 3.2) and its code runs
the instruct model: both."""
TAXONOMY_METHODS = (
    "paragraph",
    "sentence-5",
    "fixed-256",
    "semantic",
    "lumberchunker",
    "proposition",
)
LUMBERCHUNKER_METHODS = ("paragraph", "semantic", "proposition", "lumberchunker")


def published_grid() -> list[Condition]:
    """Every condition of the papers' own models, under both protocols."""
    published = list(_published())
    both = ((condition, corrected(condition)) for condition in published)
    return list(dict.fromkeys(condition for pair in both for condition in pair))


def _published() -> Iterator[Condition]:
    yield from map(chroma, CHROMA_METHODS)
    for collection in JINA_TABLE:
        yield jina(collection, "none", JINA_SMALL, PRE_EMBEDDING)
    yield from _each(jina, JINA_TABLE, ("fixed-256",), (JINA_SMALL,), ORDERINGS)
    yield from _each(jina, JINA_COMBINATIONS, JINA_METHODS, JINA_MODELS, ORDERINGS)
    for method in LUMBERCHUNKER_METHODS:
        yield lumberchunker(method)
        yield taxonomy("gutenqa", method, ADA, PRE_EMBEDDING)
    yield from _each(taxonomy, TAXONOMY_COLLECTIONS, TAXONOMY_METHODS, TAXONOMY_MODELS, ORDERINGS)


def chroma(chunker: str) -> Condition:
    """The condition of a row of Chroma's main table and of the appendix's larger half."""
    return Condition("chroma", chunker, LARGE, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)


def jina(collection: str, chunker: str, model: str, ordering: str) -> Condition:
    """The condition of a cell of Jina's two posts; boundaries are the evaluated model's."""
    protocol = AS_PUBLISHED_JINA.name
    return Condition(collection, chunker, _encoder(model), _ordering(model, ordering), protocol)


def taxonomy(collection: str, chunker: str, model: str, ordering: str) -> Condition:
    """The condition of a cell of the taxonomy's own runs.

    Semantic boundaries are jina-embeddings-v2-small-en's whatever model is evaluated (Beyond
    Chunk-Then-Embed, Section 3.1).
    """
    encoder = _encoder(model)
    if chunker == "semantic" and model != JINA_SMALL:
        chunker = f"semantic-by-{_encoder(JINA_SMALL)}"
    ordering = _ordering(model, ordering)
    return Condition(collection, chunker, encoder, ordering, AS_PUBLISHED_IELAB.name)


def lumberchunker(method: str) -> Condition:
    """The condition of a cell of Table 1's ``Original`` column: LumberChunker's own evaluation of
    the segmentations that its authors made."""
    chunker = method if method == "paragraph" else f"{method}-released"
    protocol = AS_PUBLISHED_LUMBERCHUNKER.name
    return Condition("gutenqa", chunker, _encoder(ADA), PRE_EMBEDDING, protocol)


def corrected(condition: Condition) -> Condition:
    """The same condition under the corrected protocol."""
    return replace(condition, protocol=CORRECTED.name)


def _encoder(model: str) -> str:
    return str(EncoderName(model, WINDOWS.get(model)))


def _ordering(model: str, ordering: str) -> str:
    return f"{CONTEXTUALIZED}-{WINDOWS[model]}" if ordering == CONTEXTUALIZED else ordering


def _each(make: Callable[..., Condition], *parts: Iterable[str]) -> Iterator[Condition]:
    return (make(*names) for names in product(*parts))
