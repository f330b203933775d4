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
    name: Annotated[
        str | None, typer.Argument(help="As --list names them, or its module below studies")
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(help="Take these instead; the tables then go to build/studies"),
    ] = None,
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
    from chunkstudy.runs.study_results import StudyError

    with one_sentence():
        if list_studies or name is None:
            for known in experiments.every().values():
                typer.echo(f"{known.name}\t{known.question}")
            return
        where = places.find()
        experiment = experiments.of(experiments.module_of(name))
        if experiment.plan or part != "*" or dry_run:
            if collection:
                raise StudyError(f"study {name} comes in parts; leave --collection out")
            parts = study_runs.todo(where, experiment, study_runs.chosen(experiment, part))
            if dry_run and experiment.estimate:
                for line in experiment.estimate(parts):
                    typer.echo(line)
                return
            folder, tables = study_runs.run_parts(where, experiment, parts)
        else:
            folder, tables = study_runs.run(where, experiment, collection)
        for table, rows in tables.items():
            typer.echo(f"{folder / table}.csv\t{len(rows)} rows")
