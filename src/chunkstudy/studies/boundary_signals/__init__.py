"""Does a causal model's entropy, attention or loss of context tell where a topic ends, and does it
tell more than punctuation?

Source: Chroma's report, appendix "Further Algorithms", which answers no after looking at Llama 3 8B
on the wikitexts, without a number. Here SmolLM2-135M-Instruct reads texts whose sections, chapters,
turns and chats are known; every end of a sentence is a candidate.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.chunkers.signals import CONTEXT, PROFILE, READ, SIGNALS, SIZE, Memory, measure
from chunkstudy.llm.causal_models import MODELS, SMOLLM, described
from chunkstudy.llm.reading import CausalReader, Reader
from chunkstudy.runs import chunking
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.boundary_signals import texts
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


COLLECTIONS = ("builtin", "chroma", "gutenqa-emma")
DISTANCE = "distance"
DECIMALS = 4


def tables(context: Context, _: tuple[str, ...] = ()) -> dict[str, pd.DataFrame]:
    """``places``: a row per candidate and form, with what begins there and every signal;
    ``profile``: mean entropy by token around the ends of sentences inside paragraphs; ``cut``: the
    signals of one text read in other passes."""
    every = texts.every(context.collection)
    reader = CausalReader(SMOLLM)
    memory = chunking.memory(SMOLLM, context.places.vectors)
    found = read(reader, every, memory)
    anew = cut_anew(reader, every, memory)
    pooling = "none: probabilities and attention"
    context.note(described(MODELS[SMOLLM], SIZE, pooling, "one pass at a time"))
    store = context.store(MINILM)
    apart = pd.concat(
        [
            one.places[["text", "number"]].assign(**{DISTANCE: distances(store, one)})
            for one in every
        ]
    )
    found = found.merge(apart, on=["text", "number"], how="left")
    alone = found[found["form"] == ALONE]
    return {
        "places": found.drop(columns=list(PROFILE)).round(DECIMALS),
        "profile": profile(found),
        "cut": anew.merge(
            alone[["text", "number", *SIGNALS]], on=["text", "number"], suffixes=(" anew", "")
        ).round(DECIMALS),
    }


def profile(found: pd.DataFrame) -> pd.DataFrame:
    """Mean entropy of each token around the end of a sentence, within paragraphs of texts alone, a
    row per text and offset; ``0`` is the first token of the next sentence."""
    inner = found[(found["form"] == ALONE) & (found["begins"] == texts.SENTENCE)]
    known = inner[["text", *PROFILE]].dropna()
    return pd.DataFrame(
        {
            "text": text,
            "offset": int(str(name).rpartition(" ")[2]),
            "places": len(values),
            "entropy": values.mean(),
            "error": values.sem(),
        }
        for text, of in known.groupby("text", sort=False)
        for name, values in of[list(PROFILE)].items()
    )
