"""What a notebook leaves beside tables and figures: its answers, claims and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from chunkstudy.core.errors import StudyError
from chunkstudy.notebook.claims import Row


class Answers:
    """Answers by question, claims by id and numbers by name.

    A cell that runs twice replaces what it left. A reproduction runs each cell once, so that a
    second answer or verdict there comes from another cell and is refused.

    Args:
        once: whether each cell runs once.
    """

    def __init__(self, once: bool) -> None:
        self._once = once
        self._answers: dict[str, str] = {}
        self._claims: dict[str, list[Row]] = {}
        self._numbers: dict[str, str] = {}

    def answer(self, question: str, sentence: str) -> None:
        """Add an answer.

        Raises:
            StudyError: if each cell runs once and the question has an answer.
        """
        if self._once and question in self._answers:
            raise StudyError(f"{question!r} is answered twice on this page; leave one")
        self._answers[question] = sentence

    @property
    def judged(self) -> list[Row]:
        """Claims that may not be judged again."""
        return [*chain(*self._claims.values())] if self._once else []

    def claim(self, rows: Sequence[Row]) -> None:
        """Add the rows of claims, each claim's together."""
        self._claims |= {id: list(of_claim) for id, of_claim in groupby(rows, itemgetter("id"))}

    def number(self, texts: Mapping[str, str]) -> None:
        """Add numbers for the paper."""
        self._numbers |= texts

    def markdown(self) -> list[str]:
        """Return a paragraph for each answer."""
        return [f"**{question}** {answer}" for question, answer in self._answers.items()]

    def content(self) -> dict[str, Any]:
        """Return what ``results/answers`` holds of the notebook."""
        answers = [{"question": key, "answer": answer} for key, answer in self._answers.items()]
        content: dict[str, Any] = {"answers": answers}
        if self._claims:
            content["claims"] = [*chain(*self._claims.values())]
        if self._numbers:
            content["numbers"] = self._numbers
        return content
