"""Tables as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pandas as pd

from chunkstudy.show import table_notes, table_shapes, tables

SMALL = "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
CONTINUED = "The same rows, further columns."
ROW = "row"
"""The head of the numbers by which a row is found again in a further panel."""
SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{MINUS SIGN}": r"\textminus{}", "\N{GREEK CAPITAL LETTER OMEGA}": r"\ensuremath{\Omega}",
    "<": r"\textless{}", ">": r"\textgreater{}",
})  # fmt: skip


def table(
    frame: pd.DataFrame, name: str, caption: str, shown_as: tables.Kinds | None = None
) -> str:
    """A booktabs table in small type that breaks over pages (``array``, ``longtable``); text is
    escaped. What does not fit the line stands in further panels below."""
    found = tables.present(frame, kinds=shown_as)
    panels = table_shapes.panels(found)
    if len(panels) > 1:
        found.insert(0, ROW, [str(at + 1) for at in range(len(found))])
        panels = table_shapes.panels(found)
    said = escape(caption)
    body = [
        panel(found.iloc[:, list(one.columns)], one.formats, said if at == 0 else CONTINUED,
              name if at == 0 else "")
        for at, one in enumerate(panels)
    ]  # fmt: skip
    below = f"\\noindent {_breakable(note)}\\par\n" if (note := table_notes.note(frame)) else ""
    return f"{SMALL}{''.join(body)}{below}}}\n"


def panel(found: pd.DataFrame, formats: Sequence[str], caption: str, label: str = "") -> str:
    """Columns of text as one longtable; without a label it is a part of the table before."""
    head = " & ".join(_breakable(name) for name in found) + r" \\"
    rows = [" & ".join(map(_breakable, row)) + r" \\" for row in found.itertuples(index=False)]
    title = (
        rf"\caption{{{caption}}}\label{{tab:{label}}} \\"
        if label
        else (rf"\multicolumn{{{len(formats)}}}{{@{{}}l@{{}}}}{{\emph{{{caption}}}}} \\")
    )
    return (
        f"\\begin{{longtable}}{{@{{}}{''.join(formats)}@{{}}}}\n{title}\n"
        f"\\toprule\n{head}\n\\midrule\n\\endfirsthead\n"
        f"\\toprule\n{head}\n\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n"
        + "\n".join(rows)
        + "\n\\end{longtable}\n"
        + ("" if label else "\\addtocounter{table}{-1}\n")
    )


@lru_cache(maxsize=100_000)
def _breakable(text: object) -> str:
    """Escaped, with leave to break paths and long names."""
    return r"\allowbreak{}".join(escape(part) for part in table_shapes.BREAKS.split(str(text)))


def escape(text: object) -> str:
    """Make any text safe inside a LaTeX cell."""
    return str(text).translate(SPECIAL)
