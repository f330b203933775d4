"""A small model asked by the three prompts: what comes of its replies, how little is written."""

from __future__ import annotations

import json

import pytest

from chunkstudy.base.asking import Reply, Request
from chunkstudy.chunkers import breakpoints
from chunkstudy.chunkers.breakpoints import Kind
from chunkstudy.studies.one_post import prompting as study

TEXT = "The lane was paved in 1904.\n\nA flood came in 1931 and took the houses."
GOOD = json.dumps({"segments": [{"begins": "The lane was"}, {"begins": "A flood came in"}]})
MISQUOTED = json.dumps({"segments": [{"begins": "The lane was"}, {"begins": "A river came in"}]})


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


@pytest.mark.parametrize(
    ("says", "outcome", "segments", "asked"),
    [
        (GOOD, study.USED, 2, 1),
        (MISQUOTED, study.NOWHERE, 2, 1),
        ('{"segments": []}', study.OTHER, 0, 1),
        ('{"segments"', study.OTHER, 0, 1),
        ('{"content": "' + "The lane was " * 900, study.OTHER, 0, 1),
        ("Sure, here are the segments.", study.PROSE, 0, 1),
        ("The article is split. " * 900, study.PROSE, 0, 1),
        ('{"segments": [ ' + '{"begins": "The lane was"}, ' * 2000, study.CUT_OFF, 0, 2),
    ],
)
def test_each_reply_has_one_outcome_and_what_cannot_be_an_object_is_not_written_out(
    says: str, outcome: str, segments: int, asked: int
) -> None:
    model = Model(says)
    (row,) = study.asked(TEXT, model, "structure")
    assert (row["outcome"], row["segments"]) == (outcome, segments)
    assert model.limits == [study.BEGUN, study.LIMIT][:asked]
    assert row["tokens written"] == min(model.limits[-1], len(says.split()))


@pytest.mark.parametrize("kind", sorted(breakpoints.TASKS))
def test_a_reply_in_two_steps_comes_to_what_it_comes_to_in_one(kind: Kind) -> None:
    good = breakpoints.written([("The lane was paved in 1904.", "road", "A road.")] * 1, kind)
    for says in (good, "nothing", good[:20], "{" + "x " * 3000, good[:12] + "x " * 3000):
        whole = Model(says)(breakpoints.request(study.MODEL, TEXT, kind))
        (row,) = study.asked(TEXT, Model(says), kind)
        assert row["outcome"] == study.outcome(whole, kind, TEXT)
