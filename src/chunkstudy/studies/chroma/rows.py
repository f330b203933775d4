"""The rows of the report's table with all-MiniLM-L6-v2."""

from __future__ import annotations

MINILM_ROWS = (
    "recursive-250-125",
    "token-250-125",
    "recursive-250-0",
    "token-250-0",
    "recursive-200-0",
    "token-200-0",
    "cluster-250",
    "cluster-200",
)
