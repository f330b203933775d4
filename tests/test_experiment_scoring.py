"""Scoring ranks as deep as ties run, and within documents as ranking by hand does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED, Protocol
from chunkstudy.base.spans import Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.runs import scoring


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
    value = scored.scores.loc["q"]
    assert (value["nDCG@10"], value["R@10"], value["R@100"]) == (0, 0, 1)
    assert scored.tie_range["nDCG@10"] == (0, 1)
    assert scored.ties_at_cut == 1


SIZE = 10
TWO = Collection(
    "corpora",
    (Document("a", "x" * 60), Document("b", "y" * 40)),
    (Query("0", "?"), Query("1", "?")),
    (Judgment("0", "a", 12, 24), Judgment("1", "b", 0, 10)),
).within_documents()


@given(st.integers(0, 1000))
def test_spans_within_the_own_document_are_scored_as_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    chunks = chunk_documents(
        lambda text: [(at, at + SIZE) for at in range(0, len(text), SIZE)], TWO.documents
    )
    vectors = random.normal(size=(len(chunks), 4)).astype(np.float32)
    asked = random.normal(size=(2, 4)).astype(np.float32)
    scored = scoring.in_document(TWO, chunks, (asked, vectors), CORRECTED, None, False)
    wide = scored.scores
    assert [name for name in map(str, wide) if not name.startswith("DCG")] == [
        "Ceiling(DCG@10)", "SpanRecall@5", "SpanPrecision@5", "SpanIoU@5",
    ]  # fmt: skip
    for row, (document, judged) in enumerate(((0, range(12, 24)), (1, range(10)))):
        order = np.argsort(-(asked @ vectors.T)[row])
        own = [i for i in order if chunks.document[i] == document]
        places = [set(range(chunks.start[i], chunks.end[i])) for i in own]
        rank = next(i for i, one in enumerate(places) if one & set(judged))
        found = wide.loc[str(row)]
        assert found["DCG@10"] == pytest.approx(1 / np.log2(rank + 2))
        assert found["DCG@1"] == float(rank == 0)
        read = set().union(*places[:5])
        hit = len(read & set(judged))
        assert found["SpanRecall@5"] == pytest.approx(hit / len(judged))
        assert found["SpanPrecision@5"] == pytest.approx(hit / len(read))
        assert found["SpanIoU@5"] == pytest.approx(hit / len(read | set(judged)))
