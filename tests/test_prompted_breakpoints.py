"""A small model asked by the three prompts: a reply asked for in two steps is that of one."""

from __future__ import annotations

import pytest

from chunkstudy.chunkers import breakpoints
from chunkstudy.chunkers.breakpoints import Kind
from chunkstudy.llm.interface import Reply, Request
from chunkstudy.studies.one_post import prompting as study

TEXT = "The lane was paved in 1904.\n\nA flood came in 1931 and took the houses."


class Model:
    """Says the same to everybody, a word a token, and counts what it was made to write."""

    def __init__(self, says: str) -> None:
        self.says = says.split()
        self.limits: list[int] = []

    def __call__(self, request: Request) -> Reply:
        self.limits.append(request.output_limit)
        written = self.says[: request.output_limit]
        finish = "stop" if len(self.says) < request.output_limit else "length"
        return Reply(" ".join(written), finish, 7, len(written), "made", "made")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", sorted(breakpoints.TASKS))
def test_a_reply_in_two_steps_comes_to_what_it_comes_to_in_one(kind: Kind) -> None:
    good = breakpoints.written([("The lane was paved in 1904.", "road", "A road.")] * 1, kind)
    for says in (good, "nothing", good[:20], "{" + "x " * 3000, good[:12] + "x " * 3000):
        whole = Model(says)(breakpoints.request(study.MODEL, TEXT, kind))
        (row,) = study.asked(TEXT, Model(says), kind)
        assert row["outcome"] == study.outcome(whole, kind, TEXT)
