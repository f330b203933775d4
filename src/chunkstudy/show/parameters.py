"""Which parameters a notebook was given, told in its own kernel.

Plain ``papermill`` only warns of an unknown parameter and takes a value of any type, so a notebook
asks here before it computes.
"""

from __future__ import annotations

import ast
from difflib import get_close_matches
from typing import Any

from IPython.core.getipython import get_ipython

from chunkstudy import notebooks
from chunkstudy.places import Places
from chunkstudy.show.faults import StudyError

INJECTED = "# Parameters\n"
"""How the cell begins that papermill puts behind a notebook's own."""


def namespace() -> dict[str, Any]:
    """The variables of the notebook that runs; none where none does."""
    shell = get_ipython()
    return dict(shell.user_ns) if shell is not None else {}


def changed(places: Places, name: str, given: dict[str, Any]) -> dict[str, Any] | None:
    """The parameters whose value is not the notebook's own; None where no notebook of that name
    runs, as in a script.

    Args:
        places: where the notebooks lie.
        name: of the notebook.
        given: its variables, ``In`` among them: the cells that ran.

    Raises:
        StudyError: for an unknown parameter, with the nearest one there is, or one of another type.
    """
    source = places.notebooks / f"{name}.ipynb"
    declared = notebooks.inspect_parameters(source) if source.exists() else {}
    if not declared or not given:
        return None
    for one in _injected(given):
        if one not in declared:
            near = get_close_matches(one, declared, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(declared)}"
            raise StudyError(f"{name} has no parameter {one!r}; {meant}")
    for one, value in declared.items():
        if one in given and type(given[one]) is not type(value):
            raise StudyError(
                f"parameter {one!r} is a {type(value).__name__}, such as {value!r}, and no "
                f"{type(given[one]).__name__} ({given[one]!r})"
            )
    return {one: given[one] for one, value in declared.items() if given.get(one, value) != value}


def _injected(given: dict[str, Any]) -> list[str]:
    """The names that papermill's cell assigns."""
    cells = [cell for cell in given.get("In", ()) if cell.startswith(INJECTED)]
    nodes = [node for cell in cells for node in ast.parse(cell).body]
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    return [one.id for node in assigned for one in node.targets if isinstance(one, ast.Name)]
