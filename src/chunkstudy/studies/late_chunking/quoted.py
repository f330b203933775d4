"""How the pages on late chunking keep what the paper quotes of them."""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.studies.late_chunking.cut_chunks import TRUNCATED, WHOLE
from chunkstudy.studies.late_chunking.heads import SHORTER
from chunkstudy.study.formats import estimate
from chunkstudy.study.study import Study


def quote(
    study: Study, name: str, rows: pd.DataFrame, outcome: str, count: bool = False, **keys: object
) -> None:
    """Keep a tested difference, in points with its interval; nothing where there is no such row,
    as with other parameters than the study's own.

    Args:
        study: the notebook's.
        name: by which the paper's text calls it.
        rows: comparisons.
        outcome: how its test ends, which the paper says.
        count: whether to keep too over how many questions it is, as ``name.n``.
        keys: of the row.

    Raises:
        StudyError: with the study's own parameters, if the test ends otherwise.
    """
    for _, row in (at(rows, **keys) if keys else rows).iterrows():
        study.number(name, estimate(row), holds=row["shown"] == outcome)
        if count:
            study.number(f"{name}.n", f"{row['n']:,.0f}")


def paper_table_within(study: Study, rows: pd.DataFrame) -> None:
    """The paper's table of gains over plain chunks of the same window."""
    study.paper_table(
        "within",
        rows,
        {"collection": "collection", "measure": "measure", "model": "model", "window": "window",
         "chunkers": "chunkers", "n": "questions", "difference": "late minus plain",
         "low": "95% interval", "p_holm": "p, Holm", "shown": "shown"},
        "Late minus plain chunking within one document, in points of DCG@10 and of recall of "
        "excerpts at five, by model and window; each question's mean over the chunkers that all "
        "models have. Intervals over questions, or over papers for COVID-QA; shown: paired t-test "
        "after Holm's correction within a model's windows.",
        span="appendix",
        once="collection",
        shorter=SHORTER,
    )  # fmt: skip


def paper_table_cut(study: Study, rows: pd.DataFrame) -> None:
    """The paper's table of answers in chunks that the window cuts and in chunks read whole."""
    study.paper_table(
        "cut",
        rows[rows["over"].isin([WHOLE, TRUNCATED])],
        {"over": "chunk", "window": "window", "n": "n", "difference": "gain",
         "low": "95% interval", "shown": "shown"},
        "Late minus plain chunking in points of DCG@10, all-MiniLM-L6-v2 within Chroma's corpora: "
        "questions whose answer lies in a chunk that the window cuts when it is embedded alone, "
        "and in a chunk that is read whole.",
        once="over",
        shorter={WHOLE: "read whole", TRUNCATED: "cut"},
    )  # fmt: skip
