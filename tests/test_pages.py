"""No page and no table of the paper shows an internal name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from chunkstudy.base.places import Places

ROOT = Path(__file__).parents[1]
PLACES = Places(ROOT)
INTERNAL = re.compile(
    r"\b(?:recursive|token|cluster|fixed|sentence|kamradt-modified)-\d+|"
    r"\b(?:semantic|fixed|recursive|proposition|lumberchunker|paragraph)-released\b|"
    r"as_published|pre_embedding|contextualized-\d|sentence-transformers__|gutenqa-emma|"
    r"\bS[0-4]:\d+|PROTOCOLS [A-D]|not_run|within_stack|state_of_the_union"
)
CODE = re.compile(r"```.*?```|`[^`]*`|<pre.*?</pre>|<code>.*?</code>", re.DOTALL)
PAGES = sorted((ROOT / "results" / "notebooks").glob("*.ipynb"))


def shown(path: Path) -> Iterator[str]:
    """What a reader sees of an executed notebook whose code is folded."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield cell.source
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            yield data.get("text/html") or data.get("text/markdown") or ""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_internal_name_reaches_a_page(path: Path) -> None:
    found = INTERNAL.findall(CODE.sub("", "\n".join(shown(path))))
    assert not found


def test_no_internal_name_reaches_the_readme() -> None:
    assert not INTERNAL.findall(CODE.sub("", (ROOT / "README.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted(PLACES.generated.glob("*.tex")), ids=lambda p: p.stem)
def test_no_internal_name_and_no_missing_number_reaches_latex(path: Path) -> None:
    text = re.sub(r"\\(?:label|newcommand)\{[^}]*\}", "", path.read_text(encoding="utf-8"))
    text = text.replace(r"\_", "_")
    assert not INTERNAL.findall(text)
    assert not re.search(r"\bnan\b", text)
