"""Layouts of windows side by side: a choice no question can make alone, and the registered one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.studies.layouts import registered, window_holds
from chunkstudy.studies.layouts.gains import choice, over_plain
from chunkstudy.studies.layouts.reading import AVERAGED, TODAY, Arms

QUESTIONS = [f"q{i:02}" for i in range(80)]
DOCUMENTS = pd.Series([f"d{i // 2}" for i in range(80)], QUESTIONS)


def arms(late: float, noise: float = 0.0, seed: int = 0) -> Arms:
    """Plain chunks at 0.5, late chunking in both layouts at ``late``, the averaged one above."""
    draw = np.random.default_rng(seed)

    def scores(mean: float) -> pd.DataFrame:
        values = mean + noise * draw.standard_normal((80, 2))
        return pd.DataFrame(values, QUESTIONS, ["fixed-64", "sentence-5"])

    read = {(TODAY, 128): scores(late), (AVERAGED, 128): scores(late + 0.1)}
    plain = {128: scores(0.3), 512: scores(0.5)}
    return Arms("covid-qa-within", "model", "DCG@10", read, plain, DOCUMENTS)


def test_where_late_leads_by_far_every_half_chooses_it_and_is_right() -> None:
    found = choice(arms(0.6, noise=0.02), splits=50)
    assert found["late chosen"] == found["right"] == 1
    assert float(found["low"]) > 0.15 and str(found["late arm"]).startswith(AVERAGED)


def test_arms_that_only_noise_tells_apart_gain_nothing_on_the_other_half() -> None:
    gains = [float(choice(arms(0.4, 0.2, seed), splits=40)["gain"]) for seed in range(30)]
    assert abs(np.mean(gains)) < 3 * np.std(gains) / np.sqrt(len(gains)) + 0.005


def test_halves_are_of_whole_documents() -> None:
    """A score that is the document's alone is never told from one half to the other."""
    one = arms(0.4)
    own = pd.Series(np.random.default_rng(1).standard_normal(40), [f"d{i}" for i in range(40)])
    by_document = DOCUMENTS.map(own).to_numpy()
    late = {cell: frame.add(by_document, axis=0) for cell, frame in one.late.items()}
    plain = {window: frame.add(by_document, axis=0) for window, frame in one.plain.items()}
    found = choice(Arms(one.collection, one.model, one.measure, late, plain, DOCUMENTS), splits=20)
    assert found["gain"] == pytest.approx(0.0) and found["low"] == pytest.approx(found["high"])


def many(means: dict[str, float], noise: float = 0.0) -> Arms:
    """Every competing layout at its mean, in two windows, the same noise for all."""
    draw = np.random.default_rng(0)
    shared = draw.standard_normal((80, 3))

    def scores(mean: float) -> pd.DataFrame:
        values = mean + 0.1 * shared + noise * draw.standard_normal((80, 3))
        return pd.DataFrame(values, QUESTIONS, list(registered.CHUNKERS))

    late = {(name, w): scores(mean) for w in (128, 512) for name, mean in means.items()}
    plain = {w: scores(0.3) for w in (128, 512)}
    return Arms("covid-qa-within", "model", "DCG@10", late, plain, DOCUMENTS)


MEANS = dict(zip(registered.COMPETE, (0.40, 0.45, 0.50, 0.55), strict=True))
TOKENS = dict(zip(registered.COMPETE, (3, 1, 4, 2), strict=True))


def test_the_registered_choice_is_the_highest_layout_where_it_is_sure() -> None:
    assert registered.chosen(many(MEANS), TOKENS) == "packed"


def test_of_tied_layouts_the_one_that_reads_least_is_chosen() -> None:
    level = many(dict.fromkeys(registered.COMPETE, 0.5), noise=0.05)
    assert registered.chosen(level, TOKENS) == "no overlap"
    behind = many(dict.fromkeys(registered.COMPETE, 0.5) | {"no overlap": 0.2}, noise=0.05)
    assert registered.chosen(behind, TOKENS) == "packed"


def test_chunkers_are_compared_by_what_the_window_holds_and_every_model_has() -> None:
    """One that is cut in one collection or has few chunks in one is left out of both."""
    rows = [
        ("here", "fixed-64", 90, 0.0),
        ("here", "paragraph", 90, 0.01),
        ("there", "fixed-64", 90, 0.0),
        ("there", "paragraph", 90, 0.04),
        ("there", "semantic", 10, np.nan),
        ("there", "cluster-200", 30, 0.0),
    ]
    columns = ["collection", "chunker", "chunks a document", "unread"]
    read = {(AVERAGED, 512): pd.DataFrame(columns=["fixed-64", "paragraph", "semantic"])}
    some = Arms("here", "model", "DCG@10", read, {512: pd.DataFrame()}, None)
    found = window_holds.judged(pd.DataFrame(rows, columns=columns), [some])
    assert window_holds.held(found) == ["fixed-64"]
    assert window_holds.held(found, (window_holds.CUT,)) == ["paragraph"]
    assert window_holds.held(found, (window_holds.FEW,)) == ["semantic"]
    assert window_holds.held(found, (window_holds.SOME,)) == ["cluster-200"]


def test_the_mean_is_over_the_chunkers_named_and_of_layouts_that_have_them_all() -> None:
    one = arms(0.6)
    fewer = {**one.late, ("packed", 128): one.late[TODAY, 128][["fixed-64"]]}
    some = Arms(one.collection, one.model, one.measure, fewer, one.plain, one.documents)
    both = over_plain([some], ["fixed-64", "sentence-5", "not here"])
    assert set(both["layout"]) == {TODAY, AVERAGED} and set(both["chunkers"]) == {2}
    assert "packed" in set(over_plain([some], ["fixed-64"])["layout"])
    assert over_plain([some], ["not here"]).empty
