"""Late chunks of any model whose vector is a mean, as sentence-transformers computes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from chunkstudy.base.faults import ModelError
from chunkstudy.encoders import own_models
from chunkstudy.encoders.contextualized import Frame, Layout, most_context, whole
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.library import LibraryTokenEncoder
from tests.test_own_models import SIZES, parts, saved, sentence_transformers

SMALL: dict[str, Any] = SIZES | {"max_position_embeddings": 128, "pad_token_id": 0}
GEMMA = {"num_key_value_heads": 2, "head_dim": 12, "use_bidirectional_attention": True}
CLASSES: dict[str, Any] = {
    "modernbert": lambda: transformers.ModernBertModel(transformers.ModernBertConfig(**SMALL)),
    "nomic_bert": lambda: transformers.NomicBertModel(transformers.NomicBertConfig(**SMALL)),
    "gte": lambda: transformers.GteModel(transformers.GteConfig(**SMALL)),
    "gemma3": lambda: transformers.Gemma3TextModel(transformers.Gemma3TextConfig(**SMALL, **GEMMA)),
}
DOCUMENT = "Rye is sown in autumn. Oats are sown in spring. Millet and spelt need warmth."


def document_encoder(kind: str, folder: Path, **more: Any) -> tuple[LibraryTokenEncoder, Any]:
    """A random model that the library reads, through our adapter and as the library has it."""
    path = saved(kind, folder, classes=CLASSES, **more)
    encoder = own_models.find(str(path)).encoder()
    assert isinstance(encoder, LibraryTokenEncoder)
    return encoder, sentence_transformers.SentenceTransformer(str(path))


@pytest.mark.parametrize("dense", [False, True], ids=["mean", "mean and dense"])
@pytest.mark.parametrize("kind", list(CLASSES))
def test_a_chunk_that_is_the_whole_text_has_the_librarys_vector(
    kind: str, dense: bool, tmp_path: Path
) -> None:
    more = [parts.Dense(SIZES["hidden_size"], 24)] if dense else []
    prompts = {"query": "ask: ", "document": "text: "}
    encoder, library = document_encoder(kind, tmp_path, modules=more, prompts=prompts)
    ((ids, offsets),) = encoder.content([DOCUMENT])
    assert DOCUMENT[offsets[0, 0] : offsets[-1, 1]] == DOCUMENT
    layout = whole(frame_of(encoder, 64).around(ids))
    (vectors,) = encoder.pool([layout], [np.array([[0, layout.tokens], [3, 3]])])
    expected = library.encode_document(DOCUMENT, normalize_embeddings=True)
    assert vectors.shape == (2, 24 if dense else 48)
    assert np.abs(vectors[0] - expected).max() < 2e-6
    assert not vectors[1].any()


def test_a_late_chunk_is_the_mean_of_its_states_in_the_window_that_holds_it(tmp_path: Path) -> None:
    encoder, library = document_encoder("modernbert", tmp_path)
    ((ids, _),) = encoder.content([DOCUMENT])
    frame = Frame(12, encoder.ends, encoder.prefix_ids)
    layout: Layout = most_context(ids, frame, 4)
    span = np.array([[2, 5]])
    (vectors,) = encoder.pool([layout], [span])
    window = torch.tensor([layout.windows[0]])
    with torch.no_grad():
        states = library[0].auto_model(input_ids=window).last_hidden_state[0]
    expected = torch.nn.functional.normalize(states[2:5].mean(dim=0), dim=0).numpy()
    assert np.abs(vectors[0] - expected).max() < 2e-6


def edited(name: str, change: Any, folder: Path) -> None:
    """Change one of a folder's JSON files."""
    path = folder / name
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("modules.json", lambda m: [*m[:2], m[1] | {"idx": 2}], "Pooling, Pooling"),
        ("modules.json", lambda m: m[:1], "it computes Transformer,"),
        ("1_Pooling/config.json", lambda c: c | {"include_prompt": False}, "not the mean"),
        ("sentence_bert_config.json", lambda c: c | {"do_lower_case": True}, "lower case"),
    ],
    ids=["two poolings", "no pooling", "prompt left out", "lower case"],
)
def test_a_model_that_pools_otherwise_takes_no_late_chunking_and_says_why(
    name: str, change: Any, why: str, tmp_path: Path
) -> None:
    folder = saved("modernbert", tmp_path, classes=CLASSES)
    edited(name, change, folder)
    assert why in own_models.find(str(folder)).why_plain


def test_a_dense_layer_of_another_width_is_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = saved("modernbert", tmp_path, classes=CLASSES, modules=[parts.Dense(48, 24)])
    edited("2_Dense/config.json", lambda c: c | {"in_features": 40}, folder)
    with pytest.raises(ModelError, match="cannot read model"):
        own_models.find(str(folder)).encoder()
