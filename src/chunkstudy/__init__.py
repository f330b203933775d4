"""A reproducibility study of document chunking for retrieval.

``from chunkstudy import evaluate`` compares ways of chunking on documents of your own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkstudy.own.evaluate import evaluate as evaluate

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """``evaluate`` is imported when it is asked for, since it takes seconds."""
    if name == "evaluate":
        from chunkstudy.own.evaluate import evaluate

        return evaluate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
