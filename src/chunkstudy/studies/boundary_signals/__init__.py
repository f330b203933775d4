"""Does a causal model's entropy, attention or loss of context tell where a topic ends, and does it
tell more than punctuation?

Source: Chroma's report, appendix "Further Algorithms", which answers no after looking at Llama 3 8B
on the wikitexts, without a number. Here SmolLM2-135M-Instruct reads texts whose sections, chapters,
turns and chats are known; every end of a sentence is a candidate.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.chunkers.signals import PROFILE, SIGNALS, SIZE
from chunkstudy.llm.causal_models import MODELS, SMOLLM, described
from chunkstudy.llm.reading import CausalReader
from chunkstudy.runs import by_signals
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.boundary_signals import reading, texts
from chunkstudy.studies.boundary_signals.texts import ALONE

COLLECTIONS = ("builtin", "chroma", "gutenqa-emma")
DISTANCE = "distance"
DECIMALS = 4


def tables(context: Context, _: tuple[str, ...] = ()) -> dict[str, pd.DataFrame]:
    """``places``: a row per candidate and form, with what begins there and every signal;
    ``profile``: mean entropy by token around the ends of sentences inside paragraphs; ``cut``: the
    signals of one text read in other passes."""
    every = texts.every(context.collection)
    reader = CausalReader(SMOLLM)
    memory = by_signals.memory(SMOLLM, context.places.vectors)
    found = reading.read(reader, every, memory)
    anew = reading.cut_anew(reader, every, memory)
    pooling = "none: probabilities and attention"
    context.note(described(MODELS[SMOLLM], SIZE, pooling, "one pass at a time"))
    store = context.store(MINILM)
    apart = pd.concat(
        [
            one.places[["text", "number"]].assign(**{DISTANCE: reading.distances(store, one)})
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
    rows = []
    for text, of in inner.groupby("text", sort=False):
        known = of[list(PROFILE)].dropna()
        for name, values in known.items():
            offset = int(str(name).rpartition(" ")[2])
            rows.append(
                {
                    "text": text,
                    "offset": offset,
                    "places": len(values),
                    "entropy": values.mean(),
                    "error": values.sem(),
                }
            )
    return pd.DataFrame(rows)
