"""How the columns of the tables of claims are shown."""

from __future__ import annotations

import re

from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import MINUS, whole

NEGATIVE = re.compile(r"(?<![\w.)])-(?=\d)")
"""A hyphen that stands for a minus."""
COLUMNS: Columns = {
    "figures": lambda text: NEGATIVE.sub(MINUS, text),
    "reading": one_of({"plain": "as it stands"}),
    "run": Column("cells run", whole),
    "not_run": whole,
}
