"""COVID-QA as tables: gains by window, chunkers against paragraphs, intervals over papers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis.paired import HIGHER, NOT_SHOWN, OVER_DOCUMENTS, SIGNIFICANT
from chunkstudy.analysis.papers import against_paragraphs, gains
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import Condition
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


def test_the_chunkers_of_one_window_are_a_family() -> None:
    table = gains(made(), PARTS)
    assert len(table) == 2 * 3 * 2
    assert set(table["ordering"]) == {"contextualized-128", "contextualized-256", LATE}
    assert set(table["family_size"]) == {2}
    gained = table.groupby("window")["difference"].mean()
    assert gained.to_dict() == pytest.approx(GAIN, abs=0.15)


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
