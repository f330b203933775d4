"""How far context reaches is measured right: known movements come out, and nothing else moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.spans import Collection, Document
from chunkstudy.studies.jina import bidirectionality as study

OWN, OTHER = [0] * study.CONTENT, [1] * study.CONTENT
MARK = 1
"""What the models below look for in a text."""


def reads(later: int, earlier: int) -> study.Read:
    """A model whose state of a token is 1, and how many marks stand so many tokens behind and
    before it: with marks in the other text alone, its movement can be told by hand."""

    def states(batch: Sequence[Sequence[int]]) -> list[study.Matrix]:
        found = []
        for ids in batch:
            before = np.concatenate([[0], np.cumsum(np.array(ids) == MARK)])
            at = np.arange(len(ids))
            behind = before[np.minimum(at + 1 + later, len(ids))] - before[at + 1]
            ahead = before[at] - before[np.maximum(at - earlier, 0)]
            found.append(np.stack([np.ones(len(ids)), behind, ahead], axis=1).astype(np.float64))
        return found

    return states


def measured(read: study.Read, text: Sequence[int] = OWN, other: Sequence[int] = OTHER) -> Any:
    rows = pd.DataFrame(study.movements(read, text, other))
    return rows.set_index(["replaced", "direction"]).sort_index()


def seen(reach: int) -> float:
    """Marks that a chunk's tokens see on average, where those begin right behind it."""
    return sum(range(1, reach + 1)) / study.CHUNK


@pytest.mark.parametrize("reach", [1, 20, 60])
@pytest.mark.parametrize("way", [study.LATER, study.EARLIER])
def test_a_model_that_sees_so_many_tokens_moves_by_what_is_told_by_hand(
    reach: int, way: str
) -> None:
    later = reach if way == study.LATER else 0
    found = measured(reads(later, reach - later))
    for (what, direction), row in found.iterrows():
        moved = seen(reach) if direction == way else 0.0
        if what == study.APART:
            moved = 0.0  # the text itself holds no mark
        assert row["relative distance"] == pytest.approx(moved, abs=1e-12), what
        turned = 1 - 1 / np.sqrt(1 + moved**2)
        assert row["cosine distance"] == pytest.approx(turned, abs=1e-12)


def collection(name: str, documents: int, words: int = 4000) -> Collection:
    texts = [" ".join(f"{name}{i}w{n}" for n in range(words)) for i in range(documents)]
    found = tuple(Document(f"{i:02}", text) for i, text in enumerate(texts))
    return Collection(name, found, (), ())


def test_texts_are_drawn_by_turns_apart_from_each_other_and_replaced_by_other_documents() -> None:
    few, many = collection("few", 3), collection("many", 120)
    pairs = study.draw([few, many])
    places = [place for place, _ in pairs]
    assert [place.collection for place in places[:4]] == ["few", "many", "few", "many"]
    assert pairs == study.draw([few, many])
    assert len({place.document for place in places if place.collection == "many"}) == 120
    texts = {(c.name, d.id): d.text for c in (few, many) for d in c.documents}
    for place, other in pairs:
        assert place.collection == other.collection and place.document != other.document
        text = texts[place.collection, place.document]
        assert place.start == 0 or text[place.start - 1] == " "
    starts: dict[tuple[str, str], list[int]] = {}
    for place in places:
        starts.setdefault((place.collection, place.document), []).append(place.start)
    for found in starts.values():
        assert all(b - a > study.CHARACTERS - 100 for a, b in pairwise(sorted(found)))
