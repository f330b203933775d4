"""Every exception of the project, and what went wrong in one sentence.

The message of each says what is wrong, the value, and what to do. The command line shows it alone,
a notebook with the name of its class.
"""

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


class UserError(ValueError):
    """Something that the user named or gave does not exist, fit or suffice.

    Attributes:
        reason: the reason in few words, where errors are counted by it; else empty.
        paste: the text that would do in place of what was given; empty if there is none.
    """

    _render_traceback_ = as_sentence

    def __init__(self, message: str, *, reason: str = "", paste: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.paste = paste


class ChunkerError(UserError):
    """A user's chunker cannot be had, or failed on a document, which the message names."""


class ResourceError(RuntimeError):
    """A model, file or tokenizer is unknown, not here, or not what it should be."""

    _render_traceback_ = as_sentence


class LanguageModelError(ResourceError):
    """A language model cannot be asked, or its replies cannot be used.

    Attributes:
        refused: whether nothing was replied that costs anything: a server answered with an error,
            or was not asked for want of a key.
        recorded: whether replies are recorded, or may be asked for; False of a request without a
            recorded reply in the mode that asks nobody.
    """

    def __init__(self, message: str, *, refused: bool = False, recorded: bool = True) -> None:
        super().__init__(message)
        self.refused = refused
        self.recorded = recorded


class BudgetError(RuntimeError):
    """A request would cost more than is left, or the budget is no number of dollars."""

    _render_traceback_ = as_sentence


class RecordError(RuntimeError):
    """A record or recording, or a part of one, is missing, cut short or was changed by hand."""

    _render_traceback_ = as_sentence


class StudyError(RuntimeError):
    """A study, a notebook or a step of the release cannot go on."""

    _render_traceback_ = as_sentence


class NoRecordError(StudyError):
    """Something has no record where nothing is computed."""


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
