"""Everything in ``paper/generated`` that only the paper reads: its numbers and its tables."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.paper import layouts, macros, statements
from chunkstudy.render import findings


def every(made: Mapping[str, pd.DataFrame], answered: Mapping[str, str]) -> dict[str, str]:
    """LaTeX by file name.

    Args:
        made: all derived tables, ``claims`` and ``comparison`` among them.
        answered: numbers that notebooks kept, by name.

    Raises:
        StatementError: if a sentence of the paper no longer holds.
        LayoutError: if a table of the paper lacks rows.
    """
    numbers = {**answered, **statements.settle(statements.read(), findings.read(), dict(made))}
    laid_out = layouts.every(layouts.read(), dict(made), numbers)
    return {macros.NAME: macros.text(numbers)} | laid_out
