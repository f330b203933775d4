"""What a generation is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Variant = Literal["exact", "approximate"]
"""Whether excerpts are quoted, or named by the numbers of the pieces that hold them."""
Protocol = Literal["corrected", "as_published"]
"""As published: the official code's way to offsets, with its faults (published.py), and earlier
questions of the same document only."""
EARLIER: dict[Protocol, int] = {"corrected": 50, "as_published": 20}
"""Earlier questions shown at most: what the report says, and what the official code does
(synthetic_evaluation.py:72-73)."""
MOST_EXCERPTS = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the requests, beside the documents.

    Attributes:
        model: whom to ask, provider and name.
        questions: how many to try for.
        characters: of a document shown at once.
        attempts: replies asked for at most until a question is given up. The official code asks
            until one can be used.
        output_limit: tokens a reply may have.
        temperature: the official code names none, and 1 is what its server then takes.

    Raises:
        ValueError: if there is no such variant or protocol, or a number is too small.
    """

    model: str
    questions: int
    variant: Variant = "exact"
    protocol: Protocol = "corrected"
    seed: int = 0
    characters: int = 4_000
    attempts: int = 10
    output_limit: int = 600
    temperature: float = 1.0

    def __post_init__(self) -> None:
        for name, allowed in (("variant", Variant), ("protocol", Protocol)):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(
                    f"unknown {name} {getattr(self, name)!r}; use {' or '.join(get_args(allowed))}"
                )
        for name in ("questions", "characters", "attempts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; use 1 or more")

    @property
    def earlier(self) -> int:
        """Earlier questions shown at most."""
        return EARLIER[self.protocol]
