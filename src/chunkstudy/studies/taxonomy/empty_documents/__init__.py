"""Can empty documents explain why late chunking loses with semantic chunks on FiQA?

The taxonomy's code guards nowhere against a document without text: LlamaIndex makes an empty chunk
of it, the late encoder a zero vector, cosine similarity 0/0, and pytrec_eval gets a NaN to sort by.
``chain`` runs each of these steps by itself, which steps.csv names; ``chunkers`` says what every
method of the paper makes of an empty document; ``draws`` puts empty documents into real rankings;
``draft`` holds what an earlier draft of the paper printed for FiQA.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from chunkstudy.runs.grids import BEIR_AT_HAND
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.taxonomy.empty_documents import chain, simulation

NAME = "empty-documents"
COLLECTIONS = BEIR_AT_HAND
PACKAGES = ("beir", "llama-index-core", "pandas", "pytrec_eval-terrier")
DRAFT = Path(__file__).with_name("draft.csv")
"""nDCG@10 on FiQA in the draft of October 2025, typed from its source: paper/sections/results.tex
of ielab/Reproduce-chunking-2026 at 1041fcb, both tables."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``chain``, ``chunkers``, ``draws`` and ``draft``."""
    return {
        "chain": chain.steps(context),
        "chunkers": chain.chunkers(),
        "draws": simulation.draws(context, collections),
        "draft": pd.read_csv(context.read(DRAFT), dtype={"encoder": str, "chunker": str}),
    }
