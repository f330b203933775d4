"""Frames of numbers as tables for reading: in HTML, Markdown and LaTeX.

Scores are fractions in a frame and percent in a table, their differences points; of a row whose
measure counts tokens both are tokens. An interval stands in one column, behind what it surrounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.show import html, latex, table_notes
from chunkstudy.show.columns import IN_TOKENS, Column, Columns, column

SAID_BELOW = ("family", "family_size", "interval", "margin")
HIDDEN = (*SAID_BELOW, "p_equivalent", "effect")
"""Said once under a table and not in every row, before its correction, or only in the file."""
SETTINGS = ("model", "encoder", "ordering", "protocol", "measure")
"""Said once under a table of several rows that all have the same."""
UNASKED = ("collection", "chunker", "other chunker", *SETTINGS)
"""The same, where nobody names the columns to show."""
PAIRED = {"low": "high", "least": "most"}
"""Two ends that stand in one column, by how their names end."""
NO_ROW = "No row yet, or none that was asked for."


@dataclass(frozen=True)
class Table:
    """A frame as a reader sees it.

    Attributes:
        text: titles and cells.
        note: what all rows share and how they were tested, for below.
    """

    text: pd.DataFrame
    note: str = ""

    @classmethod
    def of(
        cls, frame: pd.DataFrame, names: Sequence[str] = (), columns: Columns | None = None
    ) -> Table:
        """A frame of numbers and slugs as text.

        Args:
            names: of the columns to show, in this order; all but ``HIDDEN`` where none are named.
        """
        own = columns or {}
        given = [*names] or [str(one) for one in frame if not _hidden(str(one), frame)]
        once = SETTINGS if names else UNASKED
        asked = [one for one in given if one in once and len(frame) > 1]
        same = [one for one in asked if frame[one].nunique(dropna=False) == 1]
        shared = [_cells(frame.head(1), one, own).iloc[0] for one in same]
        found: dict[str, pd.Series] = {}
        for name in given:
            if name not in same and not _is_second_end(name, frame):
                title, cells = _shown(frame, name, own)
                found[title] = cells
        note = table_notes.note(frame, [one for one in shared if one])
        return cls(pd.DataFrame(found, index=frame.index), note if len(frame) else NO_ROW)

    def html(self, caption: str = "", file: str = "") -> str:
        """For a page; folded where it is long (:func:`chunkstudy.show.html.table`)."""
        return html.table(self.text, caption, self.note, file)

    def markdown(self) -> str:
        lines = [list(self.text), *self.text.to_numpy().tolist()]
        head, *rest = (f"| {' | '.join(line)} |" for line in lines)
        return "\n".join([head, "|" + "---|" * self.text.shape[1], *rest])

    def latex(
        self,
        name: str,
        caption: str,
        span: latex.Span = "appendix",
        once: str = "",
        shorter: Mapping[str, str] | None = None,
    ) -> str:
        """For a paper (:func:`chunkstudy.show.latex.table`)."""
        return latex.table(self.text, name, caption, span, once, shorter or {})


def _hidden(name: str, frame: pd.DataFrame) -> bool:
    return name.removeprefix("against in order ") in HIDDEN or (name == "p" and "p_holm" in frame)


def _shown(frame: pd.DataFrame, name: str, own: Columns) -> tuple[str, pd.Series]:
    """A column's title and its cells."""
    base, _, end = name.rpartition(" ")
    if end in PAIRED and (other := f"{base} {PAIRED[end]}".strip()) in frame:
        names = list(map(str, frame))
        around = base or names[max(0, names.index(name) - 1)]
        how = column(around, frame.get(around, frame[name]), own)
        if name in own:
            how = replace(how, text=column(name, frame[name], own).text)
        cells = _both(*(_texts(frame, one, how) for one in (name, other)))
        if end == "least":
            return f"{how.title}, least and most", cells
        return f"{how.title}, 95%" if base else "95% interval", cells
    how = column(name, frame[name], own)
    cells = _cells(frame, name, own)
    in_tokens_all = _token_rows(frame, name, how).all()
    return how.title.removesuffix(", points") if in_tokens_all else how.title, cells


def _cells(frame: pd.DataFrame, name: str, own: Columns) -> pd.Series:
    return _texts(frame, name, column(name, frame[name], own))


def _texts(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """A column's values as text, in tokens where the row's measure counts them; what is missing is
    empty."""
    values, tokens = frame[name], _token_rows(frame, name, how)
    unit = IN_TOKENS.get(how.text, how.text)
    found = [
        (unit if counted else how.text)(value) if there else ""
        for value, there, counted in zip(values, values.notna(), tokens, strict=True)
    ]
    return pd.Series(found, index=frame.index, dtype=object)


def _token_rows(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """Which rows of a column are in tokens, since they are in the unit of the row's measure."""
    own_unit = "@" in name or "%" in how.title
    if own_unit or how.text not in IN_TOKENS or "measure" not in frame:
        return pd.Series(False, index=frame.index)
    return frame["measure"].map(lambda measure: in_tokens(str(measure))).astype(bool)


def _is_second_end(name: str, frame: pd.DataFrame) -> bool:
    """Whether a column stands together with the other end of an interval."""
    base, _, end = name.rpartition(" ")
    return any(end == high and f"{base} {low}".strip() in frame for low, high in PAIRED.items())


def _both(low: pd.Series, high: pd.Series) -> pd.Series:
    """Two columns as one: the text of both ends, or of the one there is."""
    text = "[" + low + ", " + high + "]"
    text = text.where(low != "", "at most " + high).where(high != "", "at least " + low)
    return text.where((low != "") | (high != ""), "")
