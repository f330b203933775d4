"""What a study's provenance says where a test writes the study's tables itself."""

from __future__ import annotations

from typing import Any

SHA = "0" * 64
MODEL = {
    "id": "letters",
    "revision": "0" * 40,
    "weights_sha256": SHA,
    "tokenizer_sha256": SHA,
    "window": 5,
    "pooling": "mean",
    "normalised": True,
    "dtype": "float32",
    "query_prefix": "",
    "document_prefix": "",
    "batch_rule": "one by one",
}


def made_by(**changed: Any) -> dict[str, Any]:
    return {
        "study": "labels",
        "question": "How many?",
        "origin": "run",
        "collections": {
            "small": {"sha256": SHA, "order_free_sha256": SHA, "documents": 1, "queries": 2}
        },
        "chunks": {"small/none": {"sha256": SHA, "chunks": 3}},
        "models": [MODEL],
        "sources": {},
        "packages": {"numpy": "2.0"},
        "python": "3.11",
        "platform": "Linux",
    } | changed
