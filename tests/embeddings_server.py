"""The faults of an embeddings API that tests try, beside the API."""

from __future__ import annotations

from chunkstudy.rehearsal.embeddings_api import Handler, State, encoded, reply, serving, vector
from chunkstudy.rehearsal.loopback import (
    Fault,
    answer,
    changed,
    cut_body,
    cut_json,
    dropped,
    status,
)

__all__ = [
    "Fault",
    "Handler",
    "State",
    "answer",
    "changed",
    "cut_body",
    "cut_json",
    "dropped",
    "encoded",
    "reply",
    "serving",
    "status",
    "vector",
]
