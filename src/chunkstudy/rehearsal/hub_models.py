"""The six hub models of the published grid as small random checkpoints.

Each has the files of its public repository under their names, a ``config.json`` with the public
one's keys, and its number type; only sizes are small. What a key says beside a size is what the
public file says, since the loader refuses anything else.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import safetensors.torch
import torch

from chunkstudy.encoders.registry import MODELS, Architecture
from chunkstudy.rehearsal import tokenizer_files
from chunkstudy.rehearsal.checkpoints import random_weights, size_keys

LAYERS, HEADS, HIDDEN, INNER = 1, 4, 32, 48
JINA_TASKS = (
    "retrieval.query", "retrieval.passage", "separation", "classification", "text-matching",
)  # fmt: skip


@dataclass(frozen=True)
class Checkpoint:
    """A repository of the hub.

    Attributes:
        id: of the model.
        files: name to content; those a load reads, and others that nobody may download.
        architecture: of the small model.
    """

    id: str
    files: Mapping[str, bytes]
    architecture: Architecture

    @property
    def revision(self) -> str:
        """A commit of 40 digits that the content decides."""
        content = json.dumps({k: hashlib.sha256(v).hexdigest() for k, v in self.files.items()})
        return hashlib.sha1(content.encode()).hexdigest()


def every() -> list[Checkpoint]:
    """All six; the same bytes each time."""
    wordpiece, sentencepiece = tokenizer_files.wordpiece(), tokenizer_files.xlm_roberta()
    size = len(json.loads(sentencepiece)["model"]["vocab"]) + 1
    made = []
    for seed, (name, (configure, dtype)) in enumerate(CONFIGURATIONS.items()):
        own = MODELS[name]
        pieces = own.tokenizer == "xlm-roberta"
        config = configure(name) | ({"vocab_size": size} if pieces else {})
        tokenizer = sentencepiece if pieces else wordpiece
        made.append(_checkpoint(name, config, dtype, tokenizer, seed))
    return made


def _checkpoint(
    name: str, config: dict[str, Any], dtype: torch.dtype, tokenizer: bytes, seed: int
) -> Checkpoint:
    kind = MODELS[name].kind
    weights = {key: one.to(dtype) for key, one in random_weights(kind, config, seed).items()}
    layers, hidden, heads, inner = (config[key] for key in size_keys(kind))
    gated = kind in ("jina_bert", "nomic_bert")
    files = {
        "config.json": json.dumps(config, indent=2).encode(),
        "model.safetensors": safetensors.torch.save(weights, {"format": "pt"}),
        "tokenizer.json": tokenizer,
        # Of a repository's other files, which no load may ask for, the pickle could run code.
        "pytorch_model.bin": b"a pickle, which nothing here may download",
        "README.md": b"---\nlicense: other\n---\nrandom weights of a rehearsal\n",
        "modules.json": b"[]",
        "sentence_bert_config.json": json.dumps({"max_seq_length": MODELS[name].window}).encode(),
        "special_tokens_map.json": b"{}",
        "tokenizer_config.json": b"{}",
        "1_Pooling/config.json": json.dumps({"pooling_mode_mean_tokens": True}).encode(),
    }
    return Checkpoint(name, files, Architecture(layers, hidden, heads, inner, gated))


def sharded(weights: bytes) -> dict[str, bytes]:
    """The same weights in two shards with their index, as the hub's library cuts large ones."""
    (length,) = struct.unpack("<Q", weights[:8])
    names = [key for key in json.loads(weights[8 : 8 + length]) if key != "__metadata__"]
    tensors = safetensors.torch.load(weights)
    half = len(names) // 2
    files: dict[str, bytes] = {}
    places: dict[str, str] = {}
    for number, part in enumerate((names[:half], names[half:]), start=1):
        shard = f"model-{number:05d}-of-00002.safetensors"
        files[shard] = safetensors.torch.save({k: tensors[k] for k in part}, {"format": "pt"})
        places |= dict.fromkeys(part, shard)
    total = sum(one.numel() * one.element_size() for one in tensors.values())
    index = {"metadata": {"total_size": total}, "weight_map": places}
    return files | {"model.safetensors.index.json": json.dumps(index, indent=2).encode()}


def _bert_sizes() -> dict[str, Any]:
    return {
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "initializer_range": 0.02,
    }


def _jina_v2(name: str) -> dict[str, Any]:
    code = "jinaai/jina-bert-implementation--"
    return _bert_sizes() | {
        "_name_or_path": "jinaai/jina-bert-implementation",
        "architectures": ["JinaBertForMaskedLM"],
        "attention_probs_dropout_prob": 0.0 if "small" in name else 0.1,
        "auto_map": {
            "AutoConfig": f"{code}configuration_bert.JinaBertConfig",
            "AutoModel": f"{code}modeling_bert.JinaBertModel",
            "AutoModelForMaskedLM": f"{code}modeling_bert.JinaBertForMaskedLM",
            "AutoModelForSequenceClassification": (
                f"{code}modeling_bert.JinaBertForSequenceClassification"
            ),
        },
        "classifier_dropout": None,
        "gradient_checkpointing": False,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 8192,
        "model_max_length": 8192,
        "model_type": "bert",
        "pad_token_id": 0,
        "position_embedding_type": "alibi",
        "torch_dtype": "float16",
        "transformers_version": "4.26.0",
        "type_vocab_size": 2,
        "use_cache": True,
        "vocab_size": 30528,
        "feed_forward_type": "geglu",
        "emb_pooler": "mean",
    }


