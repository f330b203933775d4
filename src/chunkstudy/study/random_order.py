"""The DCG@10 of a random order of a chunker's chunks, as the experiment ``random-order`` stores it.

Tables that compare chunkers of different sizes by DCG show it beside every score.
"""

from __future__ import annotations

from dataclasses import dataclass

from chunkstudy.base.places import Places
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import NONE, parse_chunker

EXPERIMENT = "random-order"
COLUMN = "random order"
"""The column of tables that hold it, a fraction."""


@dataclass(frozen=True)
class RandomOrder:
    """Scores by collection, protocol, chunker and the encoder that places boundaries."""

    scores: dict[tuple[str, str, str, str], float]

    @classmethod
    def load(cls, places: Places) -> RandomOrder:
        """Load what is stored; nothing if the experiment was not run."""
        stored = study_results.read(places, EXPERIMENT, "random_order")
        keys = ["collection", "protocol", "chunker", "encoder"]
        return cls(dict(stored.set_index(keys)["DCG@10"]) if len(stored) else {})

    def score(self, collection: str, protocol: str, chunker: str, encoder: str) -> float:
        """Return the score as a fraction; NaN if it is not stored.

        Args:
            encoder: slug of the model that reads the chunks; it counts only if it places the
                boundaries.
        """
        drawn_by = encoder if parse_chunker(chunker).needs_encoder else NONE
        return self.scores.get((collection, protocol, chunker, drawn_by), float("nan"))
