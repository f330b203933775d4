"""What goes wrong in a notebook, in one sentence that says what to do."""

from __future__ import annotations


class StudyError(RuntimeError):
    """A parameter, a run or an answer that a notebook cannot go on with."""
