"""Small random checkpoints in the layouts of the hub, with a tokenizer of letters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from chunkstudy.encoders.registry import Architecture, ModelSpec
from chunkstudy.files import sha256
from chunkstudy.rehearsal.checkpoints import (
    Weights,
    attention_names,
    norm_of_attention,
    random_weights,
    size_keys,
)

__all__ = ["Weights", "attention_names", "norm_of_attention", "random_weights", "size_keys"]

TASKS = ("retrieval.query", "retrieval.passage", "separation")
PREFIXES = {
    "jina_embeddings_v3": (
        "Represent the query for retrieving evidence documents: ",
        "Represent the document for retrieval: ",
    ),
    "nomic_bert": ("search_query: ", "search_document: "),
    "xlm_roberta": ("query: ", "passage: "),
}
WORDS = (
    *"abcdefghijklmnopqrstuvwxyz",
    *dict.fromkeys(word for pair in PREFIXES.values() for text in pair for word in text.split()),
)
KINDS = ("mpnet", "jina_bert", "nomic_bert", "jina_embeddings_v3", "xlm_roberta")


def configuration(
    kind: str, layers: int = 2, heads: int = 6, positions: int = 64
) -> dict[str, Any]:
    """A published configuration with small sizes."""
    sizes = {
        "vocab_size": 60,
        "hidden_size": 8 * heads,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": 40,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-5,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    }
    if kind == "jina_bert":
        return sizes | {
            "model_type": "bert",
            "position_embedding_type": "alibi",
            "feed_forward_type": "geglu",
            "max_position_embeddings": positions,
            "emb_pooler": "mean",
            "pad_token_id": 0,
        }
    if kind == "mpnet":
        return sizes | {
            "model_type": "mpnet",
            "max_position_embeddings": positions + 2,
            "pad_token_id": 1,
            "relative_attention_num_buckets": 32,
        }
    roberta = sizes | {
        "model_type": "xlm-roberta",
        "max_position_embeddings": positions + 2,
        "pad_token_id": 1,
        "type_vocab_size": 1,
    }
    if kind == "xlm_roberta":
        return roberta | {"position_embedding_type": "absolute"}
    if kind == "jina_embeddings_v3":
        return roberta | {
            "position_embedding_type": "rotary",
            "rotary_emb_base": 20000.0,
            "use_flash_attn": True,
            "load_trained_adapters": True,
            "lora_adaptations": list(TASKS),
            "lora_rank": 4,
            "lora_alpha": 1,
            "task_instructions": dict(zip(TASKS, (*PREFIXES[kind], ""), strict=True)),
        }
    return {
        "model_type": "nomic_bert",
        "vocab_size": 60,
        "n_embd": 8 * heads,
        "n_layer": layers,
        "n_head": heads,
        "n_inner": 40,
        "n_positions": positions,
        "max_trained_positions": 2048,
        "type_vocab_size": 2,
        "layer_norm_epsilon": 1e-12,
        "activation_function": "swiglu",
        "rotary_emb_base": 1000,
        "rotary_emb_fraction": 1.0,
        "rotary_emb_interleaved": False,
        "rotary_emb_scale_base": None,
        "rotary_scaling_factor": None,
        "qkv_proj_bias": False,
        "mlp_fc1_bias": False,
        "mlp_fc2_bias": False,
        "prenorm": False,
        "use_flash_attn": True,
        "attn_pdrop": 0.0,
    }


def write(folder: Path, kind: str, config: dict[str, Any], weights: Weights) -> None:
    """The files of a checkpoint, with a tokenizer that knows the letters and the prefixes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(weights, folder / "model.safetensors")
    roberta = kind in ("xlm_roberta", "jina_embeddings_v3", "mpnet")
    special = ("<s>", "<pad>", "</s>", "<unk>") if roberta else ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
    first, last, unknown = (special[i] for i in ((0, 2, 3) if roberta else (2, 3, 1)))
    vocabulary = {word: i for i, word in enumerate((*special, *WORDS))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=unknown))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single=f"{first} $A {last}",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def specification(folder: Path, kind: str, config: dict[str, Any], **changes: Any) -> ModelSpec:
    """What the registry would say of a checkpoint in ``folder``, which is ``PACKAGE/model``."""
    gated = kind in ("nomic_bert", "jina_bert")
    layers, hidden, heads, intermediate = (config[key] for key in size_keys(kind))
    positions = config["n_positions" if kind == "nomic_bert" else "max_position_embeddings"]
    positions -= 2 if kind in ("xlm_roberta", "jina_embeddings_v3", "mpnet") else 0
    query, document = PREFIXES.get(kind, ("", ""))
    adapted = kind == "jina_embeddings_v3"
    fields: dict[str, Any] = {
        "id": f"tests/{kind}",
        "window": positions,
        "positions": positions,
        "dimension": hidden,
        "licence": "MIT",
        "papers": (),
        "revision": "0" * 40,
        "files": {
            name: sha256(folder / name)
            for name in ("model.safetensors", "tokenizer.json", "config.json")
        },
        "package": folder.parent.name,
        "kind": kind,
        "architecture": Architecture(layers, hidden, heads, intermediate, gated),
        "query_prefix": query,
        "document_prefix": document,
        "query_adapter": "retrieval.query" if adapted else "",
        "document_adapter": "retrieval.passage" if adapted else "",
    }
    return ModelSpec(**(fields | changes))


def written(
    folder: Path,
    kind: str,
    weights: Weights | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Path, ModelSpec]:
    """A checkpoint whose configuration or weights were changed, and what was registered."""
    config = configuration(kind)
    good = random_weights(kind, config)
    write(folder, kind, config, good)
    spec = specification(folder, kind, config)
    changed = {key: value for key, value in (config | dict(changes)).items() if value is not ...}
    write(folder, kind, changed, good if weights is None else weights)
    return folder, spec


def largest_cosine_deviation(left: torch.Tensor, right: torch.Tensor) -> float:
    """The largest 1 - cosine between rows that should be alike, in float64."""
    cosines = torch.nn.functional.cosine_similarity(left.double(), right.double(), dim=1)
    return float((1 - cosines).max())
