"""What the generation of questions brought, from the study of generated questions."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show import drawing
from chunkstudy.show.columns import Columns
from chunkstudy.show.formats import number, tenths, whole
from chunkstudy.show.similarities import similarities
from chunkstudy.studies.generated_questions.filters import ALIKE, LEAST, MOST, UNLIKE
from chunkstudy.studies.generated_questions.replies import REASONS

ACCEPTED = "accepted"
SIMILARITIES = ("least similar excerpt", "most similar earlier question")
COLUMNS: Columns = {
    **dict.fromkeys(
        ("published threshold", "reached by 95%", "95% of questions below", *SIMILARITIES,
         "least similar excerpt, from", "to"), number),
    **dict.fromkeys(("tokens in, a request", "tokens out, a request", "seconds a request"), tenths),
    "shared": lambda share: f"{whole(100 * share)}%",
}  # fmt: skip


def outcomes(requests: pd.DataFrame) -> pd.DataFrame:
    """How many replies were accepted, and how many rejected for each reason; a column per origin of
    the replies."""
    said = requests.assign(outcome=requests["rejected"].replace("", ACCEPTED))
    counts = pd.crosstab(said["outcome"], said["replies"])
    order = [name for name in (ACCEPTED, *REASONS) if name in counts.index]
    origins = list(dict.fromkeys(requests["replies"]))
    return counts.loc[order, origins].reset_index().rename_axis(columns=None)


def cost(requests: pd.DataFrame) -> pd.DataFrame:
    """Requests, tokens and seconds by origin of the replies."""
    by = requests.groupby("replies", sort=False)
    return pd.DataFrame(
        {
            "requests": by.size(),
            "questions": by["rejected"].agg(lambda why: int((why == "").sum())),
            "tokens in, a request": by["input tokens"].mean(),
            "tokens out, a request": by["output tokens"].mean(),
            "seconds a request": by["seconds"].mean(),
        }
    ).reset_index()


def filtered(candidates: pd.DataFrame) -> pd.DataFrame:
    """What the filters did with questions of each kind, as their author meant them."""
    unlike, alike, kept = (candidates["dropped"] == one for one in (UNLIKE, ALIKE, ""))
    by = candidates.assign(unlike=unlike, alike=alike, kept=kept).groupby(
        ["replies", "meant"], sort=False
    )
    return by.agg(
        **{
            "questions": ("kept", "size"),
            "dropped: unlike an excerpt": ("unlike", "sum"),
            "dropped: like an earlier one": ("alike", "sum"),
            "kept": ("kept", "sum"),
            "least similar excerpt, from": ("least similar excerpt", "min"),
            "to": ("least similar excerpt", "max"),
        }
    ).reset_index()


@drawing.style()
def figure_similarities(released: pd.DataFrame) -> Figure:
    """How similar Chroma's questions are to their excerpts and to each other, corpus by corpus."""
    excerpt, earlier = SIMILARITIES
    groups = {
        display_names.COLLECTIONS[str(part)]: (of[excerpt].to_numpy(), of[earlier].to_numpy())
        for part, of in released.groupby("part", sort=False)
    }
    return similarities(groups, LEAST, MOST, "all-MiniLM-L6-v2")
