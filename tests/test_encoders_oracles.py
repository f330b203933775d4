"""The papers' models as transformers computes them with classes of its own, and any model whose
vector is a mean as sentence-transformers does."""

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
from chunkstudy.encoders.checkpoint import load
from chunkstudy.encoders.contextualized import Frame, Layout, most_context, whole
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.library import LibraryTokenEncoder
from tests import checkpoints
from tests.checkpoints import TASKS, Weights
from tests.test_own_models import SIZES, parts, saved, sentence_transformers

CPU = torch.device("cpu")
TEXTS = [[2, 5, 3], [2, 7, 9, 11, 3], [2, *range(4, 40), 3]]
NAMES = {
    "roberta.": "",
    "encoder.layers": "layers",
    "emb_ln": "embeddings.LayerNorm",
    "attn.out_proj": "self_attn.o_proj",
    "mixer.out_proj": "self_attn.o_proj",
    "mlp.fc11": "mlp.up_proj",
    "mlp.fc12": "mlp.gate_proj",
    "norm1": "post_attention_layernorm",
    "norm2": "post_mlp_layernorm",
}
"""Published names and those of transformers' own classes."""


def renamed(kind: str, weights: Weights) -> Weights:
    """The tensors of a published checkpoint under the names of transformers' own class."""
    names = NAMES | {"mlp.fc2": "mlp.down_proj" if kind == "nomic_bert" else "mlp.fc2"}
    result: Weights = {}
    for name, tensor in weights.items():
        for old, new in names.items():
            name = name.replace(old, new)
        if "Wqkv" in name:
            for part, rows in zip("qkv", tensor.chunk(3), strict=True):
                result[name.replace(next(w for w in ("attn.Wqkv", "mixer.Wqkv") if w in name),
                                    f"self_attn.{part}_proj")] = rows  # fmt: skip
        else:
            result[name] = tensor
    return result


def with_adapter(weights: Weights, task: int, scale: float) -> Weights:
    """Weights as peft merges one task's adapter: W + scale * B A, of a table of embeddings A B."""
    result: Weights = {}
    for name, tensor in weights.items():
        base, _, part = name.partition(".parametrizations.weight")
        if not part:
            result[name] = tensor
        elif part == ".original":
            first, second = (weights[f"{base}.parametrizations.weight.0.lora_{x}"] for x in "AB")
            tables = "embeddings." in base
            product = first[task] @ second[task] if tables else second[task] @ first[task]
            result[f"{base}.weight"] = tensor + scale * product
    return result


def theirs(kind: str, config: dict[str, Any]) -> Any:
    """Transformers' own class at the sizes of a published configuration, without weights."""
    layers, hidden, heads, inner = (config[key] for key in checkpoints.size_keys(kind))
    name = {"nomic_bert": "NomicBert", "jina_embeddings_v3": "JinaEmbeddingsV3"}[kind]
    cls, of = (getattr(transformers, name + end) for end in ("Model", "Config"))
    sizes = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads}
    more = {"intermediate_size": inner, "vocab_size": config["vocab_size"]}
    types = {"type_vocab_size": config["type_vocab_size"]}
    return cls(of(**sizes, **more, **types)).eval()


@pytest.mark.parametrize(
    ("kind", "task"), [("nomic_bert", ""), *(("jina_embeddings_v3", task) for task in TASKS)]
)
def test_states_are_those_of_transformers_own_class(kind: str, task: str, tmp_path: Path) -> None:
    folder, spec = checkpoints.written(tmp_path / "model", kind)
    config = checkpoints.configuration(kind)
    weights = checkpoints.random_weights(kind, config)
    if task:
        scale = config["lora_alpha"] / config["lora_rank"]
        weights = with_adapter(weights, TASKS.index(task), scale)
    ours = load(spec, folder, CPU, torch.float32)
    if task:
        ours.adapt(task)
    model = theirs(kind, config)
    missing, unexpected = model.load_state_dict(renamed(kind, weights), strict=False)
    assert not [n for n in missing if "pooler" not in n and "rotary" not in n], missing
    assert not [n for n in unexpected if "pooler" not in n], unexpected
    states = [state for group in ours.states(TEXTS) for state in group]
    for ids, state in zip(TEXTS, states, strict=True):
        with torch.no_grad():
            expected = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        assert float((state - expected).abs().max()) < 2e-5 * float(expected.abs().max())


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
