"""How far context reaches is measured right: known movements come out, and nothing else moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.spans import Collection, Document
from chunkstudy.llm.causal_models import of_the_hub
from chunkstudy.studies.which_models import bidirectionality as study
from tests import small_llama

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
    return rows.set_index(["replaced", "direction", "distance"]).sort_index()


def seen(reach: int, distance: int) -> float:
    """Marks that a chunk's tokens see on average, where those begin at a distance behind it."""
    return sum(range(1, max(0, reach - distance) + 1)) / study.CHUNK


@pytest.mark.parametrize("reach", [1, 20, 60])
@pytest.mark.parametrize("way", [study.LATER, study.EARLIER])
def test_a_model_that_sees_so_many_tokens_moves_by_what_is_told_by_hand(
    reach: int, way: str
) -> None:
    later = reach if way == study.LATER else 0
    found = measured(reads(later, reach - later))
    for (what, direction, distance), row in found.iterrows():
        moved = seen(reach, distance) if direction == way else 0.0
        if what in (study.NEIGHBOUR, study.APART):
            moved = 0.0  # the text itself holds no mark
        assert row["relative distance"] == pytest.approx(moved, abs=1e-12), (what, distance)
        turned = 1 - 1 / np.sqrt(1 + moved**2)
        assert row["cosine distance"] == pytest.approx(turned, abs=1e-12)
    assert seen(20, 16) == 10 / 60 and seen(20, 64) == 0


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> study.Model:
    folder = tmp_path_factory.mktemp("llama")
    small_llama.write_checkpoint(folder)
    files = dict.fromkeys(("model.safetensors", "tokenizer.json"), "")
    return study.causal(replace(of_the_hub("small/llama", "0" * 40), files=files), folder)


def test_a_causal_model_does_not_move_when_later_text_changes(causal: study.Model) -> None:
    chance = np.random.default_rng(1)
    own, other = chance.integers(2, 200, (2, study.CONTENT)).tolist()
    replaced = measured(causal.read, own, other).loc[[study.BEYOND, study.HALF]]
    later = replaced.xs(study.LATER, level="direction")
    assert later.to_numpy().max() <= 1e-6
    assert replaced.xs(study.EARLIER, level="direction").to_numpy().min() > 1e-4


def test_states_of_a_causal_model_are_those_of_each_text_read_by_itself(
    causal: study.Model,
) -> None:
    chance = np.random.default_rng(2)
    lengths = [5, 5, 5, 9, 5, study.TOGETHER // 2, study.TOGETHER // 2, study.TOGETHER // 2]
    texts = [chance.integers(2, 200, length).tolist() for length in lengths]
    together = causal.read(texts)
    assert [len(one) for one in together] == lengths
    for text, states in list(zip(texts, together, strict=True))[:6]:
        (alone,) = causal.read([text])
        np.testing.assert_allclose(states, alone, atol=2e-5)


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
