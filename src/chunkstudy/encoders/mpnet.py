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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from chunkstudy.encoders.bert import CPU, Bert, refuse_others
from chunkstudy.encoders.models import ModelError

PADDING = 1
"""The id of padding, and its row in the table of positions; the first token has the next row."""
BUCKETS = 32
NEAR, FAR = 8, 128
"""Tokens below which each distance has a bias of its own, and where the steps end."""
BIASES = "encoder.relative_attention_bias.weight"
RENAMED = (
    (".attention.attn.q.", ".attention.self.query."),
    (".attention.attn.k.", ".attention.self.key."),
    (".attention.attn.v.", ".attention.self.value."),
    (".attention.attn.o.", ".attention.output.dense."),
    (".attention.LayerNorm.", ".attention.output.LayerNorm."),
)


class MPNet(Bert):
    """The encoder stack of an MPNet checkpoint."""

    embedding_tables = ("word", "position")
    layer_parts = (
        *(f"attention.attn.{part}" for part in "qkvo"),
        "attention.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
    )
    other_tables = (BIASES,)

    def __init__(
        self, folder: Path, device: torch.device = CPU, dtype: torch.dtype = torch.float32
    ) -> None:
        super().__init__(folder, device, dtype)
        self.positions -= PADDING + 1
        places = torch.arange(self.positions)
        buckets = relative_buckets(places - places.unsqueeze(1))
        biases = self.weights.pop(BIASES)[buckets.to(device)]  # (tokens, tokens, heads)
        self._biases = biases.permute(2, 0, 1).contiguous()

    def read_at(self, positions: Sequence[int]) -> None:
        """From now on read the token at place p as if its absolute position were
        ``positions[p]``; distances between tokens stay what they are.

        Raises:
            ModelError: if the model has not all of these positions.
        """
        if not all(0 <= one < self.positions for one in positions):
            raise ModelError(
                f"positions {min(positions)} to {max(positions)} are not all among the "
                f"{self.positions} of the checkpoint's table; choose among its own"
            )
        first = PADDING + 1
        super().read_at([*range(first), *(first + one for one in positions)])

    def _embed(self, flat: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        hidden = self.weights["embeddings.word_embeddings.weight"][flat]
        parts = flat.split([length * times for length, times in groups])
        rows = [
            _rows(part.view(times, length)).flatten()
            for part, (length, times) in zip(parts, groups, strict=True)
        ]
        hidden += self.weights["embeddings.position_embeddings.weight"][torch.cat(rows)]
        return hidden

    def _attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        length = key.shape[2]
        bias = self._biases[:, :length, :length].unsqueeze(0)
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)

    @classmethod
    def _own_name(cls, published: str) -> str:
        for theirs, ours in RENAMED:
            published = published.replace(theirs, ours)
        return published

    @classmethod
    def _check_configuration(cls, config: Mapping[str, Any], name: str) -> None:
        wanted = {
            "model_type": "mpnet",
            "hidden_act": "gelu",
            "pad_token_id": PADDING,
            "relative_attention_num_buckets": BUCKETS,
        }
        refuse_others(config, wanted, name, "MPNet")


def relative_buckets(distances: torch.Tensor) -> torch.Tensor:
    """Which bias a pair of tokens has, by the key's place minus the query's, int64.

    The first half of the buckets is for keys that stand before the query or on it.
    """
    half = BUCKETS // 2
    away = distances.abs()
    share = torch.log(away.float().clamp(min=NEAR) / NEAR) / math.log(FAR / NEAR)
    wide = (NEAR + (share * (half - NEAR)).long()).clamp(max=half - 1)
    return torch.where(away < NEAR, away, wide) + (distances > 0) * half


def _rows(ids: torch.Tensor) -> torch.Tensor:
    """Of tokens (texts, tokens) the rows in the table of positions."""
    real = (ids != PADDING).long()
    return real.cumsum(1) * real + PADDING
