"""The identity of a user's chunking function: its name and a digest of its code."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, partial
from types import CodeType
from typing import Any

from chunkstudy.chunkers.table import ChunkerEntry
from chunkstudy.core.errors import ChunkerError
from chunkstudy.core.spans import Span
from chunkstudy.pipeline.conditions import ChunkerSpec, Condition

ADDRESS = re.compile(r" at 0x[0-9a-f]+")
DIGITS = 8
"""Hexadecimal digits of the digest in a slug."""


def _not_by_name(_: str) -> list[Span]:
    raise ChunkerError("a function of yours is called by itself, not looked up by its name")


ENTRY = ChunkerEntry(_not_by_name, "Your function")


class FunctionSpec(ChunkerSpec):
    """A user's function in place of a chunker of the catalogue; ``name`` is its slug."""

    def __str__(self) -> str:
        return self.name

    @property
    def entry(self) -> ChunkerEntry:
        return ENTRY


class FunctionCondition(Condition):
    """A condition whose chunker is a user's function; nothing of it is stored."""

    @cached_property
    def chunking(self) -> ChunkerSpec:
        return FunctionSpec(self.chunker)


def name_of(function: Any) -> str:
    """Return a function's name, or the name of its class."""
    name = getattr(function, "__name__", type(function).__name__)
    return "your function" if name == "<lambda>" else name


def slug(function: Any) -> str:
    """Return a function's identity, for example ``function:split-1a2b3c4d``.

    Two functions share it if name, code, defaults and enclosed values are equal; two objects if
    their class and their attributes are.
    """
    name = re.sub(r"[^A-Za-z0-9_.]+", "-", name_of(function)).strip("-") or "unnamed"
    digest = hashlib.sha256("\0".join(_parts(function)).encode("utf-8", "replace"))
    return f"function:{name}-{digest.hexdigest()[:DIGITS]}"


def _parts(function: Any) -> Iterator[str]:
    """Yield the texts that tell two functions apart."""
    if isinstance(function, partial):
        yield _text((function.args, function.keywords))
        yield from _parts(function.func)
        return
    owner = function if inspect.isroutine(function) else type(function)
    yield _text((getattr(owner, "__module__", None), owner.__qualname__))
    if inspect.ismethod(function):
        yield from _attributes(function.__self__)
    elif not inspect.isroutine(function):
        yield from _attributes(function)
    if isinstance(code := getattr(function, "__code__", None), CodeType):
        yield _text((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # a cell that is not filled yet
                yield _text(cell.cell_contents)
        yield from _code(code)


def _attributes(owner: Any) -> Iterator[str]:
    """Yield the methods of an object's class and the object's attributes."""
    for method in vars(type(owner)).values():
        if isinstance(code := getattr(method, "__code__", None), CodeType):
            yield from _code(code)
    yield _text(getattr(owner, "__dict__", owner))


def _code(code: CodeType) -> Iterator[str]:
    """Yield what a code object does, without the file and the lines that it comes from.

    Several functions of one line have the same source and different code.
    """
    yield _text((code.co_code, code.co_names, code.co_varnames))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield _text(constant)


def _text(value: object) -> str:
    if isinstance(value, frozenset):  # its order changes from process to process
        return str(sorted(map(repr, value)))
    return ADDRESS.sub("", repr(value))
