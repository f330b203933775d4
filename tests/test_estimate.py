"""An estimate adds up, counts what conditions share once, and says where it would run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.collections import registry
from chunkstudy.encoders import models
from chunkstudy.publish import planned
from chunkstudy.published import papers
from chunkstudy.runs.conditions import LARGE, MINILM_512, Condition
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
