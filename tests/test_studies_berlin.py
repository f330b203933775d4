"""Jina's example: who gets the full stop, and what a later sentence changes."""

from __future__ import annotations

import numpy as np
import pytest

from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import in_sequence, whole
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM, parse_encoder
from chunkstudy.studies.jina import three_sentences

CHUNKS = ("Hamburg lies on the Elbe.", " It has 1.9 million people.")
HAMBURG = "".join(CHUNKS)


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(models.spec(parse_encoder(MINILM).model))


def test_the_notebook_gives_a_full_stop_to_the_next_sentence(encoder: TransformerEncoder) -> None:
    ((_, offsets),) = encoder.content([HAMBURG])
    tokens = [HAMBURG[a:b] for a, b in offsets.tolist()]
    (a, b), (c, d) = three_sentences.in_notebook(HAMBURG, offsets).tolist()
    assert tokens[a:b] == ["Hamburg", "lies", "on", "the", "El", "be"]
    assert tokens[c:d] == [".", "It", "has", "1", ".", "9", "million", "people"]


def test_each_arm_is_the_mean_of_the_states_it_says(encoder: TransformerEncoder) -> None:
    table = three_sentences.similarities("Hamburg", CHUNKS, encoder).set_index("chunk")
    query = encoder.encode(["Hamburg"], "query")[0]
    ((ids, offsets),) = encoder.content([HAMBURG])
    first, last = encoder.ends
    states = encoder.states([whole((first, *ids, last))])[0].numpy()
    inside = [b > len(CHUNKS[0]) for _, b in offsets.tolist()]
    late = states[1:-1][inside].mean(axis=0)
    row = table.loc["It has 1.9 m"]
    assert row["late"] == pytest.approx(late @ query / np.linalg.norm(late), abs=1e-5)
    notebook = in_sequence(three_sentences.in_notebook(HAMBURG, offsets), document_ends=False)
    shifted = states[slice(*notebook[1])].mean(axis=0)
    expected = shifted @ query / np.linalg.norm(shifted)
    assert row["late as published"] == pytest.approx(expected, abs=1e-5)
    plain = encoder.encode([CHUNKS[1]])[0]
    assert row["plain"] == pytest.approx(plain @ query, abs=1e-6)
    assert row["late"] > row["plain"]  # the name stands only in the sentence before
