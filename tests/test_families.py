"""Every test of a difference stands in one family, and a family is one question."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from chunkstudy import statistics
from chunkstudy.analysis import (
    chroma,
    equal_budget,
    jina,
    labels,
    labels_power,
    late_chunking,
    late_chunking_cut,
    late_chunking_excerpts,
    models,
    papers,
    positions,
    random_boundaries,
    taxonomy,
    trained_late_chunking,
    which_chunker,
)
from chunkstudy.analysis.paired import EQUIVALENT, HIGHER, LOWER, NOT_SHOWN, SIGNIFICANT
from chunkstudy.analysis.windows import model
from chunkstudy.collections import covid_qa
from chunkstudy.grid import facts
from chunkstudy.grid.conditions import NONE
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published.cells import frame, read
from chunkstudy.render import table_notes, tables
from chunkstudy.statistics import paired
from chunkstudy.statistics.intervals import NO_INTERVAL
from chunkstudy.studies import results

PLACES = Places(Path(__file__).parents[1])


@pytest.fixture(scope="module")
def compared() -> dict[str, pd.DataFrame]:
    """Every table of differences, from the records; intervals take no part in what is asked here,
    and most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paired, "bootstrap_interval", lambda *_: NO_INTERVAL)
        return _tables()


def _tables() -> dict[str, pd.DataFrame]:
    library, published = Library(PLACES), frame(read(PLACES))
    cut = {name: results.read(PLACES, "cut-chunks", name) for name in ("chunkers", "questions")}
    of_papers = facts.read(PLACES, covid_qa.WITHIN)
    by_model = models.every(library, of_papers)
    drawn, tokens = (results.tables(PLACES, one) for one in ("random-boundaries", "equal-budget"))
    trained = trained_late_chunking.tables(results.tables(PLACES, "trained-late-chunking"))
    return {
        "chroma_protocols": chroma.protocols(library),
        "chroma_token_unit": chroma.token_unit(library),
        "late_chunking_gains": late_chunking.gains(library),
        "late_chunking_windows": late_chunking.windows(library),
        "late_chunking_tails": late_chunking.tails(library),
        "late_chunking_tail_gains": late_chunking.tail_gains(library),
        "late_chunking_protocols": late_chunking.protocols(library),
        "late_chunking_propositions": late_chunking.propositions(library),
        "late_chunking_excerpts": late_chunking_excerpts.excerpts(library, cut["chunkers"]),
        "late_chunking_positions": positions.within_corpora(library),
        "papers_positions": positions.within_papers(library, of_papers),
        "late_chunking_cut": late_chunking_cut.by_window(
            library, cut["questions"], cut["chunkers"]
        ),
        "jina_datasets": jina.datasets(published, library).dropna(subset="family"),
        "labels_power": labels_power.queries_needed(labels.LabelRecords.read(PLACES)),
        "papers_gains": papers.gains(library, of_papers),
        **{name: by_model[f"late_chunking_{name}"] for name in ("by_model", "models", "changes")},
        "random_boundaries": random_boundaries.table(drawn["questions"], drawn["draws"]),
        "equal_budget_overlap": equal_budget.overlaps(tokens["questions"]),
        "equal_budget_sizes": equal_budget.sizes(tokens["questions"], tokens["chunkers"]).dropna(
            subset="family"
        ),
        **{name: trained[f"trained_{name}"] for name in ("costs", "arms")},
        "taxonomy_tests": taxonomy.tables(library, published)["taxonomy_tests"],
        "which_chunker": which_chunker.which_chunker(
            library, published, chroma.cost(library)
        ).query("family != ''"),
    }


def test_every_test_is_corrected_within_its_family_and_no_other(
    compared: dict[str, pd.DataFrame],
) -> None:
    for name, table in compared.items():
        assert len(table) and table["family"].notna().all(), name
        for family, group in table.groupby("family"):
            assert set(group["family_size"]) == {len(group)}, (name, family)
            if "p" in group:
                holm = statistics.holm(group["p"])
                assert group["p_holm"].tolist() == pytest.approx(list(holm)), (name, family)


def test_a_family_stands_in_one_table(compared: dict[str, pd.DataFrame]) -> None:
    named = [family for table in compared.values() for family in set(table["family"])]
    assert len(named) == len(set(named))


def test_a_family_mixes_no_measures_protocols_or_models(compared: dict[str, pd.DataFrame]) -> None:
    for name, table in compared.items():
        if "encoder" in table:
            with_model = table["encoder"] != NONE
            table = table[with_model].assign(encoder=table["encoder"][with_model].map(model))
        for column in {"measure", "protocol", "encoder", "model", "table", "task"} & set(table):
            assert table.groupby("family")[column].nunique().max() == 1, (name, column)


def test_the_word_follows_from_the_two_corrected_p(compared: dict[str, pd.DataFrame]) -> None:
    for name, table in compared.items():
        difference = table.get("difference", table.get("a minus b", table.get("late - plain")))
        assert difference is not None
        tested = (table[f"{p}_holm"] for p in ("p", "p_equivalent"))
        for change, p, equal, word in zip(difference, *tested, table["shown"], strict=True):
            if p < SIGNIFICANT:
                expected = HIGHER if change > 0 else LOWER
            else:
                expected = EQUIVALENT if equal < SIGNIFICANT else NOT_SHOWN
            assert word == expected, name


def test_where_a_p_is_shown_its_family_and_size_stand_below(
    compared: dict[str, pd.DataFrame],
) -> None:
    for name, table in compared.items():
        note, shown = table_notes.note(table), tables.present(table)
        assert {"p, Holm", "p of equivalence, Holm", "shown"} <= set(shown), name
        assert "p" not in shown, name  # before its correction it decides nothing
        assert note.count(" tests)") + note.count(" test)") >= table["family"].nunique(), name
        assert "less than a point" in note or "less than 0.1 points" in note, name


def test_what_all_families_share_is_said_once() -> None:
    frame = pd.DataFrame(
        {"family": ["a, window 1, here", "b, window 1, here", "b, window 1, here"],
         "family_size": [1, 2, 2]}
    )  # fmt: skip
    expected = "p corrected by Holm within: window 1, here: a (1 test); b (2 tests)."
    assert table_notes.note(frame) == expected
    alone = "p corrected by Holm within: a, window 1, here (1 test)."
    assert table_notes.note(frame.iloc[:1]) == alone
