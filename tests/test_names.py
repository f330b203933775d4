"""Every condition has one name, parsed and printed again, and one that readers see."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import registry
from chunkstudy.core.models import MODELS, PROVIDERS
from chunkstudy.core.project import find_project
from chunkstudy.core.protocols import PROTOCOLS
from chunkstudy.display import titles
from chunkstudy.encoders.contextualized import LAYOUTS
from chunkstudy.llm import providers
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import (
    NONE,
    ChunkerSpec,
    EmbeddingMethod,
    EncoderName,
    parse,
    parse_chunker,
    parse_encoder,
    parse_method,
)
from chunkstudy.release import grid

RECORDS = Path(__file__).parents[1] / "results" / "runs"
SMOLLM = "local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
SIZES = st.tuples(st.integers(1, 2000), st.integers(0, 1999)).filter(lambda two: two[1] < two[0])
ENCODERS = st.builds(
    EncoderName,
    st.sampled_from(sorted(name for name, one in MODELS.items() if one.kind != "api")),
    st.sampled_from([None, 64, 8191]),
    st.sampled_from([None, "float32", "bfloat16"]),
)
WINDOWS = st.integers(4, 9000)
ORDERINGS = (
    st.just(EmbeddingMethod())
    | st.builds(EmbeddingMethod, WINDOWS, st.integers(0, 1))
    | st.builds(EmbeddingMethod, WINDOWS, layout=st.sampled_from([*LAYOUTS]))
    | st.builds(EmbeddingMethod, context=st.sampled_from([*contexts.FREE, f"by-{SMOLLM}"]))
)


@st.composite
def chunkers(draw: st.DrawFn) -> ChunkerSpec:
    name = draw(st.sampled_from(sorted(CHUNKERS)))
    entry = CHUNKERS[name]
    by = draw(ENCODERS.map(str)) if entry.takes("embed") and draw(st.booleans()) else ""
    length = draw(st.sampled_from(entry.lengths))
    return ChunkerSpec(name, draw(SIZES)[: len(entry.sizes)], length, by)


@given(chunkers(), ENCODERS, ORDERINGS)
def test_what_is_printed_is_parsed_to_the_same(
    chunker: ChunkerSpec, encoder: EncoderName, ordering: EmbeddingMethod
) -> None:
    assert parse_chunker(str(chunker)) == chunker
    assert str(parse_encoder(str(encoder))) == str(encoder)
    assert parse_method(str(ordering)) == ordering
    assert titles.chunker(str(chunker))
    assert titles.ordering(str(ordering))


def test_parsing_names_loads_no_model_and_knows_whom_one_may_ask() -> None:
    code = "import sys, chunkstudy.pipeline.conditions; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    asking = [one for one in run.stdout.split() if one.startswith(("chunkstudy.llm", "torch"))]
    assert set(asking) <= {"chunkstudy.llm", "chunkstudy.llm.interface"}
    assert set(PROVIDERS) == set(providers.PROVIDERS)


def test_every_record_and_every_condition_of_the_study_is_parsed_and_printed_again() -> None:
    paths = [str(condition) for condition in records.find(RECORDS)]
    assert paths
    study = [str(one) for one in grid.conditions(find_project())]
    assert len(set(study)) == len(study)
    for path in (*paths, *study):
        one = parse(path)
        assert str(one) == path
        assert str(parse_chunker(one.chunker)) == one.chunker
        if one.encoder != NONE:
            assert str(parse_encoder(one.encoder)) == one.encoder
            assert str(parse_method(one.ordering)) == one.ordering


@pytest.mark.parametrize(
    "slug",
    [
        "", "-", "nonsense", "recursive", "recursive-200", "recursive-200-0-0", "recursive-a-b",
        "recursive-200-0-gpt2", "recursive--200-0", "cluster-400-0", "kamradt-wordpiece",
        "token-250-125-characters", "recursive-200-0 ", "Recursive-200-0", "recursive-٢٠٠-0",
        "recursive-200-0\n", "lumberchunker-random", "lumberchunker-by-nobody__x", "llm-by-x",
        "lumberchunker-by-openai", "paragraph-by-openai__x",
    ],
)  # fmt: skip
def test_an_unknown_chunker_is_refused_with_where_they_are_listed(slug: str) -> None:
    with pytest.raises(ValueError, match=r"`chunkstudy chunkers` lists them.* recursive-200-0"):
        parse_chunker(slug)


@pytest.mark.parametrize("slug", ["recursive-0-0", "recursive-200-200", "token-5-9", "cluster-0"])
def test_impossible_sizes_are_refused(slug: str) -> None:
    with pytest.raises(ValueError, match=r"^the (chunk size|overlap) is"):
        parse_chunker(slug)


@pytest.mark.parametrize(
    "slug",
    [
        "late", "contextualized", "contextualized-2", "contextualized-64-63", "contextualized-x",
        "contextualized-256-at-256", "contextualized-512-centred", "contextualized-512-separated",
        "contextualized-64-8-averaged", "contextualized-2-averaged", "contextualized-64-64",
        "pre_embedding-packed", "prepended", "prepended-moon", "prepended-by-nobody__x",
        "prepended-title-2",
    ],
)  # fmt: skip
def test_an_impossible_ordering_is_refused(slug: str) -> None:
    with pytest.raises(ValueError, match=r"unknown ordering .* with one of title"):
        parse_method(slug)


def test_the_model_that_draws_is_named_where_it_is_not_the_usual_one() -> None:
    assert parse_chunker("lumberchunker").llm == "gemini/gemini-2.5-flash"
    assert parse_chunker(f"llm-by-{SMOLLM}").llm == f"local/{SMOLLM[7:].replace('__', '/')}"
    assert parse_method(f"prepended-by-{SMOLLM}").llm == SMOLLM.replace("__", "/")
    other = f"local__owner__name@{'a' * 40}"
    assert parse_chunker(f"llm-by-{other}").llm == f"local/owner/name@{'a' * 40}"


@pytest.mark.parametrize("part", ["chunker", "encoder", "ordering", "protocol", "collection"])
def test_no_two_parts_of_conditions_are_shown_alike(part: str) -> None:
    slugs = {getattr(one, part) for one in grid.conditions(find_project())}
    every = {"protocol": set(PROTOCOLS), "collection": set(registry.COLLECTIONS)}.get(part, set())
    sizes = product(("250-125", "200-0"), ("", "-wordpiece", "-wordpiece-special", "-characters"))
    every |= {f"recursive-{size}{length}" for size, length in sizes} if part == "chunker" else set()
    called = {titles.shown(part, slug) for slug in slugs | every}
    assert len(called) == len(slugs | every) and called & slugs <= {"corrected"}


def test_measures_in_tokens_and_in_characters_have_different_names() -> None:
    names = [
        "SpanRecall@5", "SpanRecall(unit=token)@5", "SpanRecall@Min", "PrecisionOmega",
        "PrecisionOmega(sum)", "PrecisionOmega(sum,unit=token)", "PrecisionOmega(unit=token)",
        "nDCG@10", "DCG@10", "Ceiling(DCG@10)", "R@10",
    ]  # fmt: skip
    assert len({titles.measure(name) for name in names}) == len(names)
