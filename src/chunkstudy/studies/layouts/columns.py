"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.runs import display_names
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import number, percent, tenths


def arm(text: str) -> str:
    """Layout, window and chunker as a reader calls them."""
    *read, chunker = text.split(", ")
    return ", ".join([*read, display_names.shown("chunker", chunker)])


COLUMNS: Columns = {
    "late arm": Column("late arm: layout, window, chunker", arm),
    "plain arm": Column("plain arm: window, chunker", arm),
    "plain": Column("plain, read whole", percent),
    "times": Column("times each token is read", number),
    "chunks a document": tenths,
    "unread": Column("unread, %", percent),
    "late chosen": Column("late leads on the choosing half, % of splits", percent),
    "right": Column("and would on the other half, %", percent),
    "late arm's share": Column("% of splits", percent),
    "plain arm's share": Column("% of splits ", percent),
}
