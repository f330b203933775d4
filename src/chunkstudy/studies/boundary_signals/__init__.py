"""Does a causal model's entropy, attention or loss of context tell where a topic ends, and does it
tell more than punctuation?

Source: Chroma's report, appendix "Further Algorithms", which answers no after looking at Llama 3 8B
on the wikitexts, without a number. Here SmolLM2-135M-Instruct reads texts whose sections, chapters,
turns and chats are known; every end of a sentence is a candidate.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.core.models import SMOLLM
from chunkstudy.pipeline.conditions import MINILM
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.studies.boundary_signals.areas import DISTANCE
from chunkstudy.studies.boundary_signals.reader import CausalReader
from chunkstudy.studies.boundary_signals.signals import PROFILE, measure
from chunkstudy.studies.boundary_signals.texts import SENTENCE, Text, every

SIDE = 2
"""Sentences on either side whose embeddings are compared, as semantic chunkers do."""
DECIMALS = 4


@experiment("boundary-signals", collections=("builtin", "chroma", "gutenqa-emma"))
def tables(context: Context, _: tuple[str, ...] = ()) -> dict[str, pd.DataFrame]:
    """``places``: a row per candidate, with what begins there and every signal; ``profile``: mean
    entropy by token around the ends of sentences inside paragraphs."""
    texts = every(context.collection)
    reader = CausalReader(SMOLLM)
    context.note(reader.describe())
    places = pd.concat([measure(reader, text) for text in texts], ignore_index=True)
    store = context.store(MINILM)
    places[DISTANCE] = np.concatenate([distances(store, text) for text in texts])
    return {
        "places": places.drop(columns=["end", *PROFILE]).round(DECIMALS),
        "profile": profile(places),
    }


def distances(store: VectorStore, text: Text) -> np.ndarray:
    """One minus the cosine similarity of the two sentences before each candidate, one where the
    text begins, and the two after, (candidates,)."""
    number = text.places["number"].tolist()
    before = [" ".join(text.sentences[max(0, n - SIDE) : n]) for n in number]
    after = [" ".join(text.sentences[n : n + SIDE]) for n in number]
    distinct = list(dict.fromkeys(before + after))
    vectors = store.encode(distinct, "document", f"{text.name}, sentences").astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    of = pd.DataFrame(vectors, index=distinct)
    similarity: np.ndarray = np.einsum("ij,ij->i", of.loc[before], of.loc[after])
    return 1 - similarity


def profile(places: pd.DataFrame) -> pd.DataFrame:
    """Mean entropy of each token around the end of a sentence, within paragraphs, a row per text
    and offset; ``0`` is the first token of the next sentence."""
    known = places[places["begins"] == SENTENCE][["text", *PROFILE]].dropna()
    tokens = known.melt("text", var_name="offset", value_name="entropy")
    by_token = tokens.groupby(["text", "offset"], sort=False)["entropy"]
    table = by_token.agg(places="size", entropy="mean", error="sem").reset_index()
    order = pd.Categorical(table["text"], known["text"].unique())
    return table.assign(text=order).sort_values(["text", "offset"]).astype({"text": str})
