"""Chroma's two tables of means in the report's rows and columns, published beside ours."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from chunkstudy.places import Places
from chunkstudy.render import display_names, formats, notebook, tables

MEASURES = ("SpanRecall@5", "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5")
SIZE = "chunk size mean"
PUBLISHED, OURS = "published", "reproduced"
SHORT = {
    "SpanRecall@5": "recall", "SpanPrecision@5": "precision", "PrecisionOmega": "precision Ω",
    "SpanIoU@5": "IoU",
}  # fmt: skip


def as_printed(places: Places, name: str) -> HTML:
    """``chroma_main`` or ``chroma_minilm`` as the report sets it: mean ± standard deviation in
    percent, the mean size of chunks in tokens; a column of ours stands behind each published one
    of which a cell was run."""
    return HTML(notebook.html(shaped(notebook.read(places, name)), tables.CAPTIONS[name]))


def shaped(frame: pd.DataFrame) -> pd.DataFrame:
    """The table as text.

    Args:
        frame: a row per chunker, with mean and standard deviation of each measure, both published
            and reproduced, in percent.
    """
    found = {"chunker": frame["chunker"].map(display_names.chunker)}
    for said, digits in ((PUBLISHED, 0), (OURS, 2)):
        _add(found, f"size, {said}", _number(frame[f"{SIZE} {said}"], digits))
    for measure in (one for one in MEASURES if f"{one} mean {PUBLISHED}" in frame):
        for said, digits in ((PUBLISHED, 1), (OURS, 2)):
            mean, std = (
                _number(frame[f"{measure} {part} {said}"], digits) for part in ("mean", "std")
            )
            _add(found, f"{SHORT[measure]}, {said}", (mean + " ± " + std).where(mean != "", ""))
    return pd.DataFrame(found).rename(columns=lambda head: head.replace(OURS, "ours"))


def _add(found: dict[str, pd.Series], head: str, cells: pd.Series) -> None:
    """A column, where it has a cell."""
    if (cells != "").any():
        found[head] = cells


def _number(values: pd.Series, digits: int) -> pd.Series:
    """With so many decimals; what is no number, since the source has lost its digits, as it is."""
    numbers = pd.to_numeric(values, errors="coerce")
    text = numbers.map(lambda one: formats.decimals(float(one), digits))
    lost = values.astype(object).where(values.notna(), "").map(str)
    return text.where(numbers.notna(), lost)
