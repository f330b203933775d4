"""Published checkpoints of nomic_bert, jina_embeddings_v3 and XLM-RoBERTa in transformers' terms.

transformers' classes for the first two name weights and configuration differently from the
checkpoints on the hub, which were written for code of their authors' own, and ignore keys they do
not know. Here is one list of names for each kind; what the class would compute differently is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from chunkstudy.encoders.bert import check_keys
from chunkstudy.encoders.models import ModelError

Weights = dict[str, torch.Tensor]
LOW_RANK = ".parametrizations.weight."
"""Parts the name of a weight that adapters change from ``original`` or a name below."""
LOW_RANK_PARTS = ("0.lora_A", "0.lora_B")


@dataclass(frozen=True)
class Translation:
    """How one kind of checkpoint is read.

    Attributes:
        names: configuration key of the class to the checkpoint's; each has to be there.
        fixed: what the computation is written for: a key's only value, and the value where the
            key is absent.
        renamed: patterns in the names of weights and what replaces them, in this order.
        rotary: the key of the base of rotary positions, where there are any.
        gated: whether the feed-forward network is.
    """

    names: Mapping[str, str]
    fixed: Mapping[str, tuple[Any, Any]]
    renamed: Sequence[tuple[str, str]]
    rotary: str = ""
    gated: bool = False


SAME_NAMES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
    "layer_norm_eps",
    "pad_token_id",
)
TRANSLATIONS = {
    "xlm_roberta": Translation(
        names={name: name for name in SAME_NAMES},
        fixed={
            "hidden_act": ("gelu", None),
            "position_embedding_type": ("absolute", "absolute"),
        },
        renamed=((r"^roberta\.", ""),),
    ),
    "jina_embeddings_v3": Translation(
        names={name: name for name in SAME_NAMES},
        fixed={"hidden_act": ("gelu", None), "position_embedding_type": ("rotary", None)},
        renamed=(
            (r"^roberta\.", ""),
            (r"^emb_ln\.", "embeddings.LayerNorm."),
            (r"^encoder\.layers\.", "layers."),
            (r"\.mixer\.Wqkv\.", ".self_attn.qkv."),
            (r"\.mixer\.out_proj\.", ".self_attn.o_proj."),
            (r"\.norm1\.", ".post_attention_layernorm."),
            (r"\.norm2\.", ".post_mlp_layernorm."),
        ),
        rotary="rotary_emb_base",
    ),
    "nomic_bert": Translation(
        names={
            "vocab_size": "vocab_size",
            "hidden_size": "n_embd",
            "num_hidden_layers": "n_layer",
            "num_attention_heads": "n_head",
            "intermediate_size": "n_inner",
            "max_position_embeddings": "n_positions",
            "type_vocab_size": "type_vocab_size",
            "layer_norm_eps": "layer_norm_epsilon",
        },
        fixed={
            "activation_function": ("swiglu", None),
            "qkv_proj_bias": (False, True),
            "mlp_fc1_bias": (False, True),
            "mlp_fc2_bias": (False, True),
            "rotary_emb_fraction": (1.0, 0.0),
            "rotary_emb_interleaved": (False, False),
            "rotary_emb_scale_base": (None, None),
            # It would bend positions by the longest text of a batch, so that a vector depended on
            # its neighbours and their order.
            "rotary_scaling_factor": (None, None),
            "prenorm": (False, False),
            "parallel_block": (False, False),
            "use_rms_norm": (False, False),
            "causal": (False, False),
            "scale_attn_weights": (True, True),
            "scale_attn_by_inverse_layer_idx": (False, False),
        },
        renamed=(
            (r"^emb_ln\.", "embeddings.LayerNorm."),
            (r"^encoder\.layers\.", "layers."),
            (r"\.attn\.Wqkv\.", ".self_attn.qkv."),
            (r"\.attn\.out_proj\.", ".self_attn.o_proj."),
            # The authors' network is fc2(fc11(x) * silu(fc12(x))): the second is the gate.
            (r"\.mlp\.fc11\.", ".mlp.up_proj."),
            (r"\.mlp\.fc12\.", ".mlp.gate_proj."),
            (r"\.mlp\.fc2\.", ".mlp.down_proj."),
            (r"\.norm1\.", ".post_attention_layernorm."),
            (r"\.norm2\.", ".post_mlp_layernorm."),
        ),
        rotary="rotary_emb_base",
        gated=True,
    ),
}


def translate_configuration(
    config: Mapping[str, Any], translation: Translation, name: str
) -> dict[str, Any]:
    """The class's settings out of a published configuration, whose keys it would ignore.

    Raises:
        ModelError: if a key is missing, or has a value that the class does not compute.
    """
    needed = [*translation.names.values(), *([translation.rotary] if translation.rotary else [])]
    for key in needed:
        if config.get(key) is None:
            raise ModelError(f"{name}: config.json lacks {key}; it is not the published one")
    for key, (wanted, absent) in translation.fixed.items():
        if (found := config.get(key, absent)) != wanted:
            raise ModelError(
                f"{name}: config.json says {key} is {found!r}; it is computed here with "
                f"{wanted!r} only"
            )
    settings = {ours: config[theirs] for ours, theirs in translation.names.items()}
    if translation.rotary:
        base = float(config[translation.rotary])
        settings["rope_parameters"] = {"rope_type": "default", "rope_theta": base}
    return settings


def translate_names(weights: Weights, renamed: Sequence[tuple[str, str]]) -> Weights:
    """The same tensors under the class's names."""
    translated = {}
    for name, tensor in weights.items():
        for pattern, replacement in renamed:
            name = re.sub(pattern, replacement, name)
        translated[name] = tensor
    return translated


