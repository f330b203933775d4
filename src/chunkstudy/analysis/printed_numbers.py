"""Tables hold figures as they are printed; here they are numbers again."""

from __future__ import annotations

import pandas as pd


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table with every column of figures as numbers; words stay words."""
    found = table.copy()
    for name in found:
        try:
            found[name] = pd.to_numeric(found[name])
        except (ValueError, TypeError):
            continue
    return found
