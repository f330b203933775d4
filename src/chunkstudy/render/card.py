"""What a page opens with, behind its answers: which published sentences it judges, published beside
ours, and whether they agree."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from IPython.display import HTML

from chunkstudy.places import Places
from chunkstudy.render import notebook
from chunkstudy.render.readme import CLAIM_VERDICTS

COLUMNS = ("published", "ours", "agrees?")


def judged(places: Places, page: str) -> HTML:
    """The published sentences whose verdict rests on this page, folded behind their count.

    Args:
        places: the checkout.
        page: the notebook's name without its ending.

    Returns:
        A line that counts the strict verdicts, to be opened; in it a row per sentence. A sentence
        that is read in two ways has both figures and both verdicts, the strict ones first.
    """
    claims = notebook.read(places, "claims")
    claims = claims[claims["page"] == page]
    if claims.empty:
        return HTML("")
    table = pd.DataFrame([_row(one) for _, one in claims.groupby("id", sort=False)])
    strict = Counter(claims.drop_duplicates("id")["verdict"])
    counts = ", ".join(f"{name} {strict[name]}" for name in CLAIM_VERDICTS if strict[name])
    head = f"Published sentences judged on this page, read strictly: {counts}"
    return HTML(f"<details><summary>{head}</summary>{notebook.html(table)}</details>")


def _row(readings: pd.DataFrame) -> dict[str, str]:
    """Open readings have no figures; what would close them stands on the page of all claims."""
    claim = readings.iloc[0]
    figures = dict.fromkeys(readings["figures"].dropna())
    verdicts = dict.fromkeys(readings["verdict"])
    cells = (f"{claim['claim']} ({claim['source']})", " / ".join(figures), " / ".join(verdicts))
    return dict(zip(COLUMNS, cells, strict=True))
