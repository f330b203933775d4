"""Whether the printed tables of Jina and of the taxonomy agree with each other.

Each check names what must be equal, where both stand (S1, S2, S4 and the lines of the source), and
how far the worst cell is off.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.audit_check import Check, Printed
from chunkstudy.published.audit_marks import mark_checks
from chunkstudy.published.audit_tables import table_checks


def audit(cells: pd.DataFrame) -> pd.DataFrame:
    """Every check and its outcome, a row each.

    Args:
        cells: published cells, as ``published.read_published`` gives them.
    """
    printed = Printed(cells)
    return pd.DataFrame([one.row() for one in every_check(printed)])


def every_check(printed: Printed) -> list[Check]:
    """Tables against tables and marks against scores."""
    return [*table_checks(printed), *mark_checks(printed)]
