"""Figures, one file a study, drawn from ``results`` alone; the same results give the same bytes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from chunkstudy.places import Places
from chunkstudy.render import captions

STUDIES: tuple[str, ...] = ()
"""Modules of this package; each has ``figures(places)``, names and figures."""


def write(places: Places, study: str) -> list[Path]:
    """Draw the figures of one study into ``figures``, each as PNG and as PDF."""
    from chunkstudy.render.figures import drawing

    written = []
    with drawing.style():
        for name, figure in import_module(f"{__package__}.{study}").figures(places):
            drawing.titled(figure, captions.of(name).title)
            written += drawing.save(figure, places.figures / name)
    return written
