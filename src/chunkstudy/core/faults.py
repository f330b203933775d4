"""What went wrong, in one sentence: data that a schema refused, a disk that takes nothing more."""

from __future__ import annotations

import errno

from pydantic import ValidationError

KEPT = "then run the same command again: what is finished is kept"
REMEDIES = {
    errno.ENOSPC: f"no space is left on the device; free some, {KEPT}",
    errno.EDQUOT: f"your quota on the device is used up; free some, {KEPT}",
    errno.EFBIG: f"the file would be larger than is allowed here; raise the limit, {KEPT}",
    errno.EROFS: f"the file system is mounted read-only; make it writable, {KEPT}",
    errno.EACCES: f"this user may not write or read there; change its permissions, {KEPT}",
    errno.EPERM: f"this user may not do that there; change its permissions, {KEPT}",
    errno.EIO: f"the device failed to read or write; check it, {KEPT}",
}


def as_sentence(error: BaseException) -> list[str]:
    """Return what IPython shows of an error in place of a traceback.

    IPython looks for it under the name ``_render_traceback_`` in the error's class.
    """
    return [f"{type(error).__name__}: {error}"]


class ModelError(RuntimeError):
    """A model that is unknown, unreachable or not what it should be."""


def first_fault(error: ValidationError) -> tuple[str, str]:
    """Where it lies, the names on the way joined by dots (empty: the whole), and what it is."""
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")


def of_the_system(error: OSError) -> str:
    """Which file it was about, what was wrong, and what to do."""
    reason = REMEDIES.get(error.errno or 0) or error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def one_line(error: BaseException) -> str:
    """An error in one line; one that nobody foresaw with its kind."""
    message = " ".join(str(error).split())
    foreseen = isinstance(error, ValueError | RuntimeError | FileNotFoundError) and message
    return message if foreseen else f"{type(error).__name__}: {message}".removesuffix(": ")
