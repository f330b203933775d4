"""What all figures share: style, files, points with intervals, names beside points, one legend."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from PIL import Image

from chunkstudy.core.files import write_bytes

STYLE = Path(__file__).with_name("style.mplstyle")
COLORS: list[tuple[float, float, float]] = sns.color_palette("colorblind")
IN_PAPER = ("late_chunking",)
"""Names of the figures that the paper includes, which TeX takes as PDF."""
CHARACTERS = 12
"""Of a title that fit an inch."""
Color = tuple[float, float, float] | str
style = partial(plt.style.context, STYLE)
"""The style of every figure, while it lasts; or of those that a function draws, above it."""


def save(figure: Figure, path: Path) -> Path:
    """Write ``path.png``, with a palette of 256 colours (a third of the bytes, which notebooks hold
    once more); for the paper ``path.pdf`` too, without a date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn, small, pdf = io.BytesIO(), io.BytesIO(), io.BytesIO()
    # Ticks and fonts are made only here, so that the style has to last until now.
    with style():
        figure.savefig(drawn, format="png")
        if path.name in IN_PAPER:
            figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
            write_bytes(path.with_name(f"{path.name}.pdf"), pdf.getvalue())
    with Image.open(drawn) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(small, format="png", optimize=True)
    plt.close(figure)
    png = path.with_name(f"{path.name}.png")
    write_bytes(png, small.getvalue())
    return png


def titled(figure: Figure, message: str) -> None:
    """Write the message above a figure."""
    lines = textwrap.wrap(message, round(CHARACTERS * figure.get_figwidth()))
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=10)


def intervals(
    axes: Axes,
    rows: pd.DataFrame,
    at: ArrayLike,
    color: Color,
    label: str | None = None,
    value: str = "difference",
    ends: tuple[str, str] = ("low", "high"),
    scale: float = 100.0,
    hollow: ArrayLike | None = None,
    upright: bool = False,
    marker: str = "o",
) -> None:
    """Points with horizontal intervals at heights ``at``, or upright ones at places ``at``;
    fractions are drawn in percent. Points that are ``hollow`` are white inside."""
    middle, low, high = (scale * rows[name].to_numpy(dtype=float) for name in (value, *ends))
    errors = np.clip([middle - low, high - middle], 0, None)
    x, y = (np.asarray(at), middle) if upright else (middle, np.asarray(at))
    across, up = (None, errors) if upright else (errors, None)
    axes.errorbar(x, y, xerr=across, yerr=up, fmt=marker, ms=4, lw=1.2, color=color, label=label)
    if hollow is not None:
        some = np.asarray(hollow, dtype=bool)
        axes.plot(x[some], y[some], "o", ms=2.4, color="white", zorder=3)


def rows_named(axes: Axes, names: Sequence[str], size: float = 8) -> None:
    """A height for each name, the first on top."""
    axes.set_yticks(range(len(names)), names, fontsize=size)
    axes.set_ylim(len(names) - 0.5, -0.5)


def zero(axes: Axes) -> None:
    axes.axvline(0, color="grey", lw=0.8, zorder=0)


def one_legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """One legend below all panels, each label once."""
    found: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    labels, handles = list(found), list(found.values())
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
