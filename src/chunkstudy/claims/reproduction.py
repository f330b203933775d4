"""Whether published cells came out again, by the verdict that each has."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.verdicts import Outcome, counted, unanswered
from chunkstudy.render.display_names import shown


def reproduced(cells: pd.DataFrame, among: list[str]) -> Outcome:
    """Every published cell has one of these verdicts.

    A cell without a record leaves it open, unless another one is a counterexample.
    """
    done = cells[cells["verdict"] != "not_run"]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    figures = []
    if done["difference"].notna().any():
        furthest = done.iloc[int(done["difference"].abs().fillna(-1).argmax())]
        figures.append(
            f"furthest {shown('chunker', furthest['chunker'])}: published {furthest['published']}, "
            f"reproduced {furthest['reproduced']:.3f}"
        )
    if waiting := len(cells) - len(done):
        figures.append(f"{waiting} cells without a record")
    return counted(done["verdict"].isin(among).tolist(), "; ".join(figures), reasons(cells))


def reasons(cells: pd.DataFrame, most: int = 3) -> str:
    """Why cells have not been run, each reason once, and no more than ``most`` of them."""
    waiting = cells[cells["verdict"] == "not_run"]
    parts = waiting["reason"].astype(str).str.split("; ").explode()
    found = list(dict.fromkeys(parts.str.replace("^(needs |.* first [^ ]+: )", "", regex=True)))
    more = [f"{len(found) - most} more reasons in comparison.csv"] if len(found) > most else []
    return "; ".join(found[:most] + more)
