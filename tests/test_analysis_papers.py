"""COVID-QA as tables: gains by window, chunkers against paragraphs, intervals over papers."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis.paired import HIGHER, NOT_SHOWN, OVER_DOCUMENTS, SIGNIFICANT
from chunkstudy.analysis.papers import MEAN, against_paragraphs, gains
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import MPNET, Condition
from chunkstudy.grid.grids import LATE, OWN, PRE, WIDE, WINDOWS
from chunkstudy.grid.library import Library
from chunkstudy.render import table_notes, tables
from tests.made_library import made_library

QUERIES = [f"q{i}" for i in range(120)]
PAPERS = [f"paper-{i // 5}" for i in range(115)] + [covid_qa.LINES_OF_PRINT[0]] * 5
PARTS = pd.DataFrame({"query_id": QUERIES, "part": PAPERS})
NO_PARTS = pd.DataFrame()
GAIN = {128: 0.3, 256: 0.0, 512: -0.3}
RANDOM = np.random.default_rng(2)
OF_PAPER = pd.Series(RANDOM.normal(0, 0.2, 24).repeat(5), QUERIES)
"""What all questions of a paper gain or lose together."""


def made(chunkers: tuple[str, ...] = ("paragraph", "fixed-64")) -> Library:
    found = {}
    for chunker, (window, encoder) in product(chunkers, WINDOWS.items()):
        for ordering in (PRE, f"contextualized-{window}"):
            values = pd.Series(0.5 + 0.02 * RANDOM.standard_normal(len(QUERIES)), QUERIES)
            if ordering != PRE:
                values += GAIN[window] + OF_PAPER
            if chunker != "paragraph":
                values.iloc[-5:] += 1
            one = Condition(covid_qa.WITHIN, chunker, encoder, ordering, OWN)
            found[one] = pd.DataFrame({"DCG@10": values, "SpanRecall@5": values})
    moved = Condition(covid_qa.WITHIN, "paragraph", WIDE, f"{LATE}-at-halved", OWN)
    other = Condition("chroma-within", "paragraph", WIDE, LATE, OWN)
    left_out = next(iter(found.values()))
    return made_library(found | {moved: left_out, other: left_out})


def test_each_window_has_its_chunkers_and_their_mean_in_families_of_their_own() -> None:
    table = gains(made(), PARTS)
    assert len(table) == 2 * 3 * 3
    assert set(table["ordering"]) == {"contextualized-128", "contextualized-256", LATE}
    mean = table["chunker"] == MEAN
    assert set(table[mean]["family_size"]) == {len(GAIN)}
    assert set(table[~mean]["family_size"]) == {2}
    gained = table[mean].groupby("window")["difference"].mean()
    assert gained.to_dict() == pytest.approx(GAIN, abs=0.15)


def test_the_mean_is_over_the_chunkers_that_every_model_has() -> None:
    few = ("paragraph", "fixed-64", "fixed-256")
    library = made((*few, "sentence-5"))
    every = {one: found.wide for one in library if (found := library.get(one)) is not None}
    second = {
        replace(one, encoder=f"{MPNET}-w512"): scores
        for one, scores in every.items()
        if one.encoder == WIDE and one.chunker in few
    }
    table = gains(made_library(every | second), PARTS)
    mean = table["chunker"] == MEAN
    assert set(table[mean]["chunkers"]) == {3} and set(table[~mean]["chunkers"]) == {1}
    assert len(table[mean]) == 2 * 4
    assert "sentence-5" in set(table["chunker"])


def test_the_mean_over_chunkers_counts_a_question_once() -> None:
    table = gains(made(), PARTS).set_index(["measure", "window", "chunker"])["difference"]
    for measure, window in product(("DCG@10", "SpanRecall@5"), GAIN):
        both = table[measure, window, "paragraph"] + table[measure, window, "fixed-64"]
        assert table[measure, window, MEAN] == pytest.approx(both / 2)


def test_questions_of_one_paper_that_agree_widen_the_interval_over_papers() -> None:
    library = made()
    over_papers, over_questions = gains(library, PARTS), gains(library, NO_PARTS)
    widths = [one["high"] - one["low"] for one in (over_papers, over_questions)]
    assert (widths[0] > 1.3 * widths[1]).all()
    assert set(over_papers["documents"]) == {24} and "documents" not in over_questions
    assert set(over_papers["interval"]) == {OVER_DOCUMENTS}
    assert (over_papers["p_holm"] >= over_papers["p"]).all()


def test_papers_of_lines_of_print_can_be_left_out_against_paragraphs() -> None:
    table = against_paragraphs(made(), PARTS).set_index(["papers", "ordering", "measure", "window"])
    assert len(table) == 2 * 4 * 3 and set(table["chunker"]) == {"fixed-64"}
    every, real = (table.xs(papers) for papers in ("all", "with paragraphs"))
    assert set(every["n"]) == {120} and set(real["n"]) == {115}
    assert set(every["documents"]) == {24} and set(real["documents"]) == {23}
    assert (every["difference"] > 0.02).all()
    assert (real["difference"].abs() < 0.01).all()


def test_without_records_of_papers_the_tables_are_empty() -> None:
    nothing = made_library({})
    assert gains(nothing, pd.DataFrame()).empty
    assert against_paragraphs(nothing, pd.DataFrame()).empty


def test_papers_are_counted_beside_questions_and_the_note_says_what_was_drawn() -> None:
    table = gains(made(), PARTS)
    shown = tables.present(table)
    assert set(shown["queries"]) == {"120"} and set(shown["documents"]) == {"24"}
    assert "over documents" in table_notes.note(table)


def test_what_questions_show_and_papers_do_not_is_not_shown() -> None:
    plain = pd.Series(0.5, QUERIES)
    late = plain + 0.06 + OF_PAPER - OF_PAPER.mean()
    found = {
        Condition(covid_qa.WITHIN, "paragraph", WIDE, ordering, OWN): pd.DataFrame(
            {"DCG@10": scores, "SpanRecall@5": scores}
        )
        for ordering, scores in ((PRE, plain), (LATE, late))
    }
    library = made_library(found)
    by_questions, by_papers = (gains(library, parts).iloc[0] for parts in (NO_PARTS, PARTS))
    assert by_questions["p_holm"] < SIGNIFICANT < by_papers["p_holm"]
    assert (by_questions["shown"], by_papers["shown"]) == (HIGHER, NOT_SHOWN)
