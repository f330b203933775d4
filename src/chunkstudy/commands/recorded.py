"""What can be done with records: export, those of another machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunkstudy.base import places
from chunkstudy.commands.choosing import ALL, Only, recorded
from chunkstudy.commands.failing import one_sentence

PANEL = "Records"
app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def export(
    trec: Annotated[Path, typer.Option(help="The folder of runs and qrels")],
    only: Only = ALL,
) -> None:
    """Rankings as trec_eval and ir-measures read them."""
    with one_sentence():
        from chunkstudy.runs.export import write_trec

        done, missing = write_trec(trec, recorded(only), places.find().runs)
        typer.echo(f"rankings of {done} conditions written to {trec}")
        if missing:
            typer.echo(
                f"{len(missing)} rankings or their collections are not at hand, first that of "
                f"{missing[0]}; `chunkstudy run --only '{missing[0]}' --again` makes it",
                err=True,
            )


@app.command(rich_help_panel=PANEL)
def merge(
    folder: Annotated[Path, typer.Argument(help="Another machine's results/runs")],
) -> None:
    """Add another machine's records to those of this checkout; none is replaced."""
    with one_sentence():
        from chunkstudy.runs.library import merge as add

        added, already, refused = add(folder)
    for refusal in refused:
        typer.echo(f"chunkstudy: {refusal}", err=True)
    typer.echo(f"{added} records added, {already} were here already, {len(refused)} refused")
    if refused:
        raise typer.Exit(1)
