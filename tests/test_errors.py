"""Every exception of the project is one of a few, and shows itself in one sentence."""

from __future__ import annotations

import ast
import builtins
import pickle
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.core import errors
from chunkstudy.core.errors import LanguageModelError, UserError

SOURCE = Path(errors.__file__).parents[1]
OWN = [
    found
    for found in vars(errors).values()
    if isinstance(found, type) and found.__module__ == errors.__name__
]


def test_no_other_module_defines_an_exception() -> None:
    known = {name for name, found in vars(builtins).items() if _is_exception(found)}
    known |= {found.__name__ for found in OWN}
    defined = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and known & {ast.unparse(base) for base in node.bases}
    ]
    assert defined == ["core/errors.py"] * len(OWN) and len(OWN) <= 8


@pytest.mark.parametrize("kind", OWN)
def test_an_exception_is_foreseen_and_one_sentence_in_a_notebook(kind: type[Exception]) -> None:
    error: Any = kind("Name another model.")
    assert issubclass(kind, ValueError | RuntimeError)  # which the command line shows alone
    assert error._render_traceback_() == [f"{kind.__name__}: Name another model."]


def test_what_an_exception_says_beside_its_message_reaches_another_process() -> None:
    refused = pickle.loads(pickle.dumps(LanguageModelError("no", refused=True, recorded=False)))
    assert (str(refused), refused.refused, refused.recorded) == ("no", True, False)
    lost = pickle.loads(pickle.dumps(UserError("no", reason="blank", paste="{}")))
    assert (str(lost), lost.reason, lost.paste) == ("no", "blank", "{}")


def _is_exception(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, BaseException)
