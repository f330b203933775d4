"""Does it matter which candidate LumberChunker gets for an answer, or would any of a window do?

A candidate of each window at random takes the language model away and leaves the windows. The sizes
of the chunks that a small language model drew, in another order, take its choice of places away and
leave how many chunks there are and how large; the study of boundaries at random does the same with
those that LumberChunker's authors released. Where these lie among a window's candidates is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers.lumberchunker import blocks
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import drawn
from chunkstudy.llm.asking import NotRecordedError
from chunkstudy.runs.conditions import LATE_512, LOCAL_SMOLLM, MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.runs.encoding import encode_together
from chunkstudy.runs.steps import Vectors, score
from chunkstudy.runs.study_runs import Context

NAME = "window-answers"
COLLECTIONS = ("gutenqa-emma",)
RELEASED, SMALL = "lumberchunker-released", f"lumberchunker-by-{LOCAL_SMOLLM}"
CANDIDATES, SIZES = "any candidate", "the same sizes"
"""What is at random."""
DRAWS = {LATE_512: {CANDIDATES: 20, SIZES: 20}, PRE_EMBEDDING: {CANDIDATES: 5, SIZES: 5}}
"""Contextualized, one reading serves all draws; plain, each takes one of its own, though candidates
at random share many chunks."""
MEASURES = ("DCG@1", "DCG@5", "DCG@10", "DCG@20")


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``draws``: of each draw how many chunks it has, their mean tokens (cl100k), and the mean of
    each measure. ``questions``: of each question the mean over the draws. In both, ``chunker`` says
    whose sizes were kept, and is empty where candidates are at random.

    ``answers``: for every window that the released boundaries lead to, its candidates and which of
    them begins the next chunk, counted from 1; 0 where none does, since the authors' windows are
    not quite the corrected ones.
    """
    of_orderings = [scored(context, name, ordering) for name in collections for ordering in DRAWS]
    answers = [answered(context, _condition(name, RELEASED, PRE_EMBEDDING)) for name in collections]
    return {
        "draws": pd.DataFrame([row for rows, _ in of_orderings for row in rows]),
        "questions": pd.concat(
            [one for _, some in of_orderings for one in some], ignore_index=True
        ),
        "answers": pd.concat(answers, ignore_index=True),
    }


def scored(
    context: Context, name: str, ordering: str
) -> tuple[list[dict[str, object]], list[pd.DataFrame]]:
    """Rows of ``draws`` and of ``questions`` under one ordering."""
    collection, store = context.collection(name), context.store(MINILM_512)
    queries = store.encode([query.text for query in collection.queries], "query")
    sets = list(every_draw(context, collection, ordering))
    # plain chunks one set after the other, so that a run that is killed goes on where it was
    together = [sets] if ordering != PRE_EMBEDDING else [[draw] for draw in sets]
    count = counter("cl100k").count_many
    keys: dict[str, str] = {"collection": name, "encoder": MINILM_512, "ordering": ordering}
    draws = []
    scores: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for some in together:
        vectors = encode_together(store, collection, [chunks for *_, chunks in some], ordering)
        for (at_random, chunker, draw, chunks), of_chunks in zip(some, vectors, strict=True):
            frame = score(collection, chunks, Vectors(queries, of_chunks))[list(MEASURES)]
            scores.setdefault((at_random, chunker), []).append(frame)
            tokens = float(np.mean(count(chunks.texts(collection.documents))))
            means = {str(measure): float(mean) for measure, mean in frame.mean().items()}
            row: dict[str, object] = {**keys, "at random": at_random, "chunker": chunker}
            row |= {"draw": draw, "chunks": len(chunks), "mean tokens": tokens}
            draws.append(row | means)
    questions = []
    for (at_random, chunker), each in scores.items():
        mean = sum(each[1:], each[0]) / len(each)
        table = mean.rename_axis("query_id").reset_index().assign(**keys, draws=len(each))
        questions.append(table.assign(**{"at random": at_random, "chunker": chunker}))
    return draws, questions


def every_draw(
    context: Context, collection: Collection, ordering: str
) -> Iterator[tuple[str, str, int, Chunks]]:
    """What is at random, whose sizes were kept, the draw, and its chunks."""
    draws = DRAWS[ordering]
    for draw in range(1, draws[CANDIDATES] + 1):
        condition = _condition(collection.name, f"lumberchunker-random-{draw}", ordering)
        yield CANDIDATES, "", draw, context.chunks(condition)
    units = [paragraphs(document.text) for document in collection.documents]
    try:
        own = context.chunks(_condition(collection.name, SMALL, ordering))
    except NotRecordedError as error:
        context.say(f"left out for now: {error}")
        return
    for draw in range(1, draws[SIZES] + 1):
        yield SIZES, SMALL, draw, drawn(collection.documents, own, draw, units)


def answered(context: Context, condition: Condition) -> pd.DataFrame:
    """A row per window that a condition's boundaries lead to, in the order of the text."""
    chunks = context.chunks(condition)
    rows: list[dict[str, object]] = []
    for index, document in enumerate(context.collection(condition.collection).documents):
        spans = paragraphs(document.text)
        starts = set(chunks.start[chunks.document == index].tolist())
        begins = [number for number, (start, _) in enumerate(spans) if start in starts]

        def choose(first: int, shown: Sequence[str], begins: list[int] = begins) -> int | None:
            place = next((begin for begin in begins if begin > first), first + len(shown)) - first
            inside = place < len(shown)
            rows.append({"candidates": len(shown) - 1, "answered": place if inside else 0})
            return first + place

        blocks([document.text[start:end] for start, end in spans], choose)
    return pd.DataFrame(rows).assign(collection=condition.collection, chunker=condition.chunker)


def _condition(collection: str, chunker: str, ordering: str) -> Condition:
    return Condition(collection, chunker, MINILM_512, ordering, CORRECTED.name)
