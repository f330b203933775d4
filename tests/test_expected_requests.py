"""What asking language models would take, held against Emma and against what is really asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.chunkers.expected_requests import METHODS, of_boundaries
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.commands import cli
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.prices import PRICES, Estimate, expected
from chunkstudy.published import papers
from chunkstudy.published.sources import published_grid
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.estimate import segmentations

ROOT = Places(Path(__file__).parents[1])


def test_every_segmentation_of_the_published_grid_is_priced_once() -> None:
    found = list(segmentations(published_grid(ROOT), ROOT))
    assert len(found) == len(set(found)) == 1 + 2 * len(papers.TAXONOMY_COLLECTIONS)
    assert {one.chunker for one in found} == {"lumberchunker", "proposition", "llm"}
    for one in found:
        assert one.expected and one.expected.dollars and one.basis


def test_every_chunker_that_asks_a_language_model_has_a_method_and_a_price() -> None:
    asking = {name: entry.llm for name, entry in CHUNKERS.items() if entry.llm}
    assert set(asking) == set(METHODS)
    for name, model in asking.items():
        assert of_boundaries(name, model, 3, 3_000).dollars
        assert of_boundaries(name, f"local/{SMOLLM}", 3, 3_000).dollars == 0


def test_estimates_add_up_and_one_without_a_price_leaves_the_sum_without() -> None:
    a = expected("openai/gpt-4o-mini", 10, 1000, 100)
    assert a.dollars == pytest.approx(PRICES["gpt-4o-mini"].dollars(1000, 100))
    both = a + Estimate(recorded=3)
    assert (both.requests, both.recorded, both.dollars) == (10, 3, a.dollars)
    unknown = a + expected("openai/gpt-9", 1, 1, 1)
    assert unknown.dollars is None
    assert "price not known here" in str(unknown)
    assert (unknown + a).dollars is None


@pytest.mark.parametrize(
    ("collection", "chunker", "requests", "read"),
    [
        ("gutenqa-emma", "lumberchunker", 476, 476 * (97 + 550)),
        ("scifact", "lumberchunker", 5183, 1_737_313 + 5183 * 97),
        ("gutenqa-emma", "proposition", 2287, None),
        ("scifact", "proposition", 5183, None),
    ],
)
def test_books_are_asked_chunk_by_chunk_or_by_paragraph_and_short_documents_whole(
    collection: str, chunker: str, requests: int, read: int | None
) -> None:
    one = Condition(collection, chunker, MINILM, "pre_embedding", "corrected")
    ((*_, model, estimate, basis),) = segmentations([one], ROOT)
    assert model == "gemini/gemini-2.5-flash" and "counted" in basis
    assert estimate is not None and estimate.requests == requests
    assert read is None or estimate.input_tokens == pytest.approx(read, rel=0.01)


def test_the_command_says_what_boundaries_would_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT.root))
    only = str(Condition("chroma", "llm", "text-embedding-3-large", "pre_embedding", "corrected"))
    done = CliRunner().invoke(cli.app, ["estimate", "--only", only])
    assert done.exit_code == 0, done.output
    assert "boundaries of chroma/llm by openai/gpt-4o\t1,368 requests" in done.output
