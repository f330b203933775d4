"""What a notebook's source says: the parameters that it declares, and that it was given no others;
the condition of an answer, and the numbers that it and its sentence rest on.

papermill itself only warns of a name that a notebook does not declare, and takes a value of any
kind.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from chunkstudy.core.errors import StudyError
from chunkstudy.notebook.parameters import find_unknown

INJECTED = "# Parameters\n"
"""How the cell begins that papermill puts behind a notebook's own parameters."""
LONGEST = 120
"""Characters of a value that are shown."""


def inspect_parameters(source: Path) -> dict[str, Any]:
    """The parameters a notebook declares, with their defaults.

    Raises:
        StudyError: if one is no literal.
    """
    cells = json.loads(source.read_text(encoding="utf-8"))["cells"]
    declared = (
        "".join(one["source"]) for one in cells if "parameters" in one["metadata"].get("tags", [])
    )
    try:
        return {name: value for cell in declared for name, value in _assigned(cell).items()}
    except (SyntaxError, ValueError) as error:
        raise StudyError(
            f"the parameter cell of {source.name} holds something else than literals: {error}; "
            "use numbers, strings and lists there, and define functions in a later cell"
        ) from error


def check(source: Path, given: Mapping[str, Any]) -> None:
    """Refuse parameters that a notebook does not declare, and names in them that do not exist.

    Raises:
        StudyError: naming one that is unknown or of another kind than its default, or that holds
            an unknown collection, chunker or encoder.
    """
    declared = inspect_parameters(source)
    for name, value in given.items():
        if name not in declared:
            known = ", ".join(sorted(declared)) or "none"
            raise StudyError(f"{source.name} has no parameter {name!r}; it has {known}")
        if type(value) is not type(declared[name]):
            raise StudyError(
                f"parameter {name!r} of {source.name} is of type {type(declared[name]).__name__}, "
                f"not {type(value).__name__}"
            )
    check_names(source, given)


def check_names(source: Path, given: Mapping[str, Any]) -> None:
    """Refuse unknown names in parameters.

    Raises:
        StudyError: with the notebook, the parameter and the nearest name.
    """
    for name, fault in find_unknown(source.stem, given):
        raise StudyError(f"parameter {name!r} of {source.name}: {fault}")


def changed(
    source: Path, namespace: Mapping[str, Any], page: Path | None = None
) -> dict[str, Any] | None:
    """The parameters whose value is not the notebook's own; None where it is not this notebook that
    runs, as in a script.

    Args:
        source: the notebook.
        namespace: variables of its kernel.
        page: the notebook as it was last published; what it declares is the notebook's own, also if
            the source was edited since.

    Raises:
        StudyError: as :func:`check` does, also for a value that was changed by hand.
    """
    if "In" not in namespace or not source.exists():
        return None
    declared = inspect_parameters(source)
    given = {name: namespace[name] for name in declared if name in namespace}
    check(source, _injected(namespace) | given)
    own = declared | (inspect_parameters(page) if page and page.exists() else {})
    return {name: value for name, value in given.items() if value != own[name]}


def _injected(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """What the newest cell of papermill assigns."""
    cells = [cell for cell in namespace.get("In", ()) if cell.startswith(INJECTED)]
    return _assigned(cells[-1]) if cells else {}


def _assigned(cell: str) -> dict[str, Any]:
    """What a cell assigns, by name."""
    return {
        node.targets[0].id: _literal(node.value)
        for node in ast.parse(cell).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _literal(node: ast.expr) -> Any:
    """A literal's; that of ``float("inf")`` and its like, for which there is none, too."""
    if isinstance(node, ast.Call):
        return float(ast.literal_eval(node.args[0]))
    return ast.literal_eval(node)


def failed(frame: FrameType) -> str:
    """What a call of ``study.answer(question, sentence, holds=...)`` in this frame was given.

    Returns:
        one or two sentences in Markdown; without the notebook's source only that it fails.
    """
    import executing  # no part of the light install, where parameters are read all the same

    call = executing.Source.executing(frame).node
    if not isinstance(call, ast.Call):
        return "Not answered: the condition of its answer does not hold with these parameters."
    given = dict(zip(("question", "sentence", "holds"), call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    values = ", ".join(_values(given, frame))
    return (
        f"Not answered: the condition `{ast.unparse(given['holds'])}` does not hold with these "
        f"parameters. {f'Here {values}.' if values else ''}"
    )


def _values(given: Mapping[str, ast.expr], frame: FrameType) -> Iterator[str]:
    """What the condition compares and what the sentence quotes with its value, once; literals,
    which would only say themselves again, left out."""
    nodes = [node for of in ("holds", "sentence") if of in given for node in ast.walk(given[of])]
    parts: list[ast.expr] = []
    for node in nodes:
        parts += [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        parts += [node.value] if isinstance(node, ast.FormattedValue) else []
    named = (part for part in parts if any(isinstance(n, ast.Name) for n in ast.walk(part)))
    for text in dict.fromkeys(map(ast.unparse, named)):
        try:
            value = eval(text, frame.f_globals, frame.f_locals)
        except Exception:  # of names that only a comprehension has
            continue
        shown = f"{value:.4g}" if isinstance(value, float) else str(getattr(value, "values", value))
        yield f"`{text}` is {shown if len(shown) <= LONGEST else f'{shown[:LONGEST]}…'}"
