"""Studies outside the grid: those that modules below ``studies`` register."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from chunkstudy import studies
from chunkstudy.cli.cli_errors import one_sentence
from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import find_project
from chunkstudy.pipeline import experiments
from chunkstudy.pipeline.estimate import lines
from chunkstudy.pipeline.experiments import Experiment

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
            for known, registered in every().items():
                typer.echo(f"{known}\t{registered.question}")
            return
        where = find_project()
        experiment = find(name)
        if dry_run:
            for line in lines(experiments.estimates(where, experiment, part)):
                typer.echo(line)
            return
        folder, tables = experiments.run(where, experiment, part)
        for table, rows in tables.items():
            typer.echo(f"{folder / table}.csv\t{len(rows)} rows")


def every() -> dict[str, Experiment]:
    """Return every experiment by its name, sorted.

    All modules below ``studies`` are imported, which takes seconds; those that hold an experiment
    register it, so that a new one is added by its file alone.
    """
    folder = Path(studies.__file__).parent
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        importlib.import_module(".".join((studies.__name__, *parts)).removesuffix(".__init__"))
    return dict(sorted(experiments.REGISTERED.items()))


def find(name: str) -> Experiment:
    """Return an experiment by its name.

    Raises:
        StudyError: if there is none, with the names there are.
    """
    known = every()
    if name not in known:
        raise StudyError(f"unknown study {name!r}; use one of {', '.join(known)}")
    return known[name]
