"""Every thing has one name, and no two things share one."""

from __future__ import annotations

from itertools import product

from chunkstudy.base.models import MODELS
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.runs import display_names, grids
from chunkstudy.runs.conditions import COLLECTIONS


def test_every_chunker_of_the_grid_has_a_name_of_its_own() -> None:
    slugs = sorted({one.chunker for one in grids.grid()})
    assert len({display_names.chunker(slug) for slug in slugs}) == len(slugs)


def test_every_chunker_of_the_table_has_a_name() -> None:
    assert set(CHUNKERS) == set(display_names.FAMILIES)


def test_length_functions_show_in_the_name() -> None:
    lengths = ("", "-wordpiece", "-wordpiece-special", "-characters")
    sizes = ("250-125", "250-0", "200-0")
    slugs = [f"recursive-{size}{length}" for size, length in product(sizes, lengths)]
    assert len({display_names.chunker(slug) for slug in slugs}) == len(slugs)


def test_every_model_has_a_name() -> None:
    assert set(MODELS) <= set(display_names.MODELS)


def test_every_encoder_and_ordering_of_the_grid_has_a_name_of_its_own() -> None:
    for field in ("encoder", "ordering", "protocol", "collection"):
        slugs = sorted({getattr(one, field) for one in grids.grid()})
        name = getattr(display_names, field)
        assert len({name(slug) for slug in slugs}) == len(slugs)


def test_every_protocol_and_collection_has_a_name() -> None:
    assert set(PROTOCOLS) <= set(display_names.PROTOCOLS)
    assert set(COLLECTIONS) <= set(display_names.COLLECTIONS)


def test_measures_in_tokens_and_in_characters_have_different_names() -> None:
    names = [
        "SpanRecall@5", "SpanRecall(unit=token)@5", "SpanRecall@Min", "PrecisionOmega",
        "PrecisionOmega(sum)", "PrecisionOmega(sum,unit=token)", "PrecisionOmega(unit=token)",
        "nDCG@10", "DCG@10", "Ceiling(DCG@10)", "R@10",
    ]  # fmt: skip
    assert len({display_names.measure(name) for name in names}) == len(names)


def test_what_has_no_name_is_shown_as_it_is() -> None:
    assert display_names.shown("chunker", "mine") == "mine"
    assert display_names.shown("chunker", "recursive-200-0") == "Recursive, 200 tokens"
