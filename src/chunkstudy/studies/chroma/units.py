"""What Chroma's report prints twice, what its authors printed elsewhere, and in which units the
report counts: the sizes of chunks, and the overlap that is scored."""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.conditions import MINILM, NONE, Condition
from chunkstudy.runs.grids import MINILM_SIZES
from chunkstudy.runs.library import Library
from chunkstudy.runs.names import PRE_EMBEDDING, parse_chunker

COLLECTION = "chroma"
LENGTHS = ("cl100k", "wordpiece", "wordpiece-special")
MEASURES = ("SpanRecall@5", "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5", "SpanRecall@Min")
OF_CHUNKS = "PrecisionOmega"
"""Needs no ranking, so that chunks which no model draws are compared once."""


def lengths(places: Places, published: pd.DataFrame) -> pd.DataFrame:
    """Which length function and unit give the chunk sizes of the table of all-MiniLM-L6-v2, and its
    recall; a row a recursive chunker and length function, recall in fractions.

    Args:
        published: that table, as ``Study.published`` gives it.
    """
    library, protocol = Library(places), AS_PUBLISHED_CHROMA.name
    means = published[published["statistic"] == "mean"]
    cells = means.set_index(["chunker", "measure"])["value"]
    rows = []
    for name in (f"recursive-{size}" for size in MINILM_SIZES):
        for length in LENGTHS:
            slug = name + ("" if length == "cl100k" else f"-{length}")
            free = library.get(Condition(COLLECTION, slug, NONE, NONE, protocol))
            scored = library.get(Condition(COLLECTION, slug, MINILM, PRE_EMBEDDING, protocol))
            if free is None:
                continue
            sizes, recall = free.run.sizes, cells[name, "SpanRecall@5"] / 100
            row: dict[str, object] = {
                "chunker": name,
                "length function": length,
                "chunks": free.run.counts.chunks,
                "published size": cells[name, "chunk size"],
                "size in cl100k": sizes["cl100k"].mean,
                "size in WordPiece": sizes["wordpiece"].mean,
                "size in WordPiece with special tokens": sizes["wordpiece"].mean + 2,
                "published recall": recall,
            }
            if scored is not None:
                own = statistics.mean(library.values(scored, "SpanRecall@5"))
                row |= {"reproduced recall": own, "difference": own - recall}
            rows.append(row)
    return pd.DataFrame(rows)


def token_unit(places: Places) -> pd.DataFrame:
    """Scores that count characters minus those that count true cl100k tokens, question by question,
    of every record under the corrected protocol; corrected within a measure and encoder."""
    library, pairs = Library(places), []
    for condition in library:
        record = library.get(condition)
        if (condition.collection, condition.protocol) != (COLLECTION, CORRECTED.name) or not record:
            continue
        drawn = parse_chunker(condition.chunker).needs_encoder
        for measure in MEASURES:
            if measure == OF_CHUNKS and condition.encoder != NONE and not drawn:
                continue
            name, at, cut = measure.partition("@")
            in_tokens = f"{name}(unit=token){at}{cut}"
            if measure not in record.wide or in_tokens not in record.wide:
                continue
            keys = {one: getattr(condition, one) for one in ("chunker", "encoder", "ordering")}
            both = record.wide[measure], record.wide[in_tokens]
            pairs.append(Pair(keys | {"measure": measure}, *both))

    family = "characters against tokens, {measure}, {encoder}"
    return differences(pairs, family, "characters", "tokens")


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
