"""From token states to vectors."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def pool_spans(states: torch.Tensor, starts: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """Mean of the states in each span of one text, for late chunking.

    Args:
        states: (tokens, d).
        starts: (spans,), int64, first token of each span; spans may overlap.
        ends: (spans,), int64, one past its last token.

    Returns:
        (spans, d) in the dtype of ``states``; an empty span has a zero row.

    Raises:
        ValueError: if a span is reversed or leaves the text.
    """
    if bool(((starts < 0) | (starts > ends) | (ends > len(states))).any()):
        raise ValueError(f"a span is reversed or lies outside the text's {len(states)} tokens")
    # float64, since a short span is a small difference of two large sums
    sums = torch.cat([states.new_zeros(1, states.shape[1]), states]).double().cumsum(dim=0)
    counts = (ends - starts).clamp(min=1).unsqueeze(1)
    return ((sums[ends] - sums[starts]) / counts).to(states.dtype)


def sequence(parts: Sequence[torch.Tensor], places: Sequence[int] | None) -> torch.Tensor:
    """The states of a document, (places, d), from those of its windows: the mean of those that fall
    on each place, zero where none does.

    Args:
        parts: (tokens, d) each, at least one.
        places: where in the sequence each part begins; None where they follow each other.
    """
    if places is None:
        return torch.cat([*parts])
    length = max(at + len(part) for at, part in zip(places, parts, strict=True))
    sums = parts[0].new_zeros(length, parts[0].shape[1])
    counts = parts[0].new_zeros(length, 1)
    for at, part in zip(places, parts, strict=True):
        sums[at : at + len(part)] += part
        counts[at : at + len(part)] += 1
    return sums / counts.clamp(min=1)


def normalise(vectors: torch.Tensor) -> torch.Tensor:
    """Rows (n, d) of unit length; a zero row stays zero instead of becoming NaN."""
    return torch.nn.functional.normalize(vectors, dim=1, eps=1e-12)
