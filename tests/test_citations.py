"""Whatever the project cites, a reader can look up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROTOCOLS = "docs/protocols.md"
PRIVATE = re.compile(r"\bS[0-4]:\d|\bPROTOCOLS [A-D]\b|(?<!-)\bseeds?/")


def _texts() -> Iterator[tuple[str, str]]:
    for folder in ("src", "tests", "docs", "notebooks", "."):
        for path in sorted((ROOT / folder).glob("*" if folder == "." else "**/*")):
            if path.suffix in (".py", ".toml", ".md", ".ipynb") and path != Path(__file__):
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def _anchors(page: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def test_every_cited_section_of_the_protocols_exists() -> None:
    anchors = _anchors((ROOT / PROTOCOLS).read_text(encoding="utf-8"))
    cited = {
        (name, anchor)
        for name, text in _texts()
        for run in re.findall(rf"{re.escape(PROTOCOLS)}#[\w-]+(?:,\s+#[\w-]+)*", text)
        for anchor in re.findall(r"#([\w-]+)", run)
    }
    assert cited
    assert {one for one in cited if one[1] not in anchors} == set()


def test_no_citation_is_a_line_of_a_copy_that_nobody_else_has() -> None:
    assert [name for name, text in _texts() if PRIVATE.search(text)] == []
