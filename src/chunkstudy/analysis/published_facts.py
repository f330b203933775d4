"""Numbers that follow from the published tables alone and that a finding quotes.

A row is a named number. Everything is computed from the published cells of Jina's second post and
of *Beyond Chunk-Then-Embed*, Tables 1 to 5.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.published.sources import AVERAGE, IN_CORPUS

WITHOUT_EMPTY = ("nfcorpus", "scifact", "arguana", "scidocs")
"""Collections that hold no empty document."""
FITTING = ("nfcorpus", "scifact", "arguana")
"""Collections at hand whose documents mostly fit a window of 512 tokens."""
E5 = "intfloat/multilingual-e5-large-instruct"
TENTH_OF_A_POINT = 10
"""In the fourth decimal, the last that Tables 3 and 5 print."""


def table(cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of ``name, value``: fractions, counts and coefficients, unrounded."""
    taxonomy = cells[cells["work"] == "taxonomy"]
    found = dict(
        [
            *_reproduced(taxonomy),
            *_late(taxonomy),
        ]
    )
    return pd.DataFrame({"name": list(found), "value": list(map(float, found.values()))})


def _wide(cells: pd.DataFrame, number: str) -> pd.DataFrame:
    """Table 3, 4 or 5: (encoder, chunker) by collection, rows of averages left out."""
    part = cells[(cells["table"] == number) & (cells["chunker"] != AVERAGE)]
    return part.pivot(index=["encoder", "chunker"], columns="collection", values="value")


def _reproduced(cells: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Tables 1 and 2: what the paper reproduces of LumberChunker and of Jina."""
    first = cells[cells["table"] == "1"]
    first = first.pivot(index="chunker", columns="statistic", values="value")
    for name in ("original", "reproduced"):
        ordered = first[name].sort_values(ascending=False)
        yield f"lead of LumberChunker, {name}", ordered.iloc[0] - ordered.iloc[1]
    orders = stats.kendalltau(first["original"], first["reproduced"])
    yield "agreement of Table 1's orders", orders.statistic
    second = cells[cells["table"] == "2"]
    second = second.pivot(
        index=["collection", "chunker", "ordering"], columns="statistic", values="value"
    )
    gap = (second["reproduced"] - second["original"]).abs()
    yield "cells of Table 2", len(gap)
    yield "cells of Table 2 within a point", int((gap.round(6) <= 0.01).sum())
    yield "largest gap of Table 2", gap.max()


def _late(cells: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Tables 3 to 5: what late chunking changes."""
    plain, change, late = (_wide(cells, number) for number in ("3", "4", "5"))
    corpora = list(IN_CORPUS)
    yield "cells in corpora", plain[corpora].size
    yield "cells in corpora that gain", int((late[corpora] > plain[corpora]).to_numpy().sum())
    yield "cells within books", len(change)
    yield "cells within books that gain", int((change["gutenqa"] > 0).sum())
    moved = (late - plain).xs("paragraph", level="chunker")[corpora]
    fourth = (10_000 * moved).round().abs().to_numpy()
    yield "cells of paragraphs", fourth.size
    yield "cells of paragraphs equal as printed", int((fourth == 0).sum())
    yield "cells of paragraphs within a tenth of a point", int((fourth <= TENTH_OF_A_POINT).sum())
    four = list(WITHOUT_EMPTY)
    gains = pd.DataFrame(change.xs("semantic", level="chunker"))[four].mean(axis=1) / 100
    yield "smallest gain of semantic chunks over four collections", gains.min()
    yield "largest gain of semantic chunks over four collections", gains.max()
    fiqa = change.xs("semantic", level="chunker")["fiqa"] / 100
    yield "smallest loss of semantic chunks on FiQA", -fiqa.max()
    yield "largest loss of semantic chunks on FiQA", -fiqa.min()
    losses = change[list(FITTING)] < 0
    of_e5 = losses.loc[E5]
    yield "cells that fit E5's window", of_e5.size
    yield "cells that fit E5's window and lose", int(of_e5.to_numpy().sum())
    others = losses.drop(index=E5, level="encoder")
    yield "the same of other models", others.size
    yield "the same of other models that lose", int(np.asarray(others).sum())
