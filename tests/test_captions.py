"""Every figure says its message and can be read aloud, and no message outlives its finding."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from chunkstudy.render import captions, findings
from chunkstudy.render.figures import drawing

ROOT = Path(__file__).resolve().parents[1]
CAPTIONS = captions.read()


def test_each_figure_has_a_caption_or_a_notebook_that_draws_it() -> None:
    books = [nbformat.read(path, 4) for path in (ROOT / "notebooks").glob("*.ipynb")]
    cells = [cell.source for book in books for cell in book.cells]
    drawn = {name for one in cells for name in re.findall(r'study\.figure\(\s*"(\w+)', one)}
    assert drawn
    assert set(CAPTIONS) | drawn == {path.stem for path in (ROOT / "figures").glob("*.png")}


@pytest.mark.parametrize("name", sorted(CAPTIONS))
def test_a_message_stands_on_a_finding_and_holds_no_number_that_a_record_changes(name: str) -> None:
    one = CAPTIONS[name]
    assert not one.finding or one.finding in {found.name for found in findings.read()}
    assert re.findall(r"\d+", one.title.replace("all-MiniLM-L6-v2", "")) in ([], ["512"])


def test_a_figure_without_a_caption_is_refused_with_what_to_do() -> None:
    with pytest.raises(captions.CaptionError, match=r"captions\.toml"):
        captions.of("unheard_of")


def test_a_message_stands_over_what_a_figure_says_and_fits_its_width() -> None:
    with drawing.style():
        figure = drawing.plt.figure(figsize=(4, 3))
        figure.suptitle("472 questions")
        drawing.titled(figure, "A message so long that it would reach beyond a narrow figure")
        figure.canvas.draw()
        *message, under = figure.get_suptitle().split("\n")
        (text,) = figure.texts
        assert under == "472 questions"
        assert len(message) > 1
        assert text.get_window_extent().x1 <= figure.bbox.x1
        drawing.plt.close(figure)


def test_the_last_bits_of_a_number_move_nothing_on_a_logarithmic_axis() -> None:
    """They differ between processors, and one pixel changes all bytes of a picture."""
    figure, axes = plt.subplots()
    values = np.geomspace(0.01, 1e7, 1000)
    nearly = np.nextafter(values, np.inf)
    axes.set_xscale("log")
    usual = axes.xaxis.get_transform()
    assert (usual.transform(values) != usual.transform(nearly)).any()
    axes.set_xscale(drawing.LOG)
    rounded = axes.xaxis.get_transform()
    assert np.array_equal(rounded.transform(values), rounded.transform(nearly))
    assert np.allclose(rounded.transform(values), usual.transform(values), rtol=0, atol=1e-9)
    plt.close(figure)
