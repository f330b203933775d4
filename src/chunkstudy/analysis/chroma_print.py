"""What Chroma's printed cells can bear: how many come out, what is printed twice and differs, which
rows are mislabelled, and how far from print the authors' own second run lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from chunkstudy import statistics
from chunkstudy.grid.conditions import LARGE, MINILM, Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published.cells import Cell
from chunkstudy.published.side_by_side import compare
from chunkstudy.published.sources import TOKEN_WINDOWS, Source, chroma_minilm, source_of
from chunkstudy.published.verdicts import RUN

CLUSTERS = ("cluster-400", "cluster-250", "cluster-200")
RERUN = "reruns/chroma_notebook.csv"
"""The table printed in the official repository's own notebook, notebook/Chroma_Research.ipynb at
d4f8cef, of the chunkers that the report's main table has with the same parameters. Its precision
omega is the report's, so the chunks are; the code reads the report's frozen vectors of the
questions (base_evaluation.py:363-380), so that only those of the chunks and the search are new."""


def minilm_verdicts(comparison: pd.DataFrame) -> pd.DataFrame:
    """What became of the appendix' cells with all-MiniLM-L6-v2, by measure, row and corpus.

    Returns:
        By what they are grouped and which group: cells, how many are exact, within the spread of
        the published search and off, and how far those that are off lie from print, in the mean
        and at most, as fractions; last, all cells.
    """
    cells = comparison[(comparison["table"] == "appendix") & (comparison["encoder"] != LARGE)]
    cells = cells.assign(
        measure=cells["measure"].str.partition("@")[0],
        off=(cells["difference"].abs() / 100).where(cells["verdict"] == "deviates"),
    )
    rows = []
    for by in ("measure", "chunker", "part", "table"):
        for which, part in cells.groupby(by, sort=False):
            counts = {name: int((part["verdict"] == name).sum()) for name in RUN}
            rows.append(
                {"by": by, "which": which, "cells": len(part), **counts}
                | {"mean distance": part["off"].mean(), "largest distance": part["off"].max()}
            )
    return pd.DataFrame(rows)


def printed_twice(published: pd.DataFrame) -> pd.DataFrame:
    """The rows that the report prints in its main table and again in its appendix: five chunks, all
    corpora, text-embedding-3-large.

    Returns:
        A row per chunker and measure: both means and their difference, fractions, and the rank of
        the chunker among these rows in each.
    """
    chroma = published[(published["encoder"] == LARGE) & (published["part"] == "all")]
    chroma = chroma[chroma["statistic"] == "mean"]
    means = chroma.set_index(["chunker", "measure", "table"])["value"].unstack("table") / 100
    means = means.reindex(columns=["main", "appendix"]).dropna()
    ranks = means.groupby("measure").rank(ascending=False, method="min").astype(int)
    return means.assign(
        **{"appendix - main": means["appendix"] - means["main"]},
        **{f"rank in {name}": ranks[name] for name in means},
    ).reset_index()


def token_windows(places: Places, library: Library, cells: Sequence[Cell]) -> pd.DataFrame:
    """The rows of token windows with all-MiniLM-L6-v2 at the size that they state and at the one
    that gives their chunks.

    Returns:
        A row per published row and size: how many of its cells of Precision Omega and of its scores
        of retrieval are exact, and within the spread of the published search; and the recall of
        five chunks, all corpora: printed, by exact search, and over the runs of that search,
        fractions.
    """
    own = [c for c in cells if c.encoder != LARGE and c.chunker in TOKEN_WINDOWS]
    if not own:
        return pd.DataFrame()

    def stated(cell: Cell) -> Source:
        return replace(chroma_minilm(cell.chunker), chunker=cell.chunker)

    found = pd.concat([compare(places, library, own, one) for one in (stated, source_of)])
    found["windows"] = found["run"].str.split("/").str[1]
    rows = []
    for (row, windows), part in found.groupby(["chunker", "windows"], sort=False):
        appendix = part[part["table"] == "appendix"]
        scores = appendix[appendix["of_retrieval"]]
        omega = appendix[~appendix["of_retrieval"]]
        recall = part[(part["table"] == "minilm") & (part["statistic"] == "mean")].iloc[0]
        rows.append(
            {
                "row": row,
                "windows": windows,
                "cells of precision omega": len(omega),
                "of these exact": int((omega["verdict"] == "exact").sum()),
                "scores of retrieval": len(scores),
                "exact": int((scores["verdict"] == "exact").sum()),
                "within_stack": int((scores["verdict"] == "within_stack").sum()),
                "published": recall["value"] / 100,
                "reproduced": recall["reproduced"] / 100,
                "search least": recall["stack_low"] / 100,
                "search most": recall["stack_high"] / 100,
            }
        )
    table = pd.DataFrame(rows)
    wider = table[table["row"] != table["windows"]].set_index("row")["reproduced"]
    table["against the windows found"] = table["reproduced"] - table["row"].map(wider)
    return table


def cluster_sizes(library: Library, published: pd.DataFrame) -> pd.DataFrame:
    """Mean sizes of clustered chunks beside the sizes that the MiniLM table prints for them.

    The recursive rows of that table are printed in WordPiece tokens with the two special ones,
    truncated. Precision, which falls as chunks grow, tells whose scores a row has.

    Args:
        library: the records.
        published: every published cell.
    """
    cells = published[(published["encoder"] != LARGE) & (published["work"] == "chroma")]
    cells = cells[(cells["part"] == "all") & (cells["statistic"] == "mean")]
    printed = cells.drop_duplicates(["chunker", "measure"]).set_index(["chunker", "measure"])
    rows = []
    for chunker in CLUSTERS:
        record = library.get(
            Condition("chroma", chunker, MINILM, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)
        )
        if record is None:
            continue
        sizes = record.run.sizes
        size = printed["published"].get((chunker, "chunk size"), "")
        rows.append(
            {
                "chunker": chunker,
                "published size": size,
                "size in cl100k": sizes["cl100k"].mean,
                "size in WordPiece with special tokens": sizes["wordpiece"].mean + 2,
                **{
                    f"{name} {whose}": value
                    for name in ("SpanPrecision@5", "PrecisionOmega")
                    for whose, value in (
                        ("published", printed["value"].get((chunker, name), math.nan) / 100),
                        ("reproduced", statistics.mean(library.values(record, name))),
                    )
                },
            }
        )
    return pd.DataFrame(rows)


def rerun(places: Places, published: pd.DataFrame) -> pd.DataFrame:
    """Chroma's main table as printed in the report and in the notebook of its own repository.

    Args:
        places: of the notebook's table.
        published: every published cell.

    Returns:
        A row per chunker: recall at five and precision omega of both, fractions.
    """
    path = places.published / RERUN
    if not path.exists():
        return pd.DataFrame()
    second = pd.read_csv(path).set_index("chunker")
    cells = published[
        (published["work"] == "chroma")
        & (published["table"] == "main")
        & (published["statistic"] == "mean")
    ]
    printed = cells.pivot(index="chunker", columns="measure", values="value") / 100
    table = pd.DataFrame(index=second.index)
    for measure in ("SpanRecall@5", "SpanPrecision@5", "PrecisionOmega"):
        table[f"{measure} report"] = printed[measure]
        table[f"{measure} notebook"] = second[f"{measure} mean"]
        table[f"{measure} difference"] = second[f"{measure} mean"] - printed[measure]
    return table.assign(place=second["place"]).reset_index()
