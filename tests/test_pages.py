"""No page shows an internal name, and every table can be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest
from matplotlib.text import Text

from chunkstudy.places import Places
from chunkstudy.render import tables
from chunkstudy.render.figures import STUDIES

mpl.use("Agg")
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


@pytest.mark.parametrize("study", STUDIES)
def test_no_internal_name_reaches_a_figure(study: str) -> None:
    from importlib import import_module

    module = import_module(f"chunkstudy.render.figures.{study}")
    for name, figure in module.figures(PLACES):
        words = [one.get_text() for one in figure.findobj(Text)]
        found = [word for word in words if INTERNAL.search(word)]
        plt.close(figure)
        assert not found, name


@pytest.mark.parametrize("path", sorted(PLACES.tables.glob("*.csv")), ids=lambda p: p.stem)
def test_every_table_is_shown_with_titles_that_differ(path: Path) -> None:
    try:
        frame = pd.read_csv(path)
    except pd.errors.EmptyDataError:
        return
    found = tables.present(frame, kinds=tables.KINDS.get(path.stem))
    assert len(found) == len(frame) and found.columns.is_unique
    assert not found.isin(["nan", "None", "inf"]).to_numpy().any()