def split_attention(weights: Weights) -> Weights:
    """Queries, keys and values, stored one above the other, as three weights."""
    split = {}
    for name, tensor in weights.items():
        if ".qkv." in name:
            for part, piece in zip("qkv", tensor.chunk(3), strict=True):
                split[name.replace(".qkv.", f".{part}_proj.")] = piece.contiguous()
        else:
            split[name] = tensor
    return split


def merge_adapter(weights: Weights, adapter: str, config: Mapping[str, Any], name: str) -> Weights:
    """Weights with a task's low-rank products added: W + (alpha / rank) B A, in float32.

    Of a linear layer B is (out, rank) and A (rank, in); of an embedding A is (rows, rank) and B
    (rank, width), so there the product is A B.

    Raises:
        ModelError: if the checkpoint has no adapter of that name, or adapters and no scale.
    """
    bases = {key.split(LOW_RANK)[0] for key in weights if LOW_RANK in key}
    parts = {f"{base}{LOW_RANK}{part}" for base in bases for part in ("original", *LOW_RANK_PARTS)}
    check_keys({key for key in weights if LOW_RANK in key}, parts, name)
    names = config.get("lora_adaptations") or []
    if adapter and (adapter not in names or not bases):
        raise ModelError(f"{name} has no adapter {adapter!r}; it has {', '.join(names) or 'none'}")
    merged = {key: tensor for key, tensor in weights.items() if LOW_RANK not in key}
    for base in bases:
        whole = weights[f"{base}{LOW_RANK}original"].float()
        if adapter:
            a, b = (weights[f"{base}{LOW_RANK}{part}"].float() for part in LOW_RANK_PARTS)
            if not len(a) == len(b) == len(names):
                raise ModelError(f"{name}: {base} has not as many adapters as config.json names")
            task = names.index(adapter)
            product = a[task] @ b[task] if "embeddings." in base else b[task] @ a[task]
            if product.shape != whole.shape:
                raise ModelError(f"{name}: {base} and its adapters differ in shape")
            whole = whole + config["lora_alpha"] / config["lora_rank"] * product
        merged[f"{base}.weight"] = whole
    return merged
