"""The numbers as TeX reads them: ``numbers.tex``, one line a number."""

from __future__ import annotations

from collections.abc import Mapping

from chunkstudy.show import latex

NAME = "numbers"


def text(values: Mapping[str, str]) -> str:
    """A definition per name, in order of names, for ``paper/macros.tex`` to look up."""
    lines = [f"\\chunkvalue{{{name}}}{{{latex.escape(values[name])}}}" for name in sorted(values)]
    return "\n".join(lines) + "\n"
