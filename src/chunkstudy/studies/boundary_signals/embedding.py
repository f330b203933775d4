"""What an encoder sees at the same places, to compare the signals with: the distance between the
sentences before and after, which the semantic chunkers cut by."""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.runs.store import VectorStore
from chunkstudy.studies.boundary_signals.texts import Text

SIDE = 2
"""Sentences on either side."""


def distances(store: VectorStore, text: Text) -> pd.Series:
    """One minus the cosine similarity of the two sentences before each candidate, one where the
    text begins, and the two after."""
    number = text.places["number"].tolist()
    before = [" ".join(text.sentences[max(0, n - SIDE) : n]) for n in number]
    after = [" ".join(text.sentences[n : n + SIDE]) for n in number]
    distinct = list(dict.fromkeys(before + after))
    vectors = store.encode(distinct, "document", f"{text.name}, sentences").astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    places = {one: i for i, one in enumerate(distinct)}
    first, second = ([places[one] for one in side] for side in (before, after))
    return pd.Series(1 - np.einsum("ij,ij->i", vectors[first], vectors[second]))
