"""Tables as LaTeX (booktabs), and every number of the prose as a macro."""

from __future__ import annotations

import re

import pandas as pd

WORDS = "Zero One Two Three Four Five Six Seven Eight Nine"
DIGITS = dict(zip("0123456789", WORDS.split(), strict=True))


def table(frame: pd.DataFrame, caption: str, label: str) -> str:
    """A booktabs table; special characters in names and values are escaped."""
    text = (
        frame.astype(str)
        .rename(columns=escape)
        .style.hide(axis="index")
        .format(escape)
        .to_latex(hrules=True, caption=escape(caption), label=label, position="t")
    )
    return text if text.endswith("\n") else text + "\n"


def escape(text: object) -> str:
    """Make any text safe inside a LaTeX cell."""
    special = {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    }  # fmt: skip
    shown = "" if text in ("nan", "None") else str(text)
    return "".join(special.get(character, character) for character in shown)


def macros(numbers: dict[str, str]) -> str:
    """``\\newcommand`` lines, one per number, in sorted order."""
    return "".join(
        f"\\newcommand{{\\{macro_name(name)}}}{{{escape(value)}}}\n"
        for name, value in sorted(numbers.items())
    )


def macro_name(name: str) -> str:
    """A legal macro name: letters only, words capitalised."""
    words = re.split(r"[^0-9A-Za-z]+", name)
    joined = "".join(word[:1].upper() + word[1:] for word in words if word)
    return "".join(DIGITS.get(character, character) for character in joined)
