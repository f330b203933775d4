"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import number, percent, points, whole

COLUMNS: Columns = {
    "computed": lambda value: f"{value:.3g}",
    "quantity": one_of({"TP": "true positives", "FP": "false positives", "FN": "false negatives"}),
    "f1": Column("F1", percent),
    "gold": Column("gold chunks a query", number),
    "held by a tenth": Column("gold chunks held by a tenth of queries, %", percent),
    "recall of a": Column("first's recall", percent),
    "recall of b": Column("second's recall", percent),
    "a minus b": Column("first minus second, points", points),
    "shown by them": Column("difference that these show, points", percent),
    "needed": Column("queries needed", whole),
    "needed for 2 points": Column("queries needed for 2 points", whole),
    "needed for 5 points": Column("queries needed for 5 points", whole),
}
