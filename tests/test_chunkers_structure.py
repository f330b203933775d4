"""Recursive chunks, token windows and sentences: offsets by construction, equal to LangChain's."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from chunkstudy.chunkers import structure
from chunkstudy.chunkers.structure import sections
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.cli.evaluate_commands import KINDS
from chunkstudy.core.spans import Span
from chunkstudy.core.tokens import TokenCounter, cl100k, cl100k_tokens, counter, without_surrogates
from chunkstudy.pipeline.conditions import parse_chunker

TEXTS = st.text(
    st.one_of(st.sampled_from("ab .?!\n\r\t\0\ufeff\u0301é世😀\ud800"), st.characters()),
    max_size=300,
)
SIZES = st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1)))


def official(text: str, size: int, overlap: int, count: TokenCounter) -> list[str]:
    splitter = RecursiveCharacterTextSplitter(
        separators=list(structure.SEPARATORS),
        keep_separator=True,
        is_separator_regex=False,
        chunk_size=size,
        chunk_overlap=overlap,
        length_function=count.count,
    )
    return list(splitter.split_text(text))


def slices(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


def uncovered(text: str, spans: list[Span]) -> str:
    kept = bytearray(b"\1" * len(text))
    for start, end in spans:
        kept[start:end] = bytes(end - start)
    return "".join(c for c, keep in zip(text, kept, strict=True) if keep and not c.isspace())


def assert_in_range_and_ordered(text: str, spans: list[Span]) -> None:
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(spans))


@given(TEXTS, SIZES, st.sampled_from(["cl100k", "wordpiece-special", "wordpiece", "characters"]))
@settings(max_examples=300)
def test_recursive_equals_langchain_on_any_text(
    text: str, sizes: tuple[int, int], length: str
) -> None:
    size, overlap = sizes
    spans = structure.recursive(text, size=size, overlap=overlap, count=counter(length))
    assert_in_range_and_ordered(text, spans)
    assert uncovered(text, spans) == ""
    if text.strip():
        assert slices(text, spans) == official(text, size, overlap, counter(length))
    else:
        assert spans == []


@given(TEXTS, SIZES)
@settings(max_examples=200)
def test_token_windows_cover_the_text_and_hold_their_tokens(
    text: str, sizes: tuple[int, int]
) -> None:
    size, overlap = sizes
    for length in ("cl100k", "wordpiece"):
        found = structure.token(text, size=size, overlap=overlap, count=counter(length))
        spans = [(start, end) for start, end, _ in found]
        assert_in_range_and_ordered(text, spans)
        if length == "cl100k":  # what WordPiece drops before its first token has none to go to
            assert uncovered(text, spans) == ""
        elif spans:
            assert uncovered(text, [(0, spans[0][0]), *spans]) == ""
    every = cl100k_tokens(text)[0]
    for (start, end, said), (first, after) in zip(
        structure.token(text, size=size, overlap=overlap, count=counter("cl100k")),
        structure.windows(len(every), size, overlap),
        strict=True,
    ):
        ids = every[first:after]
        assert cl100k().decode_bytes(ids) in without_surrogates(text[start:end]).encode()
        assert said == cl100k().decode(ids)


CHARACTERS = counter("characters")
TEXT = """Before.

# One
## Two

Under two.

```sh
# no heading
```

Three
-----
Under three.
"""


def cut(text: str, size: int = 1000) -> list[str]:
    return [text[start:end] for start, end in sections(text, size=size, count=CHARACTERS)]


def test_a_section_begins_at_its_heading_and_code_has_none() -> None:
    assert cut(TEXT) == [
        "Before.",
        "# One\n## Two\n\nUnder two.\n\n```sh\n# no heading\n```",
        "Three\n-----\nUnder three.",
    ]


@given(st.text("#ab \n-`", max_size=60), st.integers(1, 30))
def test_sections_leave_out_nothing_but_white_space_and_keep_to_their_size(
    text: str, size: int
) -> None:
    spans = sections(text, size=size, count=CHARACTERS)
    assert all(0 < end - start <= size for start, end in spans)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert spans == sorted(spans)


def test_every_chunker_that_cuts_any_text_is_listed() -> None:
    listed = {parse_chunker(slug).name for known in KINDS.values() for slug in known
              if "+" not in slug and ":" not in slug}  # fmt: skip
    usable = {n for n, e in CHUNKERS.items() if not (e.control or e.segments)}
    assert usable - listed == {"proposition-sentences"}
