"""Where a reader finds the table or figure that decides a claim."""

from __future__ import annotations

import pandas as pd

PAGES = {
    "chroma_appendix": "chroma_2_token_overlap",
    "chroma_collection": "chroma_1_corpora_and_queries",
    "chroma_generation": "chroma_1_corpora_and_queries",
    "chroma_main": "chroma_2_token_overlap",
    "chroma_measures": "chroma_2_token_overlap",
    "chroma_minilm": "chroma_2_token_overlap",
    "chroma_own": "chroma_2_token_overlap",
    "jina_first_post": "jina_1_late_chunking",
    "jina_second_post": "jina_2_boundaries_and_models",
    "taxonomy_arithmetic": "taxonomy_0_reproduction",
    "taxonomy_chunk_size": "taxonomy_rq4_chunk_size",
    "taxonomy_contextualized": "taxonomy_rq3_contextualized",
    "taxonomy_fiqa": "taxonomy_rq3_contextualized",
    "taxonomy_in_corpus": "taxonomy_rq1_in_corpus",
    "taxonomy_in_document": "taxonomy_rq2_in_document",
    "taxonomy_reproduction": "taxonomy_0_reproduction",
    "taxonomy_setup": "taxonomy_0_reproduction",
    "tutorial": "labels_1_precision_recall",
}
"""Module of computations to notebook."""


def with_pages(ledger: pd.DataFrame) -> pd.DataFrame:
    """The ledger with ``see``, a link to the notebook beside it that shows what decides a claim."""
    pages = ledger["computation"].str.split(".").str[0].map(PAGES)
    return ledger.assign(see=[f'<a href="{page}.ipynb">{page}</a>' for page in pages])
