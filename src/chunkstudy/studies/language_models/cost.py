"""What asking a language model costs beside chunkers that ask nobody: dollars, and time.

Dollars are estimates from dated prices; what a model thinks before it answers is not counted.
Documents a second are measured on one core; those of hosted models stand as printed, since nothing
here could give them again.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.llm.prices import PRICES
from chunkstudy.published.sources import published_grid
from chunkstudy.runs.estimate import segmentations


def prices(places: Places) -> pd.DataFrame:
    """A row per collection whose boundaries a work let a language model draw, and per method."""
    rows = []
    for collection, chunker, model, estimate, basis in segmentations(
        published_grid(places), places
    ):
        name = model.partition("/")[2]
        row: dict[str, object] = {"collection": collection, "chunker": chunker}
        row["language model"] = name
        if estimate is not None:
            row |= {
                "requests": estimate.requests,
                "million tokens in": estimate.input_tokens / 1e6,
                "million tokens out": estimate.output_tokens / 1e6,
                "US dollars": estimate.dollars,
                "price as of": PRICES[name].date,
            }
        rows.append(row | {"basis": basis})
    return pd.DataFrame(rows).sort_values(["chunker", "collection"], ignore_index=True)


def speeds(places: Places, measured: pd.DataFrame) -> pd.DataFrame:
    """A row per chunker: documents and tokens a second as measured, and documents a second as the
    taxonomy prints them. A speed hangs on the machine and on who is asked: it is no published cell
    and gets no verdict.

    Args:
        measured: of the study ``chunking-speed``.
    """
    rows = pd.read_csv(places.published / "speeds" / "taxonomy.csv", thousands=",")
    printed = rows.set_index("chunker")["published"].astype(float).rename("printed a second")
    own = measured.set_index("chunker")
    table = own[["collection", "documents"]].rename(columns={"collection": "measured on"})
    for unit in ("documents", "tokens"):
        table[f"{unit} a second"] = own[unit] / own["seconds"]
    order = pd.Index(dict.fromkeys([*table.index, *printed.index]), name="chunker")
    return table.reindex(order).join(printed).reset_index()
