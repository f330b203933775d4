"""MPNet: BERT whose attention also knows how far apart two tokens stand.

A score between tokens i and j is raised by a learned bias of its head, shared by all layers, that
depends on j - i alone: each distance up to 7 has one of its own, larger ones share one in growing
steps, and all from 91 on share the last, before and after apart (the paper, Section 3; in
transformers, modeling_mpnet.py, ``relative_position_bucket``). So no distance in a long window is
new to a model that was tuned on 128 tokens; only absolute positions are. These are looked up in a
table as BERT's are, from row 2 on; row 1 is padding's, and a padding token inside a text takes it
and no place of its own. There are no token types.
"""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch.nn import functional

from chunkstudy.encoders.bert import PADDING, Bert

BUCKETS = 32
NEAR, FAR = 8, 128
"""Tokens below which each distance has a bias of its own, and where the steps end."""
BIASES = "encoder.relative_attention_bias.weight"


class MPNet(Bert):
    """The encoder stack of an MPNet checkpoint."""

    computed_with: ClassVar = {
        "model_type": "mpnet",
        "hidden_act": "gelu",
        "pad_token_id": PADDING,
        "relative_attention_num_buckets": BUCKETS,
    }
    renamed: ClassVar = (
        (r"\.attention\.attn\.q\.", ".attention.self.query."),
        (r"\.attention\.attn\.k\.", ".attention.self.key."),
        (r"\.attention\.attn\.v\.", ".attention.self.value."),
        (r"\.attention\.attn\.o\.", ".attention.output.dense."),
        (r"\.attention\.LayerNorm\.", ".attention.output.LayerNorm."),
    )
    tables: ClassVar = ("word", "position")
    padding: ClassVar = PADDING

    def prepare(self) -> None:
        places = torch.arange(self.positions)
        buckets = relative_buckets(places - places.unsqueeze(1))
        biases = self.weights.pop(BIASES)[buckets.to(self.device)]  # (tokens, tokens, heads)
        self._biases = biases.permute(2, 0, 1).contiguous()

    def names(self) -> set[str]:
        return super().names() | {BIASES}

    def _attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        length = key.shape[2]
        bias = self._biases[:, :length, :length].unsqueeze(0)
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)


def relative_buckets(distances: torch.Tensor) -> torch.Tensor:
    """Which bias a pair of tokens has, by the key's place minus the query's, int64.

    The first half of the buckets is for keys that stand before the query or on it.
    """
    half = BUCKETS // 2
    away = distances.abs()
    share = torch.log(away.float().clamp(min=NEAR) / NEAR) / math.log(FAR / NEAR)
    wide = (NEAR + (share * (half - NEAR)).long()).clamp(max=half - 1)
    return torch.where(away < NEAR, away, wide) + (distances > 0) * half
