"""A reproducibility study of document chunking for retrieval.

``load_collection``, ``chunk``, ``encode``, ``search``, ``score`` and ``compare`` are the steps of a
run, ``Study`` is the helper of the notebooks, and ``evaluate`` compares systems on your own
documents.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkstudy.notebook.study import Study as Study
    from chunkstudy.pipeline.engine import chunk as chunk
    from chunkstudy.pipeline.engine import compare as compare
    from chunkstudy.pipeline.engine import encode as encode
    from chunkstudy.pipeline.engine import load_collection as load_collection
    from chunkstudy.pipeline.engine import score as score
    from chunkstudy.pipeline.engine import search as search
    from chunkstudy.user_data.evaluate import evaluate as evaluate

__version__ = "0.2.0"

STEPS = ("load_collection", "chunk", "encode", "search", "score", "compare")
OFFERED = dict.fromkeys(STEPS, "chunkstudy.pipeline.engine") | {
    "Study": "chunkstudy.notebook.study",
    "evaluate": "chunkstudy.user_data.evaluate",
}
"""The module of each public name."""
OLD_NAMES = {"collection": "load_collection"}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, since that takes seconds."""
    if name in OLD_NAMES:
        new = OLD_NAMES[name]
        text = f"chunkstudy.{name} is now called chunkstudy.{new}"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        name = new
    if name in OFFERED:
        return getattr(import_module(OFFERED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
