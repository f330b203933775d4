"""LumberChunker without a language model: always the last candidate, or any at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.protocols import AS_PUBLISHED_IELAB, CORRECTED
from chunkstudy.chunkers import lumberchunker, lumberchunker_controls
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.runs import display_names
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.names import parse_chunker

PARAGRAPHS = [f"Paragraph {i} " + "says the same again and again. " * 12 for i in range(60)]
TEXT = "\n".join(PARAGRAPHS)
SLUGS = ("lumberchunker-last", "lumberchunker-random-1", "lumberchunker-random-20")


def windows(text: str) -> list[tuple[int, int]]:
    """Of every window that the last candidate leads to, its first unit and how many it shows."""
    seen = []

    def choose(first: int, shown: Sequence[str]) -> int:
        seen.append((first, len(shown)))
        return first + len(shown) - 1

    spans = paragraphs(text)
    list(lumberchunker.blocks((text[start:end] for start, end in spans), choose))
    return seen


def test_the_last_candidate_begins_every_chunk_but_the_first() -> None:
    spans = paragraphs(TEXT)
    chunks = build_chunker("lumberchunker-last", CORRECTED)(TEXT)
    begins = [0] + [first + shown - 1 for first, shown in windows(TEXT)]
    assert [start for start, *_ in chunks] == [spans[one][0] for one in begins]
    assert len(begins) > 10


def test_any_candidate_is_as_likely_as_any_other_and_the_first_unit_is_none() -> None:
    answers = Counter(
        lumberchunker_controls.at_random(draw)(TEXT)(7, ["a", "b", "c", "d"])
        for draw in range(3000)
    )
    assert set(answers) == {8, 9, 10}
    assert all(900 < count < 1100 for count in answers.values())


def test_a_draw_is_the_same_whenever_it_is_drawn_and_another_draw_another() -> None:
    first, again, other = (
        list(build_chunker(f"lumberchunker-random-{draw}", CORRECTED)(TEXT)) for draw in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("slug", SLUGS)
@given(st.lists(st.sampled_from(["one", "two words " * 200, "", "x " * 90]), max_size=12))
def test_the_chunks_of_a_control_cover_the_text_in_order(slug: str, parts: list[str]) -> None:
    text = "\n".join(parts)
    spans = [(start, end) for start, end, *_ in build_chunker(slug, CORRECTED)(text)]
    assert spans == sorted(spans) and all(start < end for start, end in spans)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


@pytest.mark.parametrize("slug", SLUGS)
def test_a_control_asks_nobody_and_is_known_as_one(slug: str) -> None:
    spec = parse_chunker(slug)
    assert not spec.llm and spec.entry.control
    assert build_chunker(slug, AS_PUBLISHED_IELAB)(TEXT)
    assert not parse_chunker("lumberchunker").entry.control


def test_a_draw_has_its_number_in_its_name() -> None:
    assert display_names.chunker("lumberchunker-random-3").endswith("at random, draw 3")
    with pytest.raises(ValueError, match="unknown chunker"):
        parse_chunker("lumberchunker-random")
