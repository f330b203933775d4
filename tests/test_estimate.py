"""An estimate adds up and counts what conditions share once; what asking language models would take
is held against Emma and against what is really asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.chunkers import breakpoints
from chunkstudy.chunkers.expected_requests import ASKING, of_boundaries
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.cli import main
from chunkstudy.core.project import Project
from chunkstudy.encoders import models
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.prices import PRICES, Estimate, expected
from chunkstudy.pipeline.conditions import LARGE, MINILM_512, Condition
from chunkstudy.pipeline.estimate import lines, of_conditions, size
from chunkstudy.published import papers
from chunkstudy.release import grid

ROOT = Project(Path(__file__).parents[1])


def test_a_line_for_each_condition_and_their_sum() -> None:
    study = grid.conditions(ROOT)
    estimates = of_conditions(study, ROOT)
    *of_each, total = lines(estimates)
    assert len(of_each) == len(study) and set(estimates) == set(study)
    tokens = sum(one.input_tokens for one in estimates.values())
    assert total.startswith(f"{len(study)} in all, at most, on two cores like ours\t")
    assert f" {tokens:,.0f} tokens in and " in total and " h, $" in total


def test_the_taxonomys_boundaries_are_drawn_once_for_all_models() -> None:
    models_of = (papers.JINA_SMALL, papers.JINA_V3, papers.NOMIC)
    conditions = [
        papers.taxonomy("fiqa", "semantic", model, ordering)
        for model in models_of
        for ordering in papers.ORDERINGS
    ]
    read = sum(one.input_tokens for one in of_conditions(conditions, ROOT).values())
    assert read == pytest.approx(size("fiqa", ROOT)[1] * (3 + 2 * len(models_of)))


def test_minilms_time_is_that_of_its_linear_layers() -> None:
    condition = Condition("scifact", "fixed-256", MINILM_512, "pre_embedding", "corrected")
    takes = of_conditions([condition], ROOT)[condition]
    operations = takes.input_tokens * 6 * 2 * (4 * 384**2 + 2 * 384 * 1536)
    assert takes.seconds == pytest.approx(operations / 100e9)
    assert str(takes) == "1,737,313 tokens, 6.1 min"


def test_attention_counts_where_a_model_reads_thousands_of_tokens() -> None:
    model = papers.JINA_V3
    pair = [papers.taxonomy("gutenqa", "fixed-256", model, one) for one in papers.ORDERINGS]
    plain, late = of_conditions(pair, ROOT).values()
    assert late.input_tokens == plain.input_tokens
    times = models.spec(model).flops_per_token(8192) / models.spec(model).flops_per_token(0)
    assert late.seconds / plain.seconds == pytest.approx(times)


def test_an_api_costs_dollars_and_no_time_here() -> None:
    condition = Condition("chroma", "token-400-200", LARGE, "pre_embedding", "corrected")
    takes = of_conditions([condition], ROOT)[condition]
    assert takes.seconds == 0
    assert takes.dollars == pytest.approx(2 * 328_208 / 1e6 * 0.13)


def test_every_chunker_that_asks_a_language_model_is_priced() -> None:
    asking = {name: entry.llm for name, entry in CHUNKERS.items() if entry.llm}
    assert set(asking) == set(ASKING)
    for name, model in asking.items():
        assert of_boundaries(name, model, 3, 3_000).dollars
        assert of_boundaries(name, f"local/{SMOLLM}", 3, 3_000).dollars == 0
    for kind in breakpoints.KINDS:
        prompt = ASKING[f"breakpoints-{kind}"].prompt
        assert breakpoints.request("", "", kind).tokens == prompt


def test_estimates_add_up_and_one_without_a_price_leaves_the_sum_without() -> None:
    a = expected("openai/gpt-4o-mini", 10, 1000, 100)
    assert a.dollars == pytest.approx(PRICES["gpt-4o-mini"].dollars(1000, 100))
    assert a + Estimate() == a and str(Estimate()) == "nothing more"
    unknown = a + expected("openai/gpt-9", 1, 1, 1)
    assert str(unknown) == "11 requests, 1,001 tokens in and 101 out, at a price not known here"


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
    takes = of_boundaries(chunker, CHUNKERS[chunker].llm, *size(collection, ROOT))
    assert takes.requests == requests
    assert read is None or takes.input_tokens == pytest.approx(read, rel=0.01)


def test_boundaries_are_drawn_for_the_first_condition_that_needs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT.root))
    asked = ["estimate", "--only", f"chroma/llm/{LARGE}/pre_embedding/*"]
    done = CliRunner().invoke(main.app, asked)
    first, second, total = done.stdout.splitlines()
    assert first.split("\t")[1] == "1,368 requests, 2,136,704 tokens in and 16,416 out, $4.73"
    assert second.endswith("\tnothing more") and "\t1,368 requests" in total
    recorded = str(Condition("scifact", "fixed-256", MINILM_512, "pre_embedding", "corrected"))
    asked = ["estimate", "--only", recorded]
    assert CliRunner().invoke(main.app, asked).stdout.startswith("0 in all")
    assert CliRunner().invoke(main.app, [*asked, "--again"]).stdout.startswith(recorded)
