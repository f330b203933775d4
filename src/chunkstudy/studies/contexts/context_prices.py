"""What would it cost to have a language model write a context for every chunk?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers import expected_requests, written_contexts
from chunkstudy.llm.prices import PRICES
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.study_runs import Context

NAME = "context-prices"
COLLECTIONS = ("builtin", "chroma", "covid-qa")
CHUNKER = "sentence-5"
MODELS = ("gpt-4o-mini", "gpt-4o")


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``requests``: tokens in and out and dollars, a row per collection and model; the whole
    document is read again with each of its chunks, none of it from a cache."""
    rows = []
    for name in collections:
        condition = Condition(name, CHUNKER, NONE, NONE, CORRECTED.name)
        shown = written_contexts.with_chunks(
            context.collection(name).documents, context.chunks(condition)
        )
        takes = expected_requests.of_contexts(f"openai/{MODELS[0]}", shown)
        for model in MODELS:
            price = PRICES[model]
            rows.append(
                {
                    "collection": name,
                    "chunker": CHUNKER,
                    "model": f"openai/{model}",
                    "requests": takes.requests,
                    "tokens in": takes.input_tokens,
                    "tokens out": takes.output_tokens,
                    "dollars": price.dollars(takes.input_tokens, takes.output_tokens),
                    "prices of": price.date,
                }
            )
    return {"requests": pd.DataFrame(rows)}
