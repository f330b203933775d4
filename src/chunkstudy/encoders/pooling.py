"""From token states to one vector."""

from __future__ import annotations

import torch


def mean_pool(states: torch.Tensor) -> torch.Tensor:
    """Mean over the tokens of texts of one length: (texts, tokens, d) to (texts, d)."""
    return states.mean(dim=1)


def normalise(vectors: torch.Tensor) -> torch.Tensor:
    """Rows of unit length; a zero row stays zero instead of becoming NaN."""
    return torch.nn.functional.normalize(vectors, dim=1, eps=1e-12)
