"""Which texts are read in which form, and what is measured there."""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.base.reading import Reader
from chunkstudy.chunkers.signals import CONTEXT, PROFILE, READ, SIGNALS, Memory, measure
from chunkstudy.runs.store import VectorStore
from chunkstudy.studies.boundary_signals.texts import ALONE, STANDS, Text

AS_IT_STANDS = ("built-in articles",)
"""Read with its headings too, by all signals but influence, the dearest."""
CUT_ANEW, FIRST = "built-in articles", 60
"""So many of its candidates are read once more, in other passes, to see what the cut does."""
OTHER_CONTEXT = CONTEXT + 96
SIDE = 2
"""Sentences on either side whose embeddings are compared, as semantic chunkers do."""


def read(reader: Reader, texts: list[Text], memory: Memory) -> pd.DataFrame:
    """A row per candidate and form, a column per signal and per token around it."""
    found = []
    for form in (ALONE, STANDS):
        names = (*SIGNALS, *PROFILE) if form == ALONE else (*READ, *PROFILE)
        for one in texts:
            if form == ALONE or one.name in AS_IT_STANDS:
                label = f"{one.name}, {form}"
                values = measure(
                    reader, one.forms[form], one.ends[form], names, memory, label=label
                )
                found.append(one.places.assign(form=form).join(values))
    return pd.concat(found, ignore_index=True)


def cut_anew(reader: Reader, texts: list[Text], memory: Memory) -> pd.DataFrame:
    """Of one text a row per candidate with its signals, read in other passes than before."""
    (one,) = (text for text in texts if text.name == CUT_ANEW)
    values = measure(
        reader,
        one.forms[ALONE],
        one.ends[ALONE][:FIRST],
        SIGNALS,
        memory,
        label=f"{one.name}, cut anew",
        context=OTHER_CONTEXT,
    )
    return one.places[["text", "number"]].head(FIRST).join(values)


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
