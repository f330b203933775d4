"""The encoder against sentence-transformers, and the faults it must refuse."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkstudy.encoders import models
from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.models import ModelError
from chunkstudy.encoders.transformer import TransformerEncoder

SPEC = models.spec("sentence-transformers/all-MiniLM-L6-v2")
ENGLISH = "The committee's report, published in 1998, did not settle the question of costs. "
GERMAN = "Die Größe der Bruchstücke ändert, was die Suche findet, und zwar überall: 3,5 %. "
TEXTS = [
    "",
    " \n\t",
    ".",
    "a",
    *(ENGLISH[: 7 * n] for n in range(1, 12)),
    *(GERMAN[: 9 * n] for n in range(1, 9)),
    *((ENGLISH + GERMAN) * n for n in (2, 3, 5, 8, 60)),
    "emoji 🙂🏳️‍🌈 and 漢字 and \u0000 and e\u0301",
    "😀" * 300,
    "x" * 5000,
    "[CLS] [SEP] [MASK] [PAD] in the text",
    ENGLISH,
    "a",
]

Floats = NDArray[np.float32]


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(SPEC)


@pytest.fixture(scope="module")
def vectors(encoder: TransformerEncoder) -> Floats:
    return encoder.encode(TEXTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in SPEC.files:
        shutil.copy(models.weights_folder(SPEC) / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("window", [256, 512])
def test_vectors_equal_those_of_sentence_transformers(window: int) -> None:
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(models.weights_folder(SPEC)), device="cpu")
    assert reference.max_seq_length == SPEC.window
    reference.max_seq_length = window
    found = TransformerEncoder(SPEC, window).encode(TEXTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, reference.encode(TEXTS), atol=1e-5, rtol=0)


@pytest.mark.slow
def test_neither_batch_nor_order_nor_threads_change_a_vector(vectors: Floats) -> None:
    order = np.random.default_rng(0).permutation(len(TEXTS))
    for batch_tokens, threads in ((1, 1), (300, 2), (100_000, 2)):
        other = TransformerEncoder(SPEC, batch_tokens=batch_tokens, threads=threads)
        shuffled = other.encode([TEXTS[i] for i in order])
        np.testing.assert_allclose(shuffled, vectors[order], atol=1e-5, rtol=0)


def test_token_offsets_point_into_the_text(encoder: TransformerEncoder) -> None:
    text = "\ud83d Größe zählt"  # the tokenizer drops the replacement character
    ((ids, offsets),) = encoder.content([text])
    covered = [text[start:end] for start, end in offsets.tolist()]
    assert len(ids) == len(covered)
    assert "".join(covered) == "Größezählt"


def test_a_truncated_checkpoint_is_refused(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(ModelError, match="cut short"):
        Bert(folder)


def test_the_characters_read_are_those_of_the_tokens_in_the_window() -> None:
    encoder = TransformerEncoder(SPEC, window=8)
    long = "A lighthouse keeper counts unhurried ships at nightfall."
    short = "Café no."
    read, whole = encoder.characters_read([long, short])
    assert whole == len(short)
    assert encoder.token_ids([long[:read]]) == encoder.token_ids([long])
    assert encoder.token_ids([long[: read - 1]]) != encoder.token_ids([long])
