"""Tables of text as LaTeX: a ``tabularx`` of a column's or the page's width, or in an appendix an
``xltabular``, which breaks over pages. Texts and long heads share what short columns leave."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import pandas as pd

HYPHENS = re.compile(r"\w+(?:-\w+){2,}")
"""A name that no line break may cut."""
SHORT = 14
"""Characters up to which a text or the head of a number stays on one line."""
KINDS = {
    "X": r">{\raggedright\arraybackslash}X",
    "R": r">{\raggedleft\arraybackslash}X",
}
NARROW, WIDE = (rf">{{\hsize={share}\hsize\raggedright\arraybackslash}}X" for share in (0.56, 1.44))
"""Two texts beside each other, of which the second is longer."""
Span = Literal["column", "page", "appendix"]
SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{MINUS SIGN}": r"\textminus{}", "\N{GREEK CAPITAL LETTER OMEGA}": r"\ensuremath{\Omega}",
    "<": r"\textless{}", ">": r"\textgreater{}",
})  # fmt: skip


def table(
    frame: pd.DataFrame,
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
        frame = frame.map(lambda text, long=long, short=short: text.replace(long, short))
    kinds = [_kind(str(title), frame[title]) for title in frame]
    if not {"X", "R"} & {*kinds}:
        kinds[0] = "X"
    columns = "".join(KINDS.get(kind, kind) for kind in kinds)
    if span == "appendix":  # what a row is of takes less room than what it says
        columns = columns.replace(KINDS["X"], NARROW, 1).replace(KINDS["X"], WIDE, 1)
    lines = [" & ".join(map(_whole, row)) + r" \\" for row in frame.itertuples(index=False)]
    body = "\n".join(_ruled(lines, frame[once]) if once else lines)
    head = f"\\toprule\n{' & '.join(map(escape, frame.columns))} \\\\\n\\midrule\n"
    title = f"\\caption{{{caption}}}\\label{{tab:{name}}}"
    size = "scriptsize" if span == "appendix" else "footnotesize"
    small = f"\\{size}\\setlength{{\\tabcolsep}}{{3pt}}\n"
    if span == "appendix":
        return (
            f"{{{small}\\begin{{xltabular}}{{\\linewidth}}{{@{{}}{columns}@{{}}}}\n{title} \\\\\n"
            f"{head}\\endfirsthead\n{head}\\endhead\n\\bottomrule\n\\endfoot\n{body}\n"
            "\\end{xltabular}\n}\n"
        )
    star = "*" if span == "page" else ""
    return (
        f"\\begin{{table{star}}}[t]\n{small}{title}\n"
        f"\\begin{{tabularx}}{{\\linewidth}}{{@{{}}{columns}@{{}}}}\n{head}{body}\n\\bottomrule\n"
        f"\\end{{tabularx}}\n\\end{{table{star}}}\n"
    )


def _kind(head: str, values: pd.Series) -> str:
    """``r`` for numbers, ``l`` for words that stay on one line; ``X`` for text that wraps, and
    ``R`` for numbers whose head does."""
    if values.str.fullmatch(r"[-+\N{MINUS SIGN}<\s\d.,%\[\]]*").all():
        return "r" if len(head) <= SHORT else "R"
    return "l" if max(len(head), values.str.len().max()) <= SHORT else "X"


def _ruled(lines: list[str], names: pd.Series) -> list[str]:
    """A thin line where a group ends, and its name only in its first row."""
    ruled, before = [], None
    for line, name in zip(lines, names, strict=True):
        if name == before:
            line = line.replace(_whole(name), "", 1)
        elif before is not None:
            ruled.append(r"\addlinespace")
        ruled.append(line)
        before = name
    return ruled


def _whole(text: str) -> str:
    """Escaped, with no line break inside a name of several hyphens, such as a model's."""
    return HYPHENS.sub(r"\\mbox{\g<0>}", escape(text))


def escape(text: object) -> str:
    """Make any text safe inside a LaTeX cell."""
    return str(text).translate(SPECIAL)
