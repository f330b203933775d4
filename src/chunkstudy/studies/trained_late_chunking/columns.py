"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import thousandths, whole

ARMS = {
    "untrained": "nothing",
    "alone": "passages read alone",
    "context": "passages in context",
    "mixed": "both in turn",
}
"""What a model was trained on."""
COLUMNS: Columns = {
    "trained on": one_of(ARMS),
    "against one trained on": one_of(ARMS),
    "folds": Column("folds recorded", whole),
    **dict.fromkeys(("loss before", "loss kept"), thousandths),
}
