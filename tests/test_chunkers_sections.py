"""Sections of Markdown, and the list of chunkers that names them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.tokens import counter
from chunkstudy.chunkers.sections import sections
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.commands.evaluate.listing import KINDS
from chunkstudy.runs.names import parse_chunker

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
    assert usable - listed == {"proposition-sentences", "segmenter-api"}
