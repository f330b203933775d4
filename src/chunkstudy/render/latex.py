"""Tables as LaTeX (booktabs)."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from chunkstudy.render import table_notes, tables

PROSE = 60
"""Characters of a cell beyond which it is a sentence and its column wraps."""
LINE = 90
"""Characters of small type that a line of 345 points holds, an article's."""
GAP = 6 / 345
"""Of the line, between two columns."""
BREAKS = re.compile(r"(?<=[/_])(?=\S)|(?<=[a-z])(?=[A-Z][a-z])")
"""Where paths and names may break besides white space and hyphens."""
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{MINUS SIGN}": r"\textminus{}", "\N{GREEK CAPITAL LETTER OMEGA}": r"\ensuremath{\Omega}",
    "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def every_table(made: dict[str, pd.DataFrame]) -> dict[str, str]:
    """LaTeX by name, of each table that has a caption and a row."""
    return {
        name: table(made[name], name)
        for name in tables.CAPTIONS
        if name in made and len(made[name])
    }


def table(frame: pd.DataFrame, name: str) -> str:
    """A booktabs table; text is escaped. Columns of sentences wrap, in small type (``array``); with
    these, or more rows than a page, it is a longtable."""
    found = tables.present(frame, kinds=tables.KINDS.get(name))
    formats = column_formats(found)
    prose = any(one != "l" for one in formats)
    long = len(found) > 45 or prose
    text = (
        found.rename(columns=escape)
        .style.hide(axis="index")
        .format(_breakable if prose else escape)
        .to_latex(
            hrules=True,
            caption=escape(f"{tables.CAPTIONS[name]} {table_notes.note(frame)}".strip()),
            label=f"tab:{name}",
            column_format="".join(formats),
            environment="longtable" if long else None,
            position=None if long else "t",
        )
    )
    if prose:
        text = "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n" + text.rstrip("\n") + "\n}"
    return text if text.endswith("\n") else text + "\n"


def column_formats(found: pd.DataFrame) -> list[str]:
    """How each column is set: ``l``, or where a cell is a sentence, a part of the line's width.

    With sentences, columns longer than their share of the line wrap: each gets room for its longest
    word, and of what is left a part by the square root of its length, so that all come out about as
    high.
    """
    texts = [[str(name), *found[name].astype(str)] for name in found]
    if not any(len(cell) > PROSE for cells in texts for cell in cells[1:]):
        return ["l"] * len(texts)
    longest = np.array([max(map(len, cells)) for cells in texts])
    words = np.array([max(len(word) for cell in cells for word in _words(cell)) for cells in texts])
    wraps = longest > LINE / len(texts)
    needed = np.where(wraps, words, longest) / LINE
    left = max(0.0, 1 - GAP * len(texts) - needed.sum())
    share = np.sqrt(longest) * wraps
    widths = needed + left * share / share.sum()
    return [
        rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}" if wrap else "l"
        for width, wrap in zip(widths, wraps, strict=True)
    ]


def _words(text: str) -> list[str]:
    """What does not break."""
    return [part for word in re.split(r"[\s-]+", text) for part in BREAKS.split(word)]


def _breakable(text: object) -> str:
    """Escaped, with leave to break paths and long names."""
    return r"\allowbreak{}".join(escape(part) for part in BREAKS.split(str(text)))


def escape(text: object) -> str:
    """Make any text safe inside a LaTeX cell."""
    return "".join(SPECIAL.get(character, character) for character in str(text))
