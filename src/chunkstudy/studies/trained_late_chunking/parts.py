"""The parts of the study: which model is trained how, and what it is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chunkstudy.runs.names import CONTEXTUALIZED
from chunkstudy.studies.trained_late_chunking.training.recipe import (
    ALONE,
    CONTEXT,
    MIXED,
    STEPS,
    UNTRAINED,
    Recipe,
)

Test = Literal["within", "elsewhere"]
WINDOW = 512
"""Where late chunking costs this model most."""
SHARES = (0.25, 0.125, 0.0625)
"""Of the triples, for the learning curve at the same number of steps; with all of them some half
are seen, each once."""
LONGER = 3 * STEPS
AVERAGED = "averaged"


@dataclass(frozen=True, slots=True)
class Part:
    """One model and one test.

    Attributes:
        test: ``within`` documents left out, under both orderings, or ``elsewhere``, whole documents
            of collections that nothing was trained on.
        arm: ``untrained`` or one of the recipe's.
        window: tokens that late chunking reads together.
        fold: which documents are left out.
        share: of the triples.
        seed: of the training.
        steps: at most.
        layout: of the windows, in training and in the test: "", one state a token from the window
            that shows most around it, or "averaged" over windows moved by half.
    """

    test: Test
    arm: str
    window: int = WINDOW
    fold: int = 0
    share: float = 1.0
    seed: int = 0
    steps: int = STEPS
    layout: str = ""

    @property
    def recipe(self) -> Recipe | None:
        """How the model is trained; None for the one that is not."""
        if self.arm == UNTRAINED:
            return None
        return Recipe(self.arm, self.window, self.fold, self.seed, self.share, self.steps)

    @property
    def model(self) -> str:
        """The model's name."""
        recipe = self.recipe
        name = recipe.name if recipe else f"{UNTRAINED}-{self.window}-fold-{self.fold}"
        return f"{name}-{self.layout}".rstrip("-")

    @property
    def ordering(self) -> str:
        """Of late chunking."""
        return f"{CONTEXTUALIZED}-{self.window}-{self.layout}".rstrip("-")

    @property
    def name(self) -> str:
        return f"{self.test}/{self.model}"


def _fold(number: int, window: int = WINDOW) -> list[Part]:
    return [Part("within", arm, window, number) for arm in (UNTRAINED, CONTEXT, ALONE, MIXED)]


def _curve(number: int) -> list[Part]:
    return [Part("within", CONTEXT, fold=number, share=share) for share in SHARES]


PLAN: tuple[Part, ...] = (
    *_fold(0),
    *_fold(1),
    *(Part("elsewhere", arm) for arm in (UNTRAINED, CONTEXT, ALONE, MIXED)),
    *_curve(0),
    *_fold(2),
    *_fold(3),
    *_fold(4),
    *_fold(0, 256),
    *_fold(0, 128),
    *(Part("within", arm, seed=1) for arm in (CONTEXT, ALONE)),
    *(Part("within", arm, steps=LONGER) for arm in (CONTEXT, ALONE)),
    *_curve(1),
    *_curve(2),
    *_curve(3),
    *_curve(4),
    *(
        Part("within", arm, fold=n, layout=AVERAGED)
        for n in range(5)
        for arm in (UNTRAINED, CONTEXT)
    ),
    *(part for n in range(1, 5) for part in _fold(n, 256)[:3]),
    *(part for n in range(1, 5) for part in _fold(n, 128)[:3]),
)
"""Every part, in the order in which it is most worth having."""
