"""An estimate adds up, counts what conditions share once, and says where it would run; what asking
language models would take is held against Emma and against what is really asked."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.chunkers.expected_requests import METHODS, of_boundaries
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import registry
from chunkstudy.commands import cli
from chunkstudy.encoders import models
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.prices import PRICES, Estimate, expected
from chunkstudy.publish import planned
from chunkstudy.published import papers
from chunkstudy.published.sources import published_grid
from chunkstudy.runs.conditions import LARGE, MINILM, MINILM_512, Condition
from chunkstudy.runs.estimate import (
    estimate,
    known_size,
    prices,
    segmentations,
)

ROOT = Places(Path(__file__).parents[1])


@pytest.fixture
def nothing_recorded(tmp_path: Path) -> Places:
    """A study whose records are gone and whose collections' facts are there."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "facts").symlink_to(ROOT.results / "facts")
    return Places(tmp_path)


def test_totals_are_the_sums_of_their_lines(nothing_recorded: Places) -> None:
    study = planned.conditions(ROOT)
    found = prices(study, nothing_recorded)
    assert found["blocked"].is_monotonic_increasing
    assert set(found["condition"]) == set(study)
    lines = list(estimate(study, nothing_recorded, "h100"))
    assert len(lines) == len(study) + 3 + len(list(segmentations(study, nothing_recorded)))
    open_line, blocked_line, all_line = map(_numbers, lines[len(study) : len(study) + 3])
    assert all_line[0] == pytest.approx(found["tokens"].sum() / 1e6, abs=0.01)
    assert all_line[1] == pytest.approx(found["dollars"].sum(), abs=0.01)
    for both, first, second in zip(all_line, open_line, blocked_line, strict=True):
        assert both == pytest.approx(first + second, abs=0.02)


def test_the_taxonomys_boundaries_are_drawn_once_for_all_models(nothing_recorded: Places) -> None:
    models_of = (papers.JINA_SMALL, papers.JINA_V3, papers.NOMIC)
    conditions = [
        papers.taxonomy("fiqa", "semantic", model, ordering)
        for model in models_of
        for ordering in papers.ORDERINGS
    ]
    size = known_size("fiqa", nothing_recorded)[1]
    read = prices(conditions, nothing_recorded)["tokens"].sum()
    assert read == pytest.approx(size * (3 + 2 * len(models_of)))


def test_minilms_operations_are_those_of_its_linear_layers(nothing_recorded: Places) -> None:
    condition = Condition("scifact", "fixed-256", MINILM_512, "pre_embedding", "corrected")
    price = prices([condition], nothing_recorded).iloc[0]
    assert price["operations"] == price["tokens"] * 6 * 2 * (4 * 384**2 + 2 * 384 * 1536)
    line, *_ = estimate([condition], nothing_recorded)
    assert line.endswith("\t6.1 min\t$0.00")


def test_attention_counts_where_a_model_reads_thousands_of_tokens(nothing_recorded: Places) -> None:
    model = papers.JINA_V3
    plain, late = (
        prices([papers.taxonomy("gutenqa", "fixed-256", model, one)], nothing_recorded)
        for one in papers.ORDERINGS
    )
    assert late["tokens"].item() == plain["tokens"].item()
    expected = models.spec(model).flops_per_token(8192) / models.spec(model).flops_per_token(0)
    assert late["operations"].item() / plain["operations"].item() == pytest.approx(expected)


def test_an_api_costs_dollars_and_no_operations_here(nothing_recorded: Places) -> None:
    condition = Condition("chroma", "token-400-200", LARGE, "pre_embedding", "corrected")
    price = prices([condition], nothing_recorded).iloc[0]
    assert price["operations"] == 0
    assert price["dollars"] == pytest.approx(2 * 328_208 / 1e6 * 0.13)


def test_what_is_recorded_costs_nothing() -> None:
    recorded = Condition("scifact", "fixed-256", MINILM_512, "pre_embedding", "corrected")
    assert prices([recorded], ROOT).empty


def test_a_size_that_is_assumed_is_said(
    nothing_recorded: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    condition = Condition("quora", "fixed-64", MINILM_512, "pre_embedding", "corrected")
    assert not any("assumed" in line for line in estimate([condition], nothing_recorded))
    entry = replace(registry.find("quora"), tokens=0)
    monkeypatch.setitem(registry.COLLECTIONS, "quora", entry)
    assert "quora: 2,000,000 tokens are assumed" in next(estimate([condition], nothing_recorded))


def _numbers(line: str) -> tuple[float, float]:
    tokens = re.search(r"([\d.]+) M tokens", line)
    dollars = re.search(r"\$([\d.]+)$", line)
    assert tokens and dollars
    return float(tokens[1]), float(dollars[1])


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
