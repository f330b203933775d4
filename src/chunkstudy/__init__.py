"""A reproducibility study of document chunking for retrieval.

``collection``, ``chunk``, ``encode``, ``search``, ``score``, ``compare`` are the steps of one run,
``Study`` is what the notebooks compute with, and ``evaluate`` compares ways of chunking on
documents of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkstudy.runs.steps import chunk as chunk
    from chunkstudy.runs.steps import collection as collection
    from chunkstudy.runs.steps import compare as compare
    from chunkstudy.runs.steps import encode as encode
    from chunkstudy.runs.steps import score as score
    from chunkstudy.runs.steps import search as search
    from chunkstudy.studies.own_documents.evaluate import evaluate as evaluate
    from chunkstudy.study.study import Study as Study

__version__ = "0.2.0"

STEPS = ("collection", "chunk", "encode", "search", "score", "compare")
OFFERED = dict.fromkeys(STEPS, "chunkstudy.runs.steps") | {
    "Study": "chunkstudy.study.study",
    "evaluate": "chunkstudy.studies.own_documents.evaluate",
}
"""What the package offers, by the module that has it."""


def __getattr__(name: str) -> Any:
    """Imported when it is asked for, since that takes seconds."""
    if name in OFFERED:
        return getattr(import_module(OFFERED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
