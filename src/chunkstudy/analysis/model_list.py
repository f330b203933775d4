"""The registered models and what late chunking asks of them, as a table."""

from __future__ import annotations

import pandas as pd

from chunkstudy.encoders import checklist


def table() -> pd.DataFrame:
    """A row per model; what nobody says is unknown. Which weights lie on this machine is left to
    the command, since a table is the same everywhere."""
    rows = [checklist.row(one) for one in checklist.every()]
    for row in rows:
        for length in ("tuned on", "pre-trained on"):
            row[length] = checklist.UNKNOWN if row[length] is None else f"{row[length]:,}"
    return pd.DataFrame(rows)
