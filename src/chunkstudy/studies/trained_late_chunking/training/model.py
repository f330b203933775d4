"""A BERT whose weights can be changed, read as the study reads: plain, or pooled in context."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.pooling import normalise, pool_spans, sequence

FUSED = "attention.self.qkv."
PARTS = ("query", "key", "value")


class Trainee:
    """The model in a checked folder, nothing frozen, without dropout, in float32 on one device.

    Raises:
        ModelError: if the folder holds no BERT.
    """

    def __init__(self, folder: Path) -> None:
        self.bert = Bert(folder)
        stored = load_file(folder / "model.safetensors")
        self._pooler = {name: one for name, one in stored.items() if name.startswith("pooler.")}
        for weight in self.bert.weights.values():
            weight.requires_grad_(True)

    @property
    def weights(self) -> dict[str, torch.Tensor]:
        """By name; query, key and value of a layer are one."""
        return self.bert.weights

    def plain(self, texts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Unit vectors (texts, d) of ids with their special tokens, in their order."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        groups = self.bert.computed([texts[i] for i in order])
        pooled = torch.cat([states.mean(dim=1) for states in groups])
        return normalise(pooled[_inverse(order)])

    def pooled(self, layouts: Sequence[Layout], spans: Sequence[NDArray]) -> torch.Tensor:
        """Unit vectors (spans, d) pooled from documents read in windows, document by document."""
        windows = [ids for layout in layouts for ids in layout.windows]
        order = sorted(range(len(windows)), key=lambda i: len(windows[i]))
        groups = self.bert.computed([windows[i] for i in order])
        flat = [states for group in groups for states in group]
        of_window = iter([flat[i] for i in _inverse(order).tolist()])
        vectors = []
        for layout, places in zip(layouts, spans, strict=True):
            states = sequence([next(of_window)[a:b] for a, b in layout.kept], layout.places)
            starts, ends = torch.from_numpy(places).T
            vectors.append(pool_spans(states, starts, ends))
        return normalise(torch.cat(vectors))

    def published(self) -> dict[str, torch.Tensor]:
        """Copies of the weights under the names of BERT's checkpoints, with the pooler as it was,
        which no vector here goes through and other software expects."""
        found = {name: one.clone() for name, one in self._pooler.items()}
        for name, weight in self.weights.items():
            whole = weight.detach()
            if FUSED in name:
                for part, rows in zip(PARTS, whole.chunk(3), strict=True):
                    found[name.replace("qkv", part)] = rows.clone()
            else:
                found[name] = whole.clone()
        return found


def _inverse(order: Sequence[int]) -> torch.Tensor:
    found = torch.empty(len(order), dtype=torch.int64)
    found[torch.tensor(order, dtype=torch.int64)] = torch.arange(len(order))
    return found
