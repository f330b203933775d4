"""What the papers' language models would cost again, held against what is known of Emma."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.base.prices import PRICES
from chunkstudy.chunkers import breakpoints
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.commands import cli
from chunkstudy.runs import published_grid
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.segmentation_cost import METHODS, Segmentation, cost, lines, segmentations

ROOT = Places(Path(__file__).parents[1])
GEMINI = "gemini/gemini-2.5-flash"


def test_every_segmentation_of_the_published_grid_is_priced_once() -> None:
    grid = published_grid.published_grid()
    found = segmentations(grid)
    assert len(found) == len(set(found)) == 1 + 2 * len(published_grid.TAXONOMY_COLLECTIONS)
    assert {one.chunker for one in found} == set(METHODS)
    for one in found:
        estimate, basis = cost(one, ROOT)
        assert estimate is not None
        assert estimate.dollars is not None
        assert estimate.dollars > 0
        assert basis
    assert len(list(lines(grid, ROOT))) == len(found)


def test_every_published_chunker_that_asks_a_language_model_has_a_method_and_a_price() -> None:
    asking = {name: entry.llm for name, entry in CHUNKERS.items() if entry.llm}
    unpublished = {f"breakpoints-{kind}" for kind in breakpoints.TASKS}
    assert set(asking) == set(METHODS) | unpublished
    for name in unpublished:
        estimate, why = cost(Segmentation("scifact", name, GEMINI), ROOT)
        assert estimate is None
        assert "a run says what it takes" in why
    assert {model.partition("/")[2] for model in asking.values()} <= set(PRICES)


def test_emma_takes_one_call_for_each_of_its_published_chunks() -> None:
    estimate, basis = cost(Segmentation("gutenqa-emma", "lumberchunker", GEMINI), ROOT)
    assert estimate is not None
    assert estimate.requests == 476
    assert estimate.input_tokens == 476 * (97 + 550)
    assert "counted" in basis


def test_short_documents_take_at_least_one_call_each_and_are_shown_whole() -> None:
    estimate, _ = cost(Segmentation("scifact", "lumberchunker", GEMINI), ROOT)
    assert estimate is not None
    assert estimate.requests == 5183
    assert estimate.input_tokens == pytest.approx(1_737_313 + 5183 * 97, rel=0.01)


def test_books_are_asked_by_paragraph_and_abstracts_by_document() -> None:
    book, _ = cost(Segmentation("gutenqa-emma", "proposition", GEMINI), ROOT)
    abstracts, _ = cost(Segmentation("scifact", "proposition", GEMINI), ROOT)
    assert book is not None
    assert abstracts is not None
    assert (book.requests, abstracts.requests) == (2287, 5183)
    assert book.output_tokens == 11_834 * 20


def test_what_nobody_counted_here_says_so(tmp_path: Path) -> None:
    bare = Places(tmp_path)
    assert "nobody counted" in cost(Segmentation("fiqa", "proposition", GEMINI), bare)[1]
    assert (
        "taken to be as long as Emma"
        in cost(Segmentation("gutenqa", "lumberchunker", GEMINI), bare)[1]
    )
    estimate, reason = cost(Segmentation("builtin", "lumberchunker", GEMINI), bare)
    assert estimate is None
    assert "`chunkstudy fetch`" in reason


def test_the_command_says_what_boundaries_would_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT.root))
    only = str(Condition("chroma", "llm", "text-embedding-3-large", "pre_embedding", "corrected"))
    done = CliRunner().invoke(cli.app, ["estimate", "--only", only])
    assert done.exit_code == 0, done.output
    assert "boundaries of chroma/llm by openai/gpt-4o\t1,368 requests" in done.output
