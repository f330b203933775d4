"""Chroma's LLM chunker: windows of numbered pieces, splits that count, and the official faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunkstudy.chunkers import llm_windows
from chunkstudy.chunkers.llm_windows import (
    ATTEMPTS,
    numbers,
    official_numbers,
    splits,
    window,
)
from chunkstudy.llm.interface import Request
from tests.made_needs import asking

SIZES = [45] * 60
"""Eighteen such pieces hold 810 tokens."""
TEXTS = [f"piece {i}" for i in range(60)]
USELESS = (
    "",
    "No.",
    "Split after piece 3.",
    "split_after:",
    "split_after: none",
    "split_after: 5, 3",
    "split_after: 3, 3",
    "split_after: -3",
    "split_after: ٣",
    "split_after: ３",
    "split_after: 3, 99",
    "split_after: 1000000000000",
    "split_after: 3 because the topic changes",
    "The topic changes.\nsplit_after: 3\nsplit_after: 4",
    "split_after: 0",
)


def found(
    reply: Callable[[Request], str], quirks: bool = False, model: str = "openai/gpt-4o"
) -> tuple[list[int], int, list[Request]]:
    """Splits, how many the rule made, and what was asked."""
    asked: list[Request] = []
    choose = llm_windows.choosing(asking(reply, asked), model, TEXTS, quirks)
    return (*splits(SIZES, choose), asked)


def first(asked: Request) -> int:
    """The number of the first piece shown."""
    return int(asked.messages[-1].text.partition("_chunk_")[2].partition("|")[0])


def test_a_window_is_the_fewest_pieces_above_800_tokens() -> None:
    assert window(SIZES, 0) == 18
    assert window([400, 400, 1, 9], 0) == 3
    assert window([900, 1], 0) == 1
    assert window(SIZES, 50) == 60


def test_the_next_window_begins_at_the_last_split_and_fewer_than_five_pieces_are_left_alone() -> (
    None
):
    got, by_rule, asked = found(lambda one: f"split_after: {first(one) + 2}, {first(one) + 9}")
    assert [first(one) for one in asked] == [1, 11, 21, 31, 41, 51]
    assert got == [3, 10, 13, 20, 23, 30, 33, 40, 43, 50, 53, 60]
    assert by_rule == 0
    assert asked[0].temperature == 0.2
    assert asked[0].output_limit == 200


@pytest.mark.parametrize("reply", USELESS)
def test_a_useless_reply_is_asked_for_again_and_then_the_rule_splits_after_the_window(
    reply: str,
) -> None:
    got, by_rule, asked = found(lambda _: reply)
    assert (got, by_rule) == ([18, 36, 54, 60], 4)
    assert len(asked) == 4 * ATTEMPTS
    assert [one.attempt for one in asked[:ATTEMPTS]] == list(range(ATTEMPTS))
    assert len({one.messages for one in asked[:ATTEMPTS]}) > 1


def test_only_the_official_form_takes_pieces_that_were_not_shown_and_other_digits() -> None:
    assert found(lambda one: "split_after: 3, 50" if first(one) == 1 else "", True)[0] == [
        3,
        50,
        60,
    ]
    assert found(lambda one: "I say: split_after: ٧ (of 9)", True)[0][:2] == [7, 9]
    assert found(lambda _: "split_after: 1000000000000", True)[:2] == ([10**12], 0)
    assert found(lambda _: "split_after: 2, 2, 7", True)[0][:3] == [2, 2, 7]
    assert official_numbers("x\nsplit_after: 3, 1\nsplit_after: 9") == [3, 1]
    assert official_numbers("nothing") is None
    assert numbers(" split_after: 3,5, 9.\n") == [3, 5, 9]


def test_a_model_that_runs_here_is_held_to_one_split_inside_the_window() -> None:
    got, by_rule, asked = found(lambda one: one.answers[1], model="local/made")
    assert asked[0].answers == tuple(f"split_after: {i}" for i in range(1, 18))
    assert got[:3] == [2, 4, 6]
    assert by_rule == 0
    examples = llm_windows.ASKED["examples"]
    for example, message in zip(examples, asked[0].messages[2::2], strict=True):
        assert numbers(message.text) == [llm_windows.EXAMPLE_START + example["split"]]
        assert 0 < example["split"] < len(example["pieces"])
