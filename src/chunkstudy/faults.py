"""What is wrong with data that a schema refused, in the words of its first fault."""

from __future__ import annotations

from pydantic import ValidationError


def first_fault(error: ValidationError) -> tuple[str, str]:
    """Where it lies, the names on the way joined by dots (empty: the whole), and what it is."""
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
