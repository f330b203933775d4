"""Tables of text as LaTeX, in a shape that fits.

A table of a column's or the page's width is a ``tabularx`` whose texts
share what the numbers leave; one of the appendix is a ``longtable`` whose texts do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

HYPHENS = re.compile(r"\w+(?:-\w+){2,}")
"""A name that no line break may cut."""
SHORT = 14
"""Characters up to which a text stays on one line."""
EM, LINE, GAP = 4.0, 489.0, 6.0
"""Points of a character, of a line of the appendix and between two columns, in its small type."""
MOST = 0.9
"""Of the line that numbers may take."""
SIDES = {"X": r"\raggedright", "l": r"\raggedright", "r": r"\raggedleft"}
Span = Literal["column", "page", "appendix"]
SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{MINUS SIGN}": r"\textminus{}", "\N{GREEK CAPITAL LETTER OMEGA}": r"\ensuremath{\Omega}",
    "<": r"\textless{}", ">": r"\textgreater{}",
})  # fmt: skip


def table(
    found: pd.DataFrame,
    name: str,
    caption: str,
    span: Span,
    once: str,
    shorter: Mapping[str, str],
) -> str:
    r"""A table of text; its cells are escaped, the caption is LaTeX.

    Args:
        name: behind ``tab:`` in its label.
        caption: a sentence or two; numbers as ``\val{what-it-is-of/number}``.
        span: how wide it is set; ``appendix`` breaks over pages.
        once: the head of a column whose change draws a line, and which is said once.
        shorter: parts of texts that are said shorter here, by what they are elsewhere.
    """
    for long, short in shorter.items():
        found = found.map(lambda text, long=long, short=short: text.replace(long, short))
    lines = [" & ".join(map(_whole, row)) + r" \\" for row in found.itertuples(index=False)]
    if once:
        lines = _ruled(lines, found[once])
    head = " & ".join(map(escape, found.columns)) + r" \\"
    said = f"\\caption{{{caption}}}\\label{{tab:{name}}}"
    if span == "appendix":
        return _long(formats(found), head, lines, said)
    return _floating(span, found, head, lines, said)


def _whole(text: str) -> str:
    """Escaped, with no line break inside a name of several hyphens, such as a model's."""
    return HYPHENS.sub(r"\\mbox{\g<0>}", escape(text))


def _ruled(lines: list[str], names: pd.Series) -> list[str]:
    """A thin line where a group ends, and its name only in its first row."""
    found, before = [], None
    for line, name in zip(lines, names, strict=True):
        if name == before:
            line = line.replace(_whole(name), "", 1)
        elif before is not None:
            found.append(r"\addlinespace")
        found.append(line)
        before = name
    return found


def _floating(span: Span, found: pd.DataFrame, head: str, lines: list[str], caption: str) -> str:
    star = "*" if span == "page" else ""
    kinds = [_kind(str(name), found[name]) for name in found]
    if "X" not in kinds:
        kinds[0] = "X"
    columns = "".join(r">{\raggedright\arraybackslash}X" if one == "X" else one for one in kinds)
    body = "\n".join(lines)
    return (
        f"\\begin{{table{star}}}[t]\n\\footnotesize\\setlength{{\\tabcolsep}}{{3pt}}\n{caption}\n"
        f"\\begin{{tabularx}}{{\\linewidth}}{{@{{}}{columns}@{{}}}}\n"
        f"\\toprule\n{head}\n\\midrule\n{body}\n\\bottomrule\n"
        f"\\end{{tabularx}}\n\\end{{table{star}}}\n"
    )


def _long(columns: list[str], head: str, lines: list[str], caption: str) -> str:
    body = "\n".join(lines)
    return (
        "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
        f"\\begin{{longtable}}{{@{{}}{''.join(columns)}@{{}}}}\n{caption} \\\\\n"
        f"\\toprule\n{head}\n\\midrule\n\\endfirsthead\n\\toprule\n{head}\n\\midrule\n\\endhead\n"
        f"\\bottomrule\n\\endfoot\n{body}\n\\end{{longtable}}\n}}\n"
    )


def formats(found: pd.DataFrame) -> list[str]:
    """How the columns of a long table are set: numbers by their width, texts share the rest by the
    square root of their length, so that all come out about as high. Where numbers leave too little,
    all columns share the line, and heads wrap."""
    kinds = [_kind(str(name), found[name]) for name in found]
    longest = np.array([max(map(len, [str(name), *found[name]])) for name in found])
    wraps = np.array([kind == "X" for kind in kinds])
    gaps = GAP * (len(kinds) - 1)
    if (longest * ~wraps).sum() * EM + gaps > MOST * LINE:
        wraps[:] = True
    share = np.sqrt(longest) * wraps
    left = 1 - ((longest * ~wraps).sum() * EM + gaps) / LINE
    return [
        rf">{{{SIDES[kind]}\arraybackslash}}p{{{left * part / share.sum():.3f}\linewidth}}"
        if part
        else kind
        for kind, part in zip(kinds, share, strict=True)
    ]


def _kind(name: str, values: pd.Series) -> str:
    """``r`` for numbers, ``l`` for words that stay on one line, ``X`` for text that wraps."""
    if values.str.fullmatch(r"[-+\N{MINUS SIGN}<\s\d.,%\[\]]*").all():
        return "r"
    return "l" if max(len(name), values.str.len().max()) <= SHORT else "X"


def escape(text: object) -> str:
    """Make any text safe inside a LaTeX cell."""
    return str(text).translate(SPECIAL)
