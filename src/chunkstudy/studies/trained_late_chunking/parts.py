"""The parts of the study: which model is trained how, and what it is tested on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from chunkstudy.runs.conditions import CONTEXTUALIZED
from chunkstudy.studies.trained_late_chunking.questions import Triple

UNTRAINED, ALONE, CONTEXT, MIXED = "untrained", "alone", "context", "mixed"
ARMS = (UNTRAINED, ALONE, CONTEXT, MIXED)
"""Not trained, passages read alone, pooled from the windows of their document, or one and the other
in turn."""
WINDOW = 512
"""Where late chunking costs this model most."""
SHARES = (0.25, 0.125, 0.0625)
"""Of the triples, for the learning curve at the same number of steps; with all of them some half
are seen, each once."""
STEPS = 120
LONGER = 3 * STEPS
AVERAGED = "averaged"


@dataclass(frozen=True, slots=True)
class Part:
    """One model, with everything that decides its weights, and one test.

    Temperature, optimiser and schedule are customary: all-MiniLM-L6-v2 was itself made with cosines
    times 20 and AdamW at 2e-5 (its model card), at a batch far larger than fits here. They were
    set once and not searched.

    Attributes:
        test: ``within`` documents left out, under both orderings, or ``elsewhere``, whole documents
            of collections that nothing was trained on.
        arm: how passages are read in training, one of ``ARMS``.
        window: tokens that late chunking reads together, special ones included.
        fold: which documents are left out.
        share: of the triples.
        seed: of the order of documents and of the share of triples.
        steps: of the optimiser at most, the same for every arm and share.
        layout: of the windows, in training and in the test: "", one state a token from the window
            that shows most around it, or "averaged" over windows moved by half.
        tokens: of windows a batch.
        temperature: see :func:`~chunkstudy.studies.trained_late_chunking.loop.info_nce`.
        rate: the highest learning rate, reached by a straight line and left by one to 0.
        warm_up: the share of the steps until then.
        decay: AdamW's, of matrices; biases and norms have none.
        clip: the longest gradient.
        every: steps between two looks at the validation part.
        patience: looks without a lower loss after which it stops.
    """

    test: str
    arm: str
    window: int = WINDOW
    fold: int = 0
    share: float = 1.0
    seed: int = 0
    steps: int = STEPS
    layout: str = ""
    tokens: int = 2048
    temperature: float = 0.05
    rate: float = 5e-5
    warm_up: float = 0.1
    decay: float = 0.01
    clip: float = 1.0
    every: int = 40
    patience: int = 2

    @property
    def is_trained(self) -> bool:
        """Whether its model is not the one as it was."""
        return self.arm != UNTRAINED

    @property
    def model(self) -> str:
        """What tells the model from the others: ``context-512-fold-0-seed-0``."""
        name = f"{self.arm}-{self.window}-fold-{self.fold}"
        if self.is_trained:
            name += f"-seed-{self.seed}"
            name += "" if self.share == 1 else f"-share-{self.share:g}"
            name += "" if self.steps == STEPS else f"-steps-{self.steps}"
        return f"{name}-{self.layout}".rstrip("-")

    @property
    def ordering(self) -> str:
        """Of late chunking."""
        return f"{CONTEXTUALIZED}-{self.window}-{self.layout}".rstrip("-")

    @property
    def name(self) -> str:
        return f"{self.test}/{self.model}"

    def digest(self, *parts: Sequence[Triple]) -> str:
        """sha256 of the recipe and of the triples to train on and to validate on."""
        recipe = asdict(self) | {"fraction": self.share}
        for name in ("test", "share", "layout"):
            del recipe[name]
        triples = [[asdict(triple) for triple in part] for part in parts]
        return hashlib.sha256(json.dumps([recipe, triples], sort_keys=True).encode()).hexdigest()

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        warm = max(1, round(self.warm_up * self.steps))
        rising, falling = (step + 1) / warm, (self.steps - step) / max(1, self.steps - warm)
        return self.rate * min(1.0, rising, falling)

    def in_context(self, step: int) -> bool:
        """Whether a step pools its passages from their documents."""
        return self.arm == CONTEXT or (self.arm == MIXED and step % 2 == 0)


def _fold(number: int, window: int = WINDOW) -> list[Part]:
    return [Part("within", arm, window, number) for arm in (UNTRAINED, CONTEXT, ALONE, MIXED)]


def _curve(number: int) -> list[Part]:
    return [Part("within", CONTEXT, fold=number, share=share) for share in SHARES]


PLAN: tuple[Part, ...] = (
    *_fold(0),
    *_fold(1),
    *(Part("elsewhere", arm) for arm in (UNTRAINED, CONTEXT, ALONE, MIXED)),
    *_curve(0),
    *(part for n in (2, 3, 4) for part in _fold(n)),
    *_fold(0, 256),
    *_fold(0, 128),
    *(Part("within", arm, seed=1) for arm in (CONTEXT, ALONE)),
    *(Part("within", arm, steps=LONGER) for arm in (CONTEXT, ALONE)),
    *(part for n in range(1, 5) for part in _curve(n)),
    *(
        Part("within", arm, fold=n, layout=AVERAGED)
        for n in range(5)
        for arm in (UNTRAINED, CONTEXT)
    ),
    *(part for n in range(1, 5) for part in _fold(n, 256)[:3]),
    *(part for n in range(1, 5) for part in _fold(n, 128)[:3]),
)
"""Every part, in the order in which it is most worth having."""
