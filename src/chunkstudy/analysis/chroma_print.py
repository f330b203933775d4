"""What Chroma's printed cells can bear: how weak a surviving digit is, and how far from print the
authors' own second run lies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy import statistics
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published.cells import Cell
from chunkstudy.published.verdicts import consistent, mean_beside

CLUSTERS = ("cluster-400", "cluster-250", "cluster-200")
RERUN = "reruns/chroma_notebook.csv"
"""The table printed in the official repository's own notebook, notebook/Chroma_Research.ipynb at
d4f8cef, of the chunkers that the report's main table has with the same parameters. Its precision
omega is the report's, so the chunks are; the code reads the report's frozen vectors of the
questions (base_evaluation.py:363-380), so that only those of the chunks and the search are new."""


def leading_digits(comparison: pd.DataFrame, cells: Sequence[Cell]) -> pd.DataFrame:
    """How often another row's result would be consistent with a cell too.

    For every consistent cell the results of the other chunkers in the same place (table, corpus,
    measure, statistic, model) are put to the same test.

    Args:
        comparison: a row per cell, in their order.
        cells: every published cell.

    Returns:
        A row per table and kind of cell, and one for all: consistent cells, comparisons with
        another row's result, and the share of these that pass.
    """
    known = {cell.key: cell for cell in cells}
    place = ["work", "table", "collection", "encoder", "part", "measure", "statistic"]
    run = comparison[comparison["verdict"] != "not_run"]
    others = {key: group["reproduced"] for key, group in run.groupby(place)}
    found = []
    for at in run.index[run["verdict"] == "consistent"]:
        cell = cells[at]
        key = tuple(getattr(cell, name) for name in place)
        passed = [
            consistent(cell, value, mean_beside(cell, known))
            for index, value in others[key].items()
            if index != at
        ]
        kind = cell.measure.partition("@")[0]
        found.append((cell.table, kind, cell.statistic, len(passed), sum(passed)))
    columns = ["table", "measure", "statistic", "others", "pass"]
    rows = pd.DataFrame(found, columns=columns)
    keys = columns[:3]
    table = rows.groupby(keys, sort=False).agg(
        cells=("others", "size"), others=("others", "sum"), **{"pass": ("pass", "sum")}
    )
    table.loc[("all", "", ""), :] = table.sum()
    table["share"] = table["pass"] / table["others"]
    return table.reset_index().astype({"cells": int, "others": int, "pass": int})


def cluster_sizes(library: Library, published: pd.DataFrame) -> pd.DataFrame:
    """Mean sizes of clustered chunks beside the sizes that the MiniLM table prints for them.

    The recursive rows of that table are printed in WordPiece tokens with the two special ones,
    truncated. Precision at five, which falls as chunks grow, tells whose scores a row has.

    Args:
        library: the records.
        published: every published cell.
    """
    cells = published[(published["work"] == "chroma") & (published["table"] == "minilm")]
    printed = cells[cells["statistic"] == "mean"].set_index(["chunker", "measure"])["published"]
    rows = []
    for chunker in CLUSTERS:
        record = library.get(
            Condition("chroma", chunker, MINILM, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)
        )
        if record is None:
            continue
        sizes = record.run.sizes
        digit = printed.get((chunker, "SpanPrecision@5"), "")
        rows.append(
            {
                "chunker": chunker,
                "published size": printed.get((chunker, "chunk size"), ""),
                "size in cl100k": sizes["cl100k"].mean,
                "size in WordPiece with special tokens": sizes["wordpiece"].mean + 2,
                "published precision": f"{digit}…" if digit else "",
                "precision": statistics.mean(library.values(record, "SpanPrecision@5")),
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
