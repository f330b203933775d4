"""The taxonomy's questions are answered from its printed cells."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.grid.facts import read as read_facts
from chunkstudy.places import Places
from chunkstudy.published.compare import read_published
from chunkstudy.render.taxonomy_answers import answers
from chunkstudy.studies import results

ROOT = Places(Path(__file__).parents[1])
CELLS = read_published(ROOT)
TABLES = (
    "late_chunking_collections", "late_chunking_emma", "late_chunking_windows", "which_chunker",
    "late_chunking_nan_guard", "chunk_size_correlations", "late_chunking_company",
    "late_chunking_positions",
)  # fmt: skip


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    made = {
        name: pd.read_csv(ROOT.tables / f"{name}.csv", keep_default_na=False) for name in TABLES
    }
    return answers(CELLS, made).set_index("question")


def cell(table: str, encoder: str, chunker: str, collection: str) -> float:
    rows = CELLS[
        (CELLS["work"] == "taxonomy")
        & (CELLS["table"] == table)
        & CELLS["encoder"].str.contains(encoder)
        & (CELLS["chunker"] == chunker)
        & (CELLS["collection"] == collection)
    ]
    assert len(rows) == 1
    return float(rows["printed"].iloc[0])


def test_a_guided_method_that_beats_a_structure_based_one_is_named(found: pd.DataFrame) -> None:
    row = found.loc["Do structure-based methods win in corpora?"]
    lumber = cell("3", "v2-small", "lumberchunker", "average")
    assert lumber > cell("3", "v2-small", "fixed-256", "average")
    assert f"lumberchunker {lumber:.4f} over fixed-256" in row["figures"]
    assert row["answer"].endswith(f"{36 - str(row['figures']).count(' over ')} of 36 pairs.")


def test_cells_that_gain_within_a_document_are_the_printed_ones(found: pd.DataFrame) -> None:
    row = found.loc["Does it harm within a document, always?"]
    assert row["answer"].split(": ")[1].startswith("3 of 24")
    change = 100 * (
        cell("5", "e5-large", "semantic", "gutenqa") / cell("3", "e5-large", "semantic", "gutenqa")
        - 1
    )
    assert f"semantic {change:+.2f}%" in row["figures"]


def test_semantic_gains_where_no_document_is_empty(found: pd.DataFrame) -> None:
    row = found.loc["Is semantic's loss the method's?"]
    names = ("nfcorpus", "scifact", "arguana", "scidocs")
    mean = sum(cell("4", "nomic", "semantic", name) for name in names) / 4
    assert f"to {mean:+.2f}" in row["figures"]


def test_every_answer_has_a_sentence_and_every_part_is_asked(found: pd.DataFrame) -> None:
    assert set(found["part"]) == {"reproduction", "RQ1", "RQ2", "RQ3", "RQ4"}
    assert found["answer"].str.endswith(".").all()


def test_what_stands_alone_in_its_window_is_named_with_its_printed_change(
    found: pd.DataFrame,
) -> None:
    answer = found["answer"]["How much of it is contextualized at all?"]
    alone = results.read(ROOT, "packed-windows").set_index(["collection", "window", "chunker"])[
        "alone"
    ]["gutenqa-emma"][512]
    for slug, method in (("fixed-256", "fixed-256"), ("lumberchunker-released", "lumberchunker")):
        assert alone[slug] > 0.5
        printed = cell("4", "e5", method, "gutenqa")
        assert f"{100 * alone[slug]:.1f}% of {method} ({printed:+.2f}% printed)" in answer
    assert alone["sentence-5"] < 0.5 and "% of sentence-5" not in answer


def test_documents_that_fit_every_window_are_counted(found: pd.DataFrame) -> None:
    row = found.loc["Does the window explain E5's mixed results in corpora?"]
    facts = read_facts(ROOT, "nfcorpus_facts").iloc[0]
    fit = 100 * (1 - facts["longer than 510 tokens"] / facts["documents"])
    assert f"nfcorpus {fit:.1f}% fit" in row["figures"]
    methods = ("paragraph", "sentence-5", "fixed-256", "semantic", "lumberchunker", "proposition")
    lost = sum(
        cell("4", "e5", method, name) < 0
        for method in methods
        for name in ("scifact", "nfcorpus", "arguana")
    )
    assert f"loses in {lost} of 18 cells" in row["answer"]
