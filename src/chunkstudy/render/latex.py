"""Tables as LaTeX (booktabs)."""

from __future__ import annotations

import pandas as pd

from chunkstudy.render import table_notes, tables

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
    """A booktabs table, a longtable where it has more rows than a page; text is escaped."""
    found = tables.present(frame, kinds=tables.KINDS.get(name))
    long = len(found) > 45
    text = (
        found.rename(columns=escape)
        .style.hide(axis="index")
        .format(escape)
        .to_latex(
            hrules=True,
            caption=escape(f"{tables.CAPTIONS[name]} {table_notes.note(frame)}".strip()),
            label=f"tab:{name}",
            environment="longtable" if long else None,
            position=None if long else "t",
        )
    )
    return text if text.endswith("\n") else text + "\n"


def escape(text: object) -> str:
    """Make any text safe inside a LaTeX cell."""
    return "".join(SPECIAL.get(character, character) for character in str(text))
