"""The kinds of boundaries that signals are asked to tell, means over them, and what they show."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, NOT_SHOWN, SIGNIFICANT
from chunkstudy.evaluation.statistics.intervals import LEVEL
from chunkstudy.studies.boundary_signals import roc

KINDS = {
    ("built-in articles", "document"): "articles",
    ("built-in articles", "part"): "sections of articles",
    ("built-in chats", "document"): "chats",
    ("built-in chats", "part"): "turns of chats",
    ("chat logs", "part"): "turns of Chroma's chat logs",
    ("wikitexts", "part"): "sections of Chroma's wikitexts",
    ("Emma", "document"): "chapters of Emma",
}
"""The boundaries of each task, by text and kind. The four conversations in Chroma's chat logs and
the articles in its wikitexts are too few for an interval."""
SENTENCES, PARAGRAPHS = "ends of sentences", "ends of paragraphs"
MEAN, TOPICS, TURNS = "mean over all", "mean over ends of topics", "mean over turns"
OVER = {
    MEAN: tuple(KINDS.values()),
    TOPICS: tuple(name for name in KINDS.values() if not name.startswith("turns")),
    TURNS: tuple(name for name in KINDS.values() if name.startswith("turns")),
}
"""What each mean is over: where another speaker begins, the topic often stays."""
TEXT = {name: text for (text, _), name in KINDS.items()}
FEWEST = 10
"""Documents below which stretches between true boundaries are drawn."""
BOOTSTRAP = (
    "percentile bootstrap over documents, or over the stretches between boundaries where these "
    f"are fewer than {FEWEST}, {roc.RESAMPLES:,} resamples"
)
NORMAL = (
    "of means normal, from the errors of the jackknife over the same groups; those of two kinds in "
    "one text are taken to go together"
)


def means(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """The means over kinds of boundaries, each kind counting the same, with a normal interval; a
    mean of fewer than half of its kinds is left out.

    Args:
        table: a row per kind and signal, with ``value`` and its ``error``.
        value: the column to average.
    """
    keys = [one for one in ("form", "among") if one in table]
    rows = []
    for key, every in table.groupby([*keys, "signal"], sort=False):
        for over, kinds in OVER.items():
            of = every[every["boundaries"].isin(kinds)]
            if len(of) < len(kinds) / 2:
                continue
            middle = of[value].mean()
            # kinds of one text, which share it, as if they erred together; texts apart
            of_text = of["error"].groupby(of["boundaries"].map(TEXT)).sum()
            error = float(np.sqrt((of_text**2).sum())) / len(of)
            low, high = stats.norm.interval(LEVEL, middle, error)
            shift = roc.CHANCE if value == "area" else 0.0
            rows.append(
                {
                    **dict(zip([*keys, "signal"], key, strict=True)),
                    "boundaries": over,
                    "places": int(of["places"].sum()),
                    "true boundaries": int(of["true boundaries"].sum()),
                    value: middle,
                    "low": low,
                    "high": high,
                    "p": float(2 * stats.norm.sf(abs(middle - shift) / error)),
                    "error": error,
                }
            )
    return pd.DataFrame(rows)


def tested(rows: list[dict[str, object]], value: str, chance: float, family: str) -> pd.DataFrame:
    """The rows and their means over kinds of boundaries, with p corrected within each family, and
    what is shown in a word.

    A family is all signals and kinds of boundaries in one form and among one kind of candidates;
    their means are one of their own.
    """
    table = pd.DataFrame(rows)
    table = pd.concat([table, means(table, value)], ignore_index=True)
    mean = table["boundaries"].isin(list(OVER))
    named = mean.map({True: f"{family}, means", False: family})
    for part in [table[one] for one in ("form", "among") if one in table]:
        named = named + ", " + part
    families = table.assign(family=named).groupby("family", sort=False)["p"]
    holm = families.transform(statistics.holm)
    differs = holm < SIGNIFICANT
    words = np.select([differs & (table[value] > chance), differs], [HIGHER, LOWER], NOT_SHOWN)
    return table.drop(columns="error").assign(
        p_holm=holm,
        family=named,
        family_size=families.transform("count").astype(int),
        shown=words,
        interval=np.where(mean, NORMAL, BOOTSTRAP),
    )
