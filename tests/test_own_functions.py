"""A user's function in a comparison is called what it is, everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from chunkstudy.notebook import user_functions
from chunkstudy.notebook.user_functions import slug


def made(cell: str) -> Any:
    """What a cell of a notebook calls ``split``."""
    names: dict[str, Any] = {}
    exec(compile(cell, "<a cell>", "exec"), names)
    return names["split"]


HALVES = "def split(text):\n    return [text[:20], text[20:]]"
CLASS = """
class Splitter:
    def __init__(self, size): self.size = size
    def __call__(self, text): return [text[:self.size], text[self.size:]]
split = Splitter({})
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (HALVES, HALVES.replace("20", "30")),
        (HALVES, HALVES.replace("split(text)", "split(text, size=1)")),
        (HALVES, HALVES.replace("[text[:20], text[20:]]", "text.split('x')")),
        ("split = lambda text: text.split('a')", "split = lambda text: text.split('b')"),
        (CLASS.format(1), CLASS.format(2)),
        (CLASS.format(1), CLASS.format(1).replace("text[:self.size]", "text")),
        (
            "def sized(size): return lambda text: [text[:size]]\nsplit = sized(1)",
            "def sized(size): return lambda text: [text[:size]]\nsplit = sized(2)",
        ),
    ],
)
def test_two_functions_with_one_name_are_told_apart_and_the_same_one_is_itself(
    one: str, other: str
) -> None:
    assert slug(made(one)) == slug(made(f"# another cell\n\n{one}")) != slug(made(other))


def test_an_identity_holds_in_another_process() -> None:
    cell = "def split(text):\n    return [p for p in text.split() if p in {'a', 'b', 'c', 'd'}]"
    code = f"from tests.test_own_functions import made, slug; print(slug(made({cell!r})))"
    for seed in "12":
        given = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], env=given, capture_output=True, text=True
        )
        assert done.stdout.strip() == slug(made(cell)), done.stderr


def test_a_method_a_partial_and_a_built_in_have_an_identity_too() -> None:
    halves = made("def split(text, size): return [text[:size], text[size:]]")
    known = {slug(partial(halves, size=size)) for size in (1, 2)} | {slug(str.splitlines)}
    assert len(known | {slug(made(CLASS.format(1)).__call__)}) == 4
    assert slug(str.splitlines).startswith("function:splitlines-")
    assert user_functions.name_of(lambda text: [text]) == "your function"
    assert slug(lambda text: [text]).startswith("function:your-function-")
