"""Warnings about text that is never read, chunks larger than asked for, and too few questions.

They stand above the table, at the top of the page and in ``Evaluation.notes``, since a score hides
what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunkstudy.core import models
from chunkstudy.core.errors import ResourceError
from chunkstudy.encoders.interface import TokenCountingEncoder
from chunkstudy.evaluation.measures.excerpts import token_lengths
from chunkstudy.pipeline.conditions import ChunkerSpec, parse_chunker, parse_encoder
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.user_data.chunk_index import read_of_texts
from chunkstudy.user_data.pipeline import Pipeline
from chunkstudy.user_data.recommendation import MIN_UNITS, too_few
from chunkstudy.user_data.systems import BM25, BY, PLUS, Chunker, Retriever, System, shown_as

NOTEWORTHY = 0.01
"""Share of the chunks' text that a model never reads from which on a warning says so. A single
question that is cut off is always named."""
TOLERATED = 1.5
"""Largest chunk, as a multiple of the size asked for, up to which a chunker keeps its size."""
TOLERATED_OF_MODEL = 2.0
"""The same of a chunker that counts a model's tokens, which are compared with cl100k's here."""
NAMED = 3
"""Systems that one warning names."""


def reading_warnings(
    pipeline: Pipeline, systems: Sequence[System], unread: Sequence[float]
) -> tuple[str, ...]:
    """Return every warning, a sentence or two each.

    Args:
        pipeline: the documents and questions.
        systems: the systems compared.
        unread: the share of text that each system's encoder never reads; NaN if unknown.
    """
    return (
        *_few_questions(pipeline, systems),
        *_unread_chunks(pipeline, systems, unread),
        *_unread_queries(pipeline, systems),
        *_sizes_not_kept(pipeline, systems),
    )


def _few_questions(pipeline: Pipeline, systems: Sequence[System]) -> Iterator[str]:
    """Warn if no recommendation can rest on the questions."""
    questions = len(pipeline.collection.queries)
    if 0 < questions < MIN_UNITS:
        yield too_few(questions, compared=len(systems) > 1)


def _unread_chunks(
    pipeline: Pipeline, systems: Sequence[System], unread: Sequence[float]
) -> Iterator[str]:
    """Warn, once for each model, of chunks that are longer than its window."""
    shares: dict[int, dict[str, float]] = {}
    stores: dict[int, tuple[System, VectorStore]] = {}
    for system, share in zip(systems, unread, strict=True):
        store = pipeline.store(system.retriever)
        if store is not None and share >= NOTEWORTHY:
            stores.setdefault(id(store), (system, store))
            name = shown_as("chunker", system.chunker.name)
            of_model = shares.setdefault(id(store), {})
            of_model[name] = max(share, of_model.get(name, 0.0))
    for key, (system, store) in stores.items():
        worst = sorted(shares[key].items(), key=lambda item: -item[1])
        listed = "; ".join(f"{name}: {share:.1%}" for name, share in worst[:NAMED])
        more = f"; and of {len(worst) - NAMED} more chunkers" if len(worst) > NAMED else ""
        yield (
            f"{_shown(system)} reads {_window(store)} of a chunk and never reads the rest of its "
            f"text ({listed}{more}). {_remedy(system, 'make smaller chunks')}"
        )


def _unread_queries(pipeline: Pipeline, systems: Sequence[System]) -> Iterator[str]:
    """Warn, once for each model, of questions that are longer than its window."""
    texts = [query.text for query in pipeline.collection.queries]
    total = sum(map(len, texts))
    done: set[int] = set()
    for system in systems:
        store = pipeline.store(system.retriever)
        if store is None or id(store) in done or not total:
            continue
        done.add(id(store))
        read = read_of_texts(store.encoder, texts, "query")
        cut = 0 if read is None else sum(map(int.__lt__, read.tolist(), map(len, texts)))
        if read is not None and cut:
            share = 1 - int(read.sum()) / total
            yield (
                f"{_shown(system)} reads {_window(store)} of a question and cuts off {cut} of "
                f"{len(texts)} questions ({share:.1%} of their text). "
                f"{_remedy(system, 'shorten them')}"
            )


def _sizes_not_kept(pipeline: Pipeline, systems: Sequence[System]) -> Iterator[str]:
    """Warn of each chunker of the catalogue whose largest chunk exceeds the size in its name."""
    parts: dict[str, dict[tuple[Chunker, Retriever], None]] = {}
    for system in systems:
        for part in system.chunker.cutting:
            if not part.function:
                parts.setdefault(part.slug, {})[part, system.retriever] = None
    for slug, pairs in parts.items():
        spec = parse_chunker(slug)
        if spec.entry.sizes[:1] != ("size",):
            continue
        unit = "characters" if spec.length == "characters" else "tokens"
        largest = max(_largest(pipeline, *pair, unit) for pair in pairs)
        if largest > _tolerated(spec) * spec.sizes[0]:
            yield (
                f"{slug} makes chunks of up to {largest:,} {unit} here, although "
                f"{spec.sizes[0]:,} were asked for.{_why_larger(spec)}"
            )


def _largest(pipeline: Pipeline, chunker: Chunker, retriever: Retriever, unit: str) -> int:
    """Return the length of a chunker's largest chunk, in cl100k tokens or characters."""
    chunks = pipeline.chunks_of(chunker, retriever)
    characters = chunks.end - chunks.start
    lengths = token_lengths(chunks, pipeline.offsets) if unit == "tokens" else characters
    return int(lengths.max(initial=0))


def _tolerated(spec: ChunkerSpec) -> float:
    return TOLERATED if spec.length in ("cl100k", "characters") else TOLERATED_OF_MODEL


def _why_larger(spec: ChunkerSpec) -> str:
    """Explain a chunker that counts a model's tokens."""
    if _tolerated(spec) == TOLERATED:
        return ""
    return (
        " It counts the tokens of a vocabulary in which an unknown word of any length is one token."
    )


def _model(system: System) -> str:
    """Return the slug of a system's model, without BM25 and reranker."""
    return system.retriever.name.partition(BY)[0].removeprefix(f"{BM25}{PLUS}")


def _shown(system: System) -> str:
    """Return the name of a system's model as the command line takes it."""
    return _model(system).replace("__", "/")


def _window(store: VectorStore) -> str:
    encoder = store.encoder
    window = encoder.window if isinstance(encoder, TokenCountingEncoder) else None
    return f"the first {window:,} tokens" if window else "only a part"


def _remedy(system: System, other: str) -> str:
    """Name the option that reads more, if the model's positions allow one."""
    try:
        name = parse_encoder(_model(system))
    except ResourceError:
        return f"Use a model that reads more, or {other}."
    spec = models.spec(name.model)
    if spec.kind == "api" or name.reach >= spec.positions:
        return f"Use a model that reads more, or {other}."
    wider = str(name._replace(window=spec.positions)).replace("__", "/")
    return f"`--encoder {wider}` reads {spec.positions:,}; otherwise {other}."
