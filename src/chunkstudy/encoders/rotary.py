"""BERT's relatives with rotary positions: nomic_bert, and jina_embeddings_v3 with its adapters.

No position is embedded: query and key are turned by an angle that grows with their place, so that
a score depends on the distance (RoFormer, Section 3.2; dimension k and k + half turn together).
Their checkpoints were written for code of their authors' own, which is not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch.nn import functional

from chunkstudy.core.errors import ResourceError
from chunkstudy.encoders.bert import FUSED, PADDING, SIZES, Bert
from chunkstudy.encoders.checkpoint import Weights

LOW_RANK = ".parametrizations.weight."
"""Parts the name of a weight that adapters change from ``original`` or a name below."""
LOW_RANK_PARTS = ("0.lora_A", "0.lora_B")


class Rotary(Bert):
    """What both have in common."""

    renamed: ClassVar = (
        (r"^roberta\.", ""),
        (r"^emb_ln\.", "embeddings.LayerNorm."),
        (r"^encoder\.layers\.", "encoder.layer."),
        (r"\.(attn|mixer)\.Wqkv\.", f".{FUSED}."),
        (r"\.(attn|mixer)\.out_proj\.", ".attention.output.dense."),
        # Nomic's network is fc2(fc11(x) * silu(fc12(x))): the second is the gate.
        (r"\.mlp\.fc11?\.", ".intermediate.dense."),
        (r"\.mlp\.fc12\.", ".intermediate.gate."),
        (r"\.mlp\.fc2\.", ".output.dense."),
        (r"\.norm1\.", ".attention.output.LayerNorm."),
        (r"\.norm2\.", ".output.LayerNorm."),
    )
    tables: ClassVar = ("word", "token_type")
    attention: ClassVar = (FUSED,)

    def prepare(self) -> None:
        width = self.architecture.hidden // self.heads
        base = float(self.setting("rotary_emb_base"))
        speeds = base ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)
        angles = torch.outer(torch.arange(self.positions, dtype=torch.float64), speeds)
        self._turns = [
            function(angles).repeat(1, 2).to(self.device, self.dtype)
            for function in (torch.cos, torch.sin)
        ]

    def _attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        return super()._attention(self._turned(query), self._turned(key), value)

    def _turned(self, states: torch.Tensor) -> torch.Tensor:
        cosines, sines = (turn[: states.shape[2]] for turn in self._turns)
        first, second = states.chunk(2, dim=3)
        return states * cosines + torch.cat([-second, first], dim=3) * sines


class NomicBert(Rotary):
    """The encoder stack of a nomic_bert checkpoint."""

    sizes: ClassVar = {
        "layers": "n_layer",
        "hidden": "n_embd",
        "heads": "n_head",
        "intermediate": "n_inner",
        "positions": "n_positions",
        "epsilon": "layer_norm_epsilon",
    }
    computed_with: ClassVar = {
        "model_type": "nomic_bert",
        "activation_function": "swiglu",
        "qkv_proj_bias": False,
        "mlp_fc1_bias": False,
        "mlp_fc2_bias": False,
        "rotary_emb_fraction": 1.0,
    }
    unless_absent: ClassVar = {
        "rotary_emb_interleaved": False,
        "rotary_emb_scale_base": None,
        # It would bend positions by the longest text of a batch, so that a vector depended on its
        # neighbours and their order.
        "rotary_scaling_factor": None,
        "prenorm": False,
        "parallel_block": False,
        "use_rms_norm": False,
        "causal": False,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
    }
    without_bias: ClassVar = (
        FUSED,
        "attention.output.dense",
        "intermediate.dense",
        "output.dense",
    )
    gated: ClassVar = True

    def names(self) -> set[str]:
        names = super().names()
        return names | {n.replace(".dense.", ".gate.") for n in names if ".intermediate." in n}

    def _widened(self, hidden: torch.Tensor, layer: str) -> torch.Tensor:
        gate = functional.silu(self._linear(hidden, layer + "intermediate.gate"))
        return gate.mul_(self._linear(hidden, layer + "intermediate.dense"))


class JinaEmbeddingsV3(Rotary):
    """The encoder stack of a jina_embeddings_v3 checkpoint, without an adapter at first."""

    sizes: ClassVar = SIZES
    computed_with: ClassVar = {
        "model_type": "xlm-roberta",
        "hidden_act": "gelu",
        "position_embedding_type": "rotary",
        "pad_token_id": PADDING,
    }
    padding: ClassVar = PADDING

    def take(self, weights: Weights) -> None:
        self._stored = weights
        self._adapter = ""
        super().take(merge_adapter(weights, "", self.config, self.name))

    def adapt(self, adapter: str) -> None:
        """The same, with W + (alpha / rank) B A in the place of each W."""
        if adapter != self._adapter:
            super().take(merge_adapter(self._stored, adapter, self.config, self.name))
            self._adapter = adapter


def merge_adapter(
    weights: Weights, adapter: str, config: Mapping[str, object], name: str
) -> Weights:
    """Weights with a task's low-rank products added: W + (alpha / rank) B A, in float32.

    Of a linear layer B is (out, rank) and A (rank, in); of an embedding A is (rows, rank) and B
    (rank, width), so there the product is A B.

    Raises:
        ResourceError: if the checkpoint has no adapter of that name.
    """
    bases = {key.split(LOW_RANK)[0] for key in weights if LOW_RANK in key}
    names: list[str] = config.get("lora_adaptations") or []  # type: ignore[assignment]
    if adapter and (adapter not in names or not bases):
        raise ResourceError(
            f"{name} has no adapter {adapter!r}; it has {', '.join(names) or 'none'}"
        )
    merged = {key: tensor for key, tensor in weights.items() if LOW_RANK not in key}
    for base in bases:
        whole = weights[f"{base}{LOW_RANK}original"].float()
        if adapter:
            a, b = (weights[f"{base}{LOW_RANK}{part}"].float() for part in LOW_RANK_PARTS)
            task = names.index(adapter)
            product = a[task] @ b[task] if "embeddings." in base else b[task] @ a[task]
            whole = whole + config["lora_alpha"] / config["lora_rank"] * product  # type: ignore[operator]
        merged[f"{base}.weight"] = whole
    return merged
