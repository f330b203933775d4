"""JinaBERT v2: BERT with linear biases on attention (ALiBi) and a gated feed-forward network.

No position is embedded: a score between tokens i and j is lowered by slope times ``|i - j|``,
another slope for each head, and alike in both directions. The feed-forward network multiplies the
gelu of one projection with a second one, both stored in one matrix, the activated half first. The
layout is that of jinaai/jina-bert-implementation; its variant for code, jina-bert-v2-qk-post-norm,
stores the halves the other way round and is refused by its keys.
"""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch.nn import functional

from chunkstudy.encoders.bert import Bert

QUERY_BLOCK = 256
"""Tokens whose biases are held at once, so that 8,192 tokens need no square of them."""


class JinaBert(Bert):
    """The encoder stack of a JinaBERT v2 checkpoint."""

    computed_with: ClassVar = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "position_embedding_type": "alibi",
        "feed_forward_type": "geglu",
    }
    renamed: ClassVar = (
        (r"\.mlp\.gated_layers\.", ".intermediate.dense."),
        (r"\.mlp\.wo\.", ".output.dense."),
        (r"\.mlp\.layernorm\.", ".output.LayerNorm."),
    )
    tables: ClassVar = ("word", "token_type")
    without_bias: ClassVar = ("intermediate.dense",)
    gated: ClassVar = True

    def prepare(self) -> None:
        self._slopes = torch.tensor(slopes(self.heads), device=self.device)
        self._table = self._biases(1024)

    def _attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        length = key.shape[2]
        if (reach := (self._table.shape[2] + 1) // 2) < length:
            self._table = self._biases(2 ** math.ceil(math.log2(length)))
            reach = (self._table.shape[2] + 1) // 2
        parts = []
        for start in range(0, length, QUERY_BLOCK):
            block = query[:, :, start : start + QUERY_BLOCK]
            # A bias depends on i - j alone, so every block reads its own stretch of one table.
            first = reach - 1 - start
            bias = self._table[:, : block.shape[2], first : first + length]
            parts.append(
                functional.scaled_dot_product_attention(
                    block, key, value, attn_mask=bias.to(query.dtype).unsqueeze(0)
                )
            )
        return torch.cat(parts, dim=2)

    def _biases(self, length: int) -> torch.Tensor:
        """Biases of a block of queries, (heads, QUERY_BLOCK, 2 * length - 1), against keys that
        stand from ``length - 1`` before to ``length - 1`` after the block's first query."""
        rows = torch.arange(QUERY_BLOCK, device=self.device).unsqueeze(1)
        offsets = torch.arange(1 - length, length, device=self.device)
        return -self._slopes[:, None, None] * (rows - offsets).abs()

    def _widened(self, hidden: torch.Tensor, layer: str) -> torch.Tensor:
        activated, linear = self._linear(hidden, layer + "intermediate.dense").chunk(2, dim=1)
        return functional.gelu(activated) * linear


def slopes(heads: int) -> list[float]:
    """ALiBi's slope of each head.

    A power of two n has the geometric sequence 2^(-8/n), 2^(-16/n), ...; any other number takes
    that of the power of two below and fills up with every other slope of the one above.
    """
    power = 2 ** int(math.log2(heads))
    below = [2.0 ** (-8 * (i + 1) / power) for i in range(power)]
    above = [2.0 ** (-4 * (2 * i + 1) / power) for i in range(heads - power)]
    return below + above
