"""What stands in place of an answer whose condition fails: the condition as it is written in the
notebook, and the numbers that it and the sentence rest on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType
from typing import Any

import executing
import numpy as np
import pandas as pd

LONGEST = 120
"""Characters of a value that are shown."""


def failed(frame: FrameType) -> str:
    """What a call of ``study.answer(question, sentence, holds=...)`` in this frame was given.

    Returns:
        one or two sentences in Markdown; without the notebook's source only that it fails.
    """
    call = executing.Source.executing(frame).node
    if not isinstance(call, ast.Call):
        return "Not answered: the condition of its answer does not hold with these parameters."
    given = dict(zip(("question", "sentence", "holds"), call.args, strict=False))
    given |= {one.arg: one.value for one in call.keywords if one.arg}
    condition = f"`{ast.unparse(given['holds'])}`"
    values = ", ".join(_values(given, frame))
    return f"Not answered: the condition {condition} does not hold with these parameters. " + (
        f"Here {values}." if values else ""
    )


def _values(given: dict[str, ast.expr], frame: FrameType) -> Iterator[str]:
    """Each expression of the condition and of the sentence with its value, once."""
    asked = [*_operands(given["holds"])]
    sentence = given.get("sentence")
    if sentence is not None:
        asked += [one.value for one in ast.walk(sentence) if isinstance(one, ast.FormattedValue)]
    for text in dict.fromkeys(ast.unparse(one) for one in asked):
        try:
            value = eval(text, frame.f_globals, frame.f_locals)
        except Exception:  # of names that only a comprehension has
            continue
        yield f"`{text}` is {_shown(value)}"


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """What a condition compares, constants left out."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from _operands(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _operands(node.operand)
    elif isinstance(node, ast.Compare):
        for side in (node.left, *node.comparators):
            if _names(side):
                yield side
    elif _names(node):
        yield node


def _names(node: ast.expr) -> bool:
    """Whether an expression is no literal, which would only say itself again."""
    return any(isinstance(part, ast.Name) for part in ast.walk(node))


def _shown(value: Any) -> str:
    if isinstance(value, pd.Series | pd.Index | np.ndarray):
        value = value.tolist()
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    text = str(value) if isinstance(value, str | int | np.integer) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
