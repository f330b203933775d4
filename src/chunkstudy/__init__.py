"""A reproducibility study of document chunking for retrieval.

``collection``, ``chunk``, ``encode``, ``search``, ``score``, ``compare`` are the steps of one run,
``Study`` is what the notebooks compute with, and ``evaluate`` compares ways of chunking on
documents of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkstudy.notebook.study import Study as Study
    from chunkstudy.pipeline.steps import chunk as chunk
    from chunkstudy.pipeline.steps import collection as collection
    from chunkstudy.pipeline.steps import compare as compare
    from chunkstudy.pipeline.steps import encode as encode
    from chunkstudy.pipeline.steps import score as score
    from chunkstudy.pipeline.steps import search as search
    from chunkstudy.user_data.evaluate import evaluate as evaluate

__version__ = "0.2.0"

STEPS = ("collection", "chunk", "encode", "search", "score", "compare")
OFFERED = dict.fromkeys(STEPS, "chunkstudy.pipeline.steps") | {
    "Study": "chunkstudy.notebook.study",
    "evaluate": "chunkstudy.user_data.evaluate",
}
"""What the package offers, by the module that has it."""


def __getattr__(name: str) -> Any:
    """Imported when it is asked for, since that takes seconds."""
    if name in OFFERED:
        return getattr(import_module(OFFERED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