def _jina_v3(name: str) -> dict[str, Any]:
    spec = MODELS[name]
    code = "jinaai/xlm-roberta-flash-implementation--"
    return _bert_sizes() | {
        "architectures": ["XLMRobertaModel"],
        "attention_probs_dropout_prob": 0.1,
        "auto_map": {
            "AutoConfig": f"{code}configuration_xlm_roberta.XLMRobertaFlashConfig",
            "AutoModel": f"{code}modeling_lora.XLMRobertaLoRA",
        },
        "bos_token_id": 0,
        "classifier_dropout": None,
        "emb_pooler": None,
        "eos_token_id": 2,
        "layer_norm_eps": 1e-05,
        "load_trained_adapters": True,
        "lora_adaptations": list(JINA_TASKS),
        "lora_alpha": 1,
        "lora_dropout_p": 0.0,
        "lora_main_params_trainable": False,
        "lora_rank": 4,
        "matryoshka_dimensions": [8, 16, HIDDEN],
        "max_position_embeddings": 8194,
        "model_type": "xlm-roberta",
        "output_past": True,
        "pad_token_id": 1,
        "position_embedding_type": "rotary",
        "rotary_emb_base": 20000.0,
        "task_instructions": {
            "retrieval.query": spec.query_prefix,
            "retrieval.passage": spec.document_prefix,
            "separation": "",
            "classification": "",
            "text-matching": "",
        },
        "torch_dtype": "bfloat16",
        "transformers_version": "4.30.2",
        "truncate_dim": None,
        "type_vocab_size": 1,
        "use_cache": False,
        "use_flash_attn": True,
        "use_reentrant": False,
    }


def _nomic(name: str) -> dict[str, Any]:
    code = "nomic-ai/nomic-bert-2048--"
    return {
        "activation_function": "swiglu",
        "architectures": ["NomicBertModel"],
        "attn_pdrop": 0.0,
        "auto_map": {
            "AutoConfig": f"{code}configuration_hf_nomic_bert.NomicBertConfig",
            "AutoModel": f"{code}modeling_hf_nomic_bert.NomicBertModel",
            "AutoModelForMaskedLM": f"{code}modeling_hf_nomic_bert.NomicBertForPreTraining",
        },
        "bos_token_id": None,
        "causal": False,
        "dense_seq_output": True,
        "embd_pdrop": 0.0,
        "eos_token_id": None,
        "fused_bias_fc": True,
        "fused_dropout_add_ln": True,
        "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-12,
        "max_trained_positions": 2048,
        "mlp_fc1_bias": False,
        "mlp_fc2_bias": False,
        "model_type": "nomic_bert",
        "n_embd": HIDDEN,
        "n_head": HEADS,
        "n_inner": INNER,
        "n_layer": LAYERS,
        "n_positions": MODELS[name].positions,
        "pad_vocab_size_multiple": 64,
        "parallel_block": False,
        "parallel_block_tied_norm": False,
        "prenorm": False,
        "qkv_proj_bias": False,
        "reorder_and_upcast_attn": False,
        "resid_pdrop": 0.0,
        "rotary_emb_base": 1000,
        "rotary_emb_fraction": 1.0,
        "rotary_emb_interleaved": False,
        "rotary_emb_scale_base": None,
        "rotary_scaling_factor": None,
        "scale_attn_by_inverse_layer_idx": False,
        "scale_attn_weights": True,
        "summary_activation": None,
        "summary_first_dropout": 0.0,
        "summary_proj_to_labels": True,
        "summary_type": "cls_index",
        "summary_use_proj": True,
        "torch_dtype": "float32",
        "transformers_version": "4.37.2",
        "type_vocab_size": 2,
        "use_cache": True,
        "use_flash_attn": True,
        "use_rms_norm": False,
        "use_xentropy": True,
        "vocab_size": 30528,
    }


def _e5(name: str) -> dict[str, Any]:
    instruct = name.endswith("-instruct")
    return _bert_sizes() | {
        "architectures": ["XLMRobertaModel"],
        "attention_probs_dropout_prob": 0.1,
        "bos_token_id": 0,
        "classifier_dropout": None,
        "eos_token_id": 2,
        "export_model_type": "transformer",
        "layer_norm_eps": 1e-05,
        "max_position_embeddings": 514,
        "model_type": "xlm-roberta",
        "output_past": True,
        "pad_token_id": 1,
        "position_embedding_type": "absolute",
        "torch_dtype": "float16" if instruct else "float32",
        "transformers_version": "4.39.3" if instruct else "4.29.0.dev0",
        "type_vocab_size": 1,
        "use_cache": True,
    }


Configure = Callable[[str], dict[str, Any]]
CONFIGURATIONS: dict[str, tuple[Configure, torch.dtype]] = {
    "jinaai/jina-embeddings-v2-small-en": (_jina_v2, torch.float16),
    "jinaai/jina-embeddings-v2-base-en": (_jina_v2, torch.float16),
    "jinaai/jina-embeddings-v3": (_jina_v3, torch.bfloat16),
    "nomic-ai/nomic-embed-text-v1": (_nomic, torch.float32),
    "intfloat/multilingual-e5-large": (_e5, torch.float32),
    "intfloat/multilingual-e5-large-instruct": (_e5, torch.float16),
}
