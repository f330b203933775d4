"""Scoring ranks as deep as ties run."""

from __future__ import annotations

import numpy as np
import pytest

from chunkstudy.grid import scoring
from chunkstudy.protocols import AS_PUBLISHED_JINA, CORRECTED, Protocol
from chunkstudy.spans import Collection, Document, Judgment, Query, chunk_documents


@pytest.mark.parametrize("protocol", [CORRECTED, AS_PUBLISHED_JINA])
@pytest.mark.parametrize("documents", [20, 400, 3000])
def test_ties_of_hundreds_of_documents_are_bounded_whole(
    protocol: Protocol, documents: int
) -> None:
    notices = tuple(Document(f"d{i:04}", "All rights reserved.") for i in range(documents))
    collection = Collection(
        "notices", notices, (Query("q", "Alli"),), (Judgment("q", "d0015", 0, 20, 1),)
    )
    chunks = chunk_documents(lambda text: [(0, len(text))], notices)
    same = np.ones((documents, 1), np.float32)
    scored = scoring.in_corpus(collection, chunks, (same[:1], same), protocol)
    value = scored.scores.set_index("measure")["value"]
    assert (value["nDCG@10"], value["R@10"], value["R@100"]) == (0, 0, 1)
    assert scored.tie_range["nDCG@10"] == (0, 1)
    assert scored.ties_at_cut == 1
