"""What Chroma's own search, run again, explains of its published numbers, and what it leaves.

The official code searches a graph that is built in another order in every process. The experiment
``chroma-search`` built it 20 times for every row, and scored what it found by the offsets at which
the official code locates chunks and by true ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.published.verdicts import OFFICIAL
from chunkstudy.show.formats import Column, points_finely
from chunkstudy.show.scores import Scores

KEYS = ["chunker", "part", "measure", "statistic"]
RECALL = "SpanRecall@5"
SHOWN = {
    "mean": Column("mean, points", points_finely),
    "off by": Column("off by, points", points_finely),
}
"""Titles and units of columns whose names do not say them."""
IN_THE_PAPER: dict[str, Any] = {
    "heads": {
        "chunker": "chunker",
        "published": "published",
        "as published": "exact search",
        "search least": "published search",
        "corrected": "corrected",
    },
    "caption": (
        "Recall of excerpts at five chunks in percent, Chroma's table of all-MiniLM-L6-v2, "
        r"\val{collections/questions} questions: as published, as exact search gives it under the "
        "official rules, the range of the published search over 20 runs, and with corrected rules. "
        "Sizes are in tokens."
    ),
    "shorter": {", WordPiece with special tokens": "", " tokens": ""},
}
"""How the paper sets the table of recalls."""
HALF = 0.05
"""Half of the last printed digit, in points: nearer to the published value than this is at it."""


def unexplained(found: pd.DataFrame) -> pd.DataFrame:
    """The numbers that neither exact search nor any run of the published one gives, fractions.

    Args:
        found: as ``Study.beside`` gives it.
    """
    own = found[(found["verdict"] == "deviates") & found["stack_low"].notna()]
    published, exact = own["published"].astype(float) / 100, own["reproduced"] / 100
    table = own[KEYS].assign(**{"published": published, "exact search": exact})
    return table.assign(
        **{
            "search least": own["stack_low"] / 100,
            "search most": own["stack_high"] / 100,
            "off by": exact - published,
        }
    )


def one_question_of_pubmed(left: pd.DataFrame) -> bool:
    """Whether what is left is of one chunker on PubMed, off by what one of 99 questions weighs."""
    one = set(left["part"]) == {"pubmed"} and left["chunker"].nunique() == 1
    return one and bool(left["off by"].max() < 1 / 98 + 0.0005)


def recalls(found: pd.DataFrame, spread: pd.DataFrame, corrected: pd.DataFrame) -> pd.DataFrame:
    """The published mean recalls at five beside exact search, the published search with the
    official offsets and with true ones, and the corrected protocol; a row a chunker, fractions.

    Args:
        found: as ``Study.beside`` gives it.
        spread: of the experiment.
        corrected: ``Scores.summary`` of the same chunkers under the corrected protocol.
    """
    own = found[_recalls(found)].set_index("chunker")
    where = dict(zip(KEYS[1:], ("all", RECALL, "mean"), strict=True))
    official, true = (
        at(spread, **OFFICIAL | where | {"offsets": one}).set_index("chunker")
        for one in ("located", "true")
    )
    means = at(corrected, **where).set_index("chunker")
    table = pd.DataFrame(
        {
            "published": own["published"].astype(float) / 100,
            "as published": own["reproduced"] / 100,
            "search least": official["low"],
            "search mean": official["mean"],
            "search most": official["high"],
            "true offsets": true["mean"],
            "corrected": means["value"],
        },
        index=own.index,
    )
    return table.rename_axis("chunker").reset_index()


def sides(table: pd.DataFrame) -> pd.DataFrame:
    """Whether the recalls lie to one side of the published ones: by how many rows, by how much on
    average, and how likely that is if either side were as likely (exact sign test).

    Args:
        table: as :func:`recalls` gives it.
    """
    shown = ("as published", "search mean", "true offsets", "corrected")
    rows = []
    for name in shown:
        shift = 100 * (table[name] - table["published"])
        above, below = int((shift > HALF).sum()), int((shift < -HALF).sum())
        p = stats.binomtest(above, above + below).pvalue if above + below else 1.0
        rows.append(
            {
                "recall by": name,
                "above": above,
                "below": below,
                "mean": float(shift.mean()) / 100,
                "p": float(p),
            }
        )
    return pd.DataFrame(rows)


def reach(scores: Scores, table: pd.DataFrame) -> float:
    """How far below our mean over all rows the 95% interval of other questions ends, in points:
    what a published mean may be off by and still lie inside."""
    wide = scores.frame.pivot(index="query_id", columns="chunker", values=scores.measures[0])
    mean = wide[table["chunker"]].mean(axis=1)
    return 100 * float(mean.mean() - statistics.bootstrap_interval(mean).low)


def _recalls(found: pd.DataFrame) -> NDArray[np.bool_]:
    """The mean recalls over all corpora."""
    return (
        (found["part"] == "all") & (found["measure"] == RECALL) & (found["statistic"] == "mean")
    ).to_numpy()
