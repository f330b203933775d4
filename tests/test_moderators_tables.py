"""What moderates the gain: known effects are found, noise is not, and nothing knows its future."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.collections import covid_qa
from chunkstudy.encoders.contextualized import Frame, most_context
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.grids import OWN, PRE, WINDOWS
from chunkstudy.runs.library import Library
from chunkstudy.runs.names import parse_encoder
from chunkstudy.studies.moderators.regression import ALL, effects, predictions
from chunkstudy.studies.moderators.rows import (
    AMID,
    DEEPER,
    LONG_DOCUMENT,
    MODERATORS,
    NEAR,
    NOWHERE,
    OUTSIDE,
    SPLIT,
    TRUNCATED,
    rows,
)
from chunkstudy.studies.moderators.texts import DIGITS, TOKENS
from tests.made_library import made_library

PAPERS, ASKED = 40, 15
CHUNKERS = ("paragraph", "fixed-64", "sentence-5")
MODEL = parse_encoder(MINILM).model
WITHIN = covid_qa.WITHIN
EFFECT = 0.2
"""Of the gain, per share of words that stand in neighbouring chunks only."""
QUERIES = [f"q{i}" for i in range(PAPERS * ASKED)]


def study(seed: int = 0) -> dict[str, pd.DataFrame]:
    """Moderators drawn at random."""
    drawn = np.random.default_rng(seed)
    lengths = drawn.integers(300, 4000, PAPERS)
    paper = np.repeat(np.arange(PAPERS), ASKED)
    size = len(QUERIES)
    words = drawn.integers(4, 9, size)
    nowhere = drawn.binomial(1, 0.3, size)
    places = drawn.random(size)
    answers = pd.DataFrame(
        {
            "collection": WITHIN, "query_id": QUERIES,
            "document": [f"paper-{i}" for i in paper], "place": places, "words": words,
            "nowhere": nowhere, TOKENS + MODEL: (places * lengths[paper]).astype(int),
        }
    )  # fmt: skip
    documents = pd.DataFrame(
        {"collection": WITHIN, "document": [f"paper-{i}" for i in range(PAPERS)],
         TOKENS + MODEL: lengths}
    )  # fmt: skip
    chunkings = pd.DataFrame(
        {"chunking": range(len(CHUNKERS)), "collection": WITHIN, "chunker": CHUNKERS,
         "chunks": [one.ljust(64, "0")[:DIGITS] for one in CHUNKERS], "in no chunk": 0}
    )  # fmt: skip
    held = []
    for number in range(len(CHUNKERS)):
        inside = drawn.binomial(words - nowhere, 0.5)
        held.append(
            pd.DataFrame(
                {
                    "chunking": number, "query_id": QUERIES,
                    "boundary": drawn.integers(0, 300, size), "cut": drawn.integers(0, 2, size),
                    "inside": inside, "neighbours": drawn.binomial(words - nowhere - inside, 0.5),
                    TOKENS + MODEL: drawn.integers(20, 800, size),
                }
            )
        )  # fmt: skip
    return {
        "models": pd.DataFrame({"model": [MODEL], "prefix": [0]}), "documents": documents,
        "answers": answers, "chunkings": chunkings, "chunks": pd.concat(held, ignore_index=True),
    }  # fmt: skip


def library(measured: dict[str, pd.DataFrame], effect: float, seed: int = 1) -> Library:
    """Plain scores of noise; late ones that gain by the share of words next door, and by what all
    questions of a paper share."""
    drawn = np.random.default_rng(seed)
    asked = measured["answers"].set_index("query_id")
    of_paper = pd.Series(drawn.normal(0, 0.05, PAPERS).repeat(ASKED), QUERIES)
    found = {}
    for number, chunker in enumerate(CHUNKERS):
        held = measured["chunks"]
        near = held[held["chunking"] == number].set_index("query_id")["neighbours"] / asked["words"]
        for window, encoder in WINDOWS.items():
            plain = pd.Series(0.5 + 0.1 * drawn.standard_normal(len(QUERIES)), QUERIES)
            noise = 0.1 * drawn.standard_normal(len(QUERIES))
            late = plain + effect * near.loc[QUERIES] + of_paper + noise
            for ordering, values in ((PRE, plain), (f"contextualized-{window}", late)):
                condition = Condition(WITHIN, chunker, encoder, ordering, OWN)
                found[condition] = pd.DataFrame({"DCG@10": values})
    return made_library(found)


def test_a_known_effect_is_found_at_every_window_and_those_that_are_none_are_not_shown() -> None:
    measured = study()
    found = rows(library(measured, EFFECT), measured)
    table = pd.concat(effects(found[found["window"] == one]) for one in WINDOWS)
    assert len(table) == 3 * (len(MODERATORS) - 1) and set(table["collection"]) == {ALL}
    near = table["moderator"] == NEAR
    assert (table.loc[near, "shown"] == HIGHER).all()
    assert not table.loc[~near, "shown"].isin([HIGHER, LOWER]).any()
    assert set(table["documents"]) == {PAPERS} and set(table["family_size"]) == {
        len(MODERATORS) - 1
    }


def test_the_gain_is_predicted_where_there_is_an_effect_and_not_from_noise() -> None:
    measured = study()
    known = predictions(rows(library(measured, 2 * EFFECT), measured))
    noise = predictions(rows(library(measured, 0.0), measured))
    assert (known["shown"] == "better").all() and (known["r2 low"] > 0).all()
    assert (known["change of error high"] < 0).all()
    assert (noise["shown"] != "better").all() and (noise["r2"] < 0.005).all()


def test_moderators_are_what_the_layout_says_and_shares_of_words_add_up_to_one() -> None:
    measured = study()
    found = rows(library(measured, EFFECT), measured)
    asked = measured["answers"].set_index("query_id")
    lengths = measured["documents"].set_index("document")[TOKENS + MODEL]
    held = measured["chunks"].merge(measured["chunkings"], on="chunking")
    held = held.set_index(["chunker", "query_id"])
    for row in found.sample(60, random_state=0).to_dict("records"):
        question, own = asked.loc[row["query_id"]], held.loc[(row["chunker"], row["query_id"])]
        length, token = lengths[row["document"]], question[TOKENS + MODEL]
        layout = most_context(range(length), Frame(row["window"], (-1, -1)), row["window"] // 4)
        read = [
            (ids.index(token), len(ids))
            for ids, (a, b) in zip(layout.windows, layout.kept, strict=True)
            if token in ids[a:b]
        ]
        assert [row[DEEPER], row[AMID]] == [
            read[0][0],
            min(read[0][0] - 1, read[0][1] - 2 - read[0][0]),
        ]
        assert own["inside"] / question["words"] + row[OUTSIDE] + row[NOWHERE] == pytest.approx(1)
        assert 0 <= row[NEAR] <= row[OUTSIDE] and row[NOWHERE] >= 0
        assert row[SPLIT] == own["cut"]
        assert row[TRUNCATED] == (own[TOKENS + MODEL] > row["window"] - 2)
        assert row[LONG_DOCUMENT] == pytest.approx(np.log2(length / (row["window"] - 2)))
