"""Studies outside the grid."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkstudy.base import places
from chunkstudy.commands.failing import one_sentence

PANEL = "Questions"
app = typer.Typer()


@app.command(rich_help_panel=PANEL)
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
    from chunkstudy.commands import experiments
    from chunkstudy.runs import study_runs

    with one_sentence():
        if list_studies or name is None:
            for known, module in experiments.every().items():
                typer.echo(f"{known}\t{experiments.of(module).question}")
            return
        where = places.find()
        experiment = experiments.named(name)
        if experiment.plan or part != "*" or dry_run:
            if dry_run and experiment.estimate:
                for line in experiment.estimate(study_runs.todo(where, experiment, part)):
                    typer.echo(line)
                return
            folder, tables = study_runs.run_parts(where, experiment, part)
        else:
            folder, tables = study_runs.run(where, experiment)
        for table, rows in tables.items():
            typer.echo(f"{folder / table}.csv\t{len(rows)} rows")
