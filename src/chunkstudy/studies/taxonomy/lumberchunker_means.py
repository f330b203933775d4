"""What did LumberChunker's authors measure over all 100 books of GutenQA?"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd

from chunkstudy.base.sources import SourceFile
from chunkstudy.runs.study_runs import Context

NAME = "lumberchunker-means"
COLLECTIONS: tuple[str, ...] = ()
FILE = SourceFile(
    "gutenqa_emma/published_results.json",
    "",
    "1a401b437300888f3ec89342474a7919b984a13f8f55b5e292d233b45cc5db87",
)
NAMES = {
    "Paragraph": "paragraph",
    "Semantic": "semantic",
    "Propositions": "proposition",
    "LumberChunker": "lumberchunker",
    "Recursive (LangChain)": "recursive",
    "HyDE": "hyde",
}
"""The notebook's names, and ours."""


def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``means``: DCG@10 of the authors' notebook, with text-embedding-ada-002."""
    published = json.loads(context.file(FILE).read_text(encoding="utf-8"))
    table = published["mean_dcg_over_100_books_ada002"]
    row = next(row for row in table["rows"] if row[0] == 10)
    found = dict(zip(table["columns"], row, strict=True))
    rows = [{"chunker": slug, "DCG@10": float(found[name])} for name, slug in NAMES.items()]
    return {"means": pd.DataFrame(rows)}
