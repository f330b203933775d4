"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import number, percent, points_finely

COLUMNS: Columns = {
    "gain per step": Column("gain of late chunking per step, points", points_finely),
    "plain per step": Column("plain per step, points", points_finely),
    "late per step": Column("late per step, points", points_finely),
    "size of step": Column("size of a step", number),
    "r2": Column("squared error taken away, %", percent),
    "error": Column("error, points", percent),
    "error of the mean": Column("error of the mean, points", percent),
    "change of error": Column("change of error, points", points_finely),
}
