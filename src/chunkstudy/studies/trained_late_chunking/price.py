"""What a part takes, before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence

from chunkstudy.studies.trained_late_chunking.parts import Part

STEP, LOOK = 2.2, 10.0
"""Seconds of one core, of an AMX Xeon, for a step on 2,048 tokens and a look at the validation
part."""
WITHIN, ELSEWHERE = 150.0, 420.0
"""Seconds for both orderings on what is left out of a fold, on average, and for the three
collections."""


def lines(todo: Sequence[Part]) -> list[str]:
    """A line per part, and the sum; a model that an earlier part trains is not trained again."""
    trained: set[str] = set()
    found, total = [], 0.0
    for part in todo:
        seconds = WITHIN if part.test == "within" else ELSEWHERE
        recipe = part.recipe
        steps = 0
        if recipe and part.model not in trained:
            trained.add(part.model)
            steps = recipe.steps
            seconds += steps * STEP + (1 + steps / recipe.every) * LOOK
        total += seconds
        found.append(f"{part.name}\t{steps} steps\t{seconds / 60:.0f} minutes of a core")
    return [*found, f"{len(todo)} parts\t{total / 3600:.1f} hours of a core at most"]
