"""What Chroma's report prints twice, and what its authors printed elsewhere."""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.places import Places

RERUN = "reruns/chroma_notebook.csv"
"""The table printed in the official repository's own notebook, notebook/Chroma_Research.ipynb at
d4f8cef, of the chunkers that the report's main table has with the same parameters. Its Precision
Omega is the report's, so the chunks are; the code reads the report's frozen vectors of the
questions (base_evaluation.py:363-380), so that only those of the chunks and the search are new."""
LARGE = "text-embedding-3-large"


def printed_twice(published: pd.DataFrame) -> pd.DataFrame:
    """The rows of text-embedding-3-large that the main table prints and the appendix again: five
    chunks, all corpora.

    Args:
        published: as ``Study.published`` gives it.

    Returns:
        A row a chunker and measure: both means and their difference, fractions, and the rank of
        the chunker among these rows in each.
    """
    own = published[
        published["encoder"].str.endswith(LARGE)
        & (published["part"] == "all")
        & (published["statistic"] == "mean")
    ]
    means = own.set_index(["chunker", "measure", "table"])["value"].unstack("table") / 100
    means = means.reindex(columns=["main", "appendix"]).dropna()
    ranks = means.groupby("measure").rank(ascending=False, method="min").astype(int)
    return means.assign(
        **{"appendix - main": means["appendix"] - means["main"]},
        **{f"rank in {name}": ranks[name] for name in means},
    ).reset_index()


def rerun(places: Places, published: pd.DataFrame) -> pd.DataFrame:
    """The main table as printed in the report and in the notebook of its authors' repository.

    Returns:
        A row a chunker: recall at five and Precision Omega of both, fractions.
    """
    second = pd.read_csv(places.published / RERUN).set_index("chunker")
    means = published[(published["table"] == "main") & (published["statistic"] == "mean")]
    report = means.pivot(index="chunker", columns="measure", values="value") / 100
    table = pd.DataFrame(index=second.index)
    for measure in ("SpanRecall@5", "PrecisionOmega"):
        table[f"{measure} report"] = report[measure]
        table[f"{measure} notebook"] = second[f"{measure} mean"]
        table[f"{measure} difference"] = second[f"{measure} mean"] - report[measure]
    return table.reset_index()
