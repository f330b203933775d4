"""How one model is trained: everything that decides its weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from chunkstudy.studies.trained_late_chunking.training.triples import Triple

UNTRAINED, ALONE, CONTEXT, MIXED = "untrained", "alone", "context", "mixed"
ARMS = (ALONE, CONTEXT, MIXED)
"""Passages read alone, pooled from the windows of their document, or one and the other in turn."""
STEPS = 120


@dataclass(frozen=True, slots=True)
class Recipe:
    """One training run.

    Temperature, optimiser and schedule are customary: all-MiniLM-L6-v2 was itself made with cosines
    times 20 and AdamW at 2e-5 (its model card), at a batch far larger than fits here. They were
    set once and not searched.

    Attributes:
        arm: how passages are read, one of ``ARMS``.
        window: tokens read together, special ones included.
        fold: which documents are left out.
        seed: of the order of documents and of the share of triples.
        fraction: of the triples.
        steps: of the optimiser, the same for every arm and fraction.
        tokens: of windows a batch.
        temperature: see :func:`info_nce`.
        rate: the highest learning rate, reached by a straight line and left by one to 0.
        warm_up: the share of the steps until then.
        decay: AdamW's, of matrices; biases and norms have none.
        clip: the longest gradient.
        every: steps between two looks at the validation part.
        patience: looks without a lower loss after which it stops.
    """

    arm: str
    window: int = 512
    fold: int = 0
    seed: int = 0
    fraction: float = 1.0
    steps: int = STEPS
    tokens: int = 2048
    temperature: float = 0.05
    rate: float = 5e-5
    warm_up: float = 0.1
    decay: float = 0.01
    clip: float = 1.0
    every: int = 40
    patience: int = 2

    @property
    def name(self) -> str:
        """What tells it from the other runs: ``context-512-fold-0-seed-0``."""
        part = "" if self.fraction == 1 else f"-share-{self.fraction:g}"
        part += "" if self.steps == STEPS else f"-steps-{self.steps}"
        return f"{self.arm}-{self.window}-fold-{self.fold}-seed-{self.seed}{part}"

    def digest(self, *parts: Sequence[Triple]) -> str:
        """sha256 of the recipe and of the triples to train on and to validate on."""
        triples = [[asdict(one) for one in part] for part in parts]
        text = json.dumps([asdict(self), triples], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        warm = max(1, round(self.warm_up * self.steps))
        rising, falling = (step + 1) / warm, (self.steps - step) / max(1, self.steps - warm)
        return self.rate * min(1.0, rising, falling)

    def in_context(self, step: int) -> bool:
        """Whether a step pools its passages from their documents."""
        return self.arm == CONTEXT or (self.arm == MIXED and step % 2 == 0)
