"""The DCG@10 of a random order of a chunker's chunks, as the experiment ``random-order`` stores it.

Tables that compare chunkers of different sizes by DCG show it beside every score.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from chunkstudy.core.project import Project
from chunkstudy.notebook.scores import Scores
from chunkstudy.pipeline import experiment_tables
from chunkstudy.pipeline.conditions import NONE

EXPERIMENT = "random-order"
MEASURE = "DCG@10"
COLUMN = "random order"
"""The column of tables that hold it, a fraction."""


@dataclass(frozen=True)
class RandomOrder:
    """Scores by collection, protocol, chunker and the encoder that places boundaries."""

    scores: dict[tuple[str, str, str, str], float]

    @classmethod
    def load(cls, places: Project) -> RandomOrder:
        """Load what is stored; nothing if the experiment was not run."""
        stored = experiment_tables.read(places, EXPERIMENT, "random_order")
        keys = ["collection", "protocol", "chunker", "encoder"]
        return cls(dict(stored.set_index(keys)[MEASURE]) if len(stored) else {})

    def score(self, collection: str, protocol: str, chunker: str, encoder: str) -> float:
        """Return the score as a fraction; NaN if it is not stored.

        Args:
            encoder: slug of the model that reads the chunks; it counts only if it places the
                boundaries.
        """
        places = (collection, protocol, chunker)
        without_model = self.scores.get((*places, NONE), float("nan"))
        return self.scores.get((*places, encoder), without_model)

    def beside(self, scores: Scores) -> pd.DataFrame:
        """Return each chunker's mean DCG@10 with that of a random order of the same chunks.

        Args:
            scores: of one collection, by DCG@10; with another cutoff nothing is known.

        Returns:
            A row per chunker: ``chunker``, ``DCG@10`` and ``random order``, fractions.
        """
        rows = []
        for chunker, path in scores.runs.items():
            collection, _, encoder, _, protocol = path.split("/")
            known = MEASURE in scores.measures
            chance = self.score(collection, protocol, chunker, encoder) if known else float("nan")
            mean = scores.of(chunker, MEASURE).mean() if known else float("nan")
            rows.append({"chunker": chunker, MEASURE: mean, COLUMN: chance})
        return pd.DataFrame(rows)
