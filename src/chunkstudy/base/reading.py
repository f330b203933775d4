"""What a causal model makes of a text that it reads and does not answer: how open the next token
is, how surprising the one that came, what each token attends to, and what it would lose if others
were hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.spans import Span

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Strengths = Callable[[str, Sequence[int], str], Sequence[float]]
"""Of a text, characters at which it could be cut, and the name of a signal: how strong it is at
each of them, NaN where it was not measured."""


@dataclass(frozen=True)
class Read:
    """One pass over n tokens, which the model's start token precedes.

    Attributes:
        entropy: (n,), of the distribution that each token is drawn from, in bits: how open the
            next token was before it came.
        surprisal: (n,), of each token that came, in bits.
        attention: (n, n), what the token of a row pays to that of a column, the mean over all
            layers and heads.
        largest: (n, n), the same in the last layer, the maximum over its heads.
        states: what the reader needs to read parts again.
    """

    entropy: Floats
    surprisal: Floats
    attention: Floats32
    largest: Floats32
    states: Any


class Part(NamedTuple):
    """Tokens that are read again: ``length`` from ``first`` on, where the ``hidden`` tokens right
    before them cannot be attended to."""

    first: int
    length: int
    hidden: int


class Reader(Protocol):
    """A causal model that shows its probabilities and its attention."""

    @property
    def positions(self) -> int:
        """Tokens that it can read together, the start token included."""
        ...

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        """The ids of a text and the characters that each stands for."""
        ...

    def read(self, ids: Sequence[int]) -> Read: ...

    def again(self, ids: Sequence[int], read: Read, parts: Sequence[Part]) -> list[Floats]:
        """Of each part the surprisal of the tokens that follow its own, (length,) in bits."""
        ...

    def describe(self) -> dict[str, Any]: ...
