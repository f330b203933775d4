"""Time and memory of ranking documents by their best chunk, and of scoring that ranking.

Run ``python -m tests.benchmarks.ranking``: random vectors at the size of SciFact (5,183 documents,
300 queries) under a chunker that makes 30,000 chunks, so no model and no data are needed.
"""

from __future__ import annotations

import numpy as np

from chunkstudy.base.spans import Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.ranking import per_query
from chunkstudy.evaluation.retrieval.documents import DocumentRanking, search_documents
from tests.benchmarks.scoring import report

DOCUMENTS, CHUNKS, DIMENSIONS, DEPTH = 5_183, 30_000, 384, 100
QUERIES = 300


def main() -> None:
    """Print seconds and peak megabytes for two numbers of queries, beside the whole matrix."""
    for queries in (QUERIES, 4 * QUERIES):
        compare(queries)


def compare(number: int) -> None:
    """Rank and score for this many queries."""
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((CHUNKS, DIMENSIONS), dtype=np.float32)
    chunk_document = np.sort(generator.integers(0, DOCUMENTS, CHUNKS))
    queries = generator.standard_normal((number, DIMENSIONS), dtype=np.float32)
    documents = tuple(Document(f"{i:04d}", "text") for i in range(DOCUMENTS))
    collection = Collection(
        "random",
        documents,
        tuple(Query(str(i), "") for i in range(number)),
        tuple(
            Judgment(str(i), documents[d].id, 0, 4)
            for i, d in enumerate(generator.integers(0, DOCUMENTS, number))
        ),
    )

    def rank() -> DocumentRanking:
        return search_documents(queries, vectors, chunk_document, DEPTH)

    ranking = rank()
    whole = number * CHUNKS * 4 / 1e6
    print(f"{number} queries, {CHUNKS} chunks (all scores at once: {whole:.0f} MB)")
    report("search and nDCG@10", lambda: per_query(collection, rank(), ("nDCG@10",)), 3)
    report("of that nDCG@10", lambda: per_query(collection, ranking, ("nDCG@10",)), 3)


if __name__ == "__main__":
    main()
