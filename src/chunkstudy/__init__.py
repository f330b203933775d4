"""A reproducibility study of document chunking for retrieval.

``from chunkstudy import evaluate`` compares ways of chunking on documents of your own;
``from chunkstudy import Study`` is what the notebooks compute with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkstudy.commands.evaluate.evaluate import evaluate as evaluate
    from chunkstudy.show.study import Study as Study

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Both are imported when they are asked for, since that takes seconds."""
    if name == "evaluate":
        from chunkstudy.commands.evaluate.evaluate import evaluate

        return evaluate
    if name == "Study":
        from chunkstudy.show.study import Study

        return Study
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
