"""Studies outside the grid: the modules below ``studies`` that define an experiment."""

from __future__ import annotations

import importlib
import pkgutil
from inspect import isfunction
from types import ModuleType
from typing import Annotated

import typer

from chunkstudy import studies
from chunkstudy.cli.cli_errors import one_sentence
from chunkstudy.core.project import find_project
from chunkstudy.pipeline import experiments
from chunkstudy.pipeline.estimate import lines
from chunkstudy.pipeline.experiment_tables import StudyError
from chunkstudy.pipeline.experiments import Experiment

ROOT = f"{studies.__name__}."
app = typer.Typer()


@app.command(rich_help_panel="Questions")
def study(
    name: Annotated[str | None, typer.Argument(help="As --list names them")] = None,
    list_studies: Annotated[bool, typer.Option("--list", help="Every study's question")] = False,
    part: Annotated[
        str, typer.Option(help="Of a study in parts, those of a name, with wildcards")
    ] = "*",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what parts take")] = False,
) -> None:
    """Answer a question outside the grid; writes results/studies/NAME.

    A study that trains models comes in parts; those that were run already are left alone.
    """
    with one_sentence():
        if list_studies or name is None:
            for known, module in every().items():
                typer.echo(f"{known}\t{of(module).question}")
            return
        where = find_project()
        experiment = named(name)
        if dry_run:
            for line in lines(experiments.estimates(where, experiment, part)):
                typer.echo(line)
            return
        folder, tables = experiments.run(where, experiment, part)
        for table, rows in tables.items():
            typer.echo(f"{folder / table}.csv\t{len(rows)} rows")


def every() -> dict[str, ModuleType]:
    """The module of every experiment by the experiment's name; all of ``studies`` is imported,
    which takes seconds."""
    paths = (info.name for info in pkgutil.walk_packages(studies.__path__, ROOT))
    modules = filter(_defines_one, map(importlib.import_module, paths))
    return dict(sorted((of(module).name, module) for module in modules))


def of(module: ModuleType) -> Experiment:
    """The experiment that a module defines: ``COLLECTIONS`` and ``tables``, or a ``PLAN`` with
    ``part`` and ``estimate``. It opens with its question, and is called as its path below
    ``studies`` unless it says ``NAME``."""
    path = module.__name__.removeprefix(ROOT).replace(".", "-").replace("_", "-")
    plan = getattr(module, "PLAN", ())
    return Experiment(
        getattr(module, "NAME", path),
        " ".join((module.__doc__ or "").split("\n\n")[0].split()),
        None if plan else module.tables,
        tuple(module.COLLECTIONS),
        getattr(module, "PACKAGES", ()),
        plan,
        module.part if plan else None,
        module.estimate if plan else None,
    )


def named(name: str) -> Experiment:
    """An experiment by its name.

    Raises:
        StudyError: if there is none, with the names there are.
    """
    known = every()
    if name not in known:
        raise StudyError(f"unknown study {name!r}; use one of {', '.join(known)}")
    return of(known[name])


def _defines_one(module: ModuleType) -> bool:
    """Whether a module defines an experiment itself."""
    tables = getattr(module, "tables", None)
    own = isfunction(tables) and tables.__module__ == module.__name__
    return hasattr(module, "COLLECTIONS") and (own or hasattr(module, "PLAN"))
