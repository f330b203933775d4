"""Badges of the README: pictures made here from what is derived, so that they stay true and ask no
service."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.files import write_text
from chunkstudy.places import Places

HEIGHT, LETTER, PADDING = 20, 6.6, 8
"""Pixels: of a badge, of a letter of its font on average, and beside each word."""
DARK, COLOR = "#444444", "#0b6cab"
"""White on either has a contrast of 5 to 1 and more."""
FOLDER = "docs/badges"


def write(places: Places, comparison: pd.DataFrame, claims: pd.DataFrame) -> str:
    """Write every badge and give the line of the README that shows them."""
    shown = said(comparison, claims)
    for name, words in shown.items():
        write_text(places.root / FOLDER / f"{name}.svg", drawn(*words))
    return "\n".join(
        f"![{left}: {right}]({FOLDER}/{name}.svg)" for name, (left, right) in shown.items()
    )


def said(comparison: pd.DataFrame, claims: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """By name, what stands on the left and on the right of a badge."""
    run = int((comparison["verdict"] != "not_run").sum())
    return {
        "cells": ("published cells run", f"{run:,} of {len(comparison):,}"),
        "claims": ("claims examined", f"{claims['id'].nunique():,}"),
        "python": ("Python", "3.11"),
        "licence": ("licence of the code", "MIT"),
    }


def drawn(left: str, right: str) -> str:
    """A badge as SVG: two words side by side, the right one coloured."""
    wide, rest = (round(len(word) * LETTER + 2 * PADDING) for word in (left, right))
    whole, foot = wide + rest, HEIGHT - 6
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{HEIGHT}" role="img" '
        f'aria-label="{left}: {right}">\n'
        f"<title>{left}: {right}</title>\n"
        f'<rect width="{wide}" height="{HEIGHT}" fill="{DARK}"/>\n'
        f'<rect x="{wide}" width="{rest}" height="{HEIGHT}" fill="{COLOR}"/>\n'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        'text-anchor="middle">\n'
        f'<text x="{wide / 2:g}" y="{foot}">{left}</text>\n'
        f'<text x="{wide + rest / 2:g}" y="{foot}">{right}</text>\n'
        "</g>\n</svg>\n"
    )
