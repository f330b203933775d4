"""What can be done with records: more measures, export, deposit, handing in."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from chunkstudy.base import places
from chunkstudy.commands.choosing import ALL, Only, recorded
from chunkstudy.commands.failing import one_sentence

PANEL = "Records"
app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def rescore(
    measure: Annotated[str, typer.Argument(help="Such as P@5, SpanRecall@3 or DCG@3")],
    only: Only = ALL,
) -> None:
    """Add a measure to records, computed from their kept rankings without encoding."""
    with one_sentence():
        from chunkstudy.runs.rescore import rescore as add

        added = add(measure, recorded(only), places.find())
        typer.echo(f"{measure} was added to {added} records; run `chunkstudy reproduce` next")


@app.command(rich_help_panel=PANEL)
def export(
    csv: Annotated[Path | None, typer.Option(help="The file of scores to write")] = None,
    trec: Annotated[Path | None, typer.Option(help="The folder of runs and qrels")] = None,
    only: Only = ALL,
) -> None:
    """Per-query scores as text, or rankings as trec_eval and ir-measures read them."""
    with one_sentence():
        from chunkstudy.runs import trec_files
        from chunkstudy.runs.archives import export_csv
        from chunkstudy.runs.library import Library

        where = places.find()
        if csv is None and trec is None:
            raise ValueError("name what to write: --csv FILE, --trec FOLDER, or both")
        if csv:
            lines = export_csv(csv, recorded(only), Library(where))
            typer.echo(f"{lines} scores written to {csv}")
        if trec:
            done, missing = trec_files.export(trec, recorded(only), Library(where), where.rankings)
            typer.echo(f"rankings of {done} conditions written to {trec}")
            if missing:
                typer.echo(
                    f"{len(missing)} rankings or their collections are not at hand, first that of "
                    f"{missing[0]}; `chunkstudy run --only '{missing[0]}' --again` makes it",
                    err=True,
                )


@app.command(rich_help_panel=PANEL)
def archive(
    out: Annotated[Path, typer.Argument(help="The tar file to write")],
) -> None:
    """Pack records and rankings into one file to deposit."""
    with one_sentence():
        from chunkstudy.runs.archives import archive as pack

        packed, missing = pack(out, places.find())
        typer.echo(f"{packed} files packed into {out}")
        if missing:
            typer.echo(
                f"{len(missing)} rankings are not at hand, first that of {missing[0]}; "
                f"`chunkstudy run --only '{missing[0]}' --again` makes it",
                err=True,
            )


@app.command(rich_help_panel=PANEL)
def pack(
    out: Annotated[Path, typer.Argument(help="The tar file to write")],
    by: Annotated[str, typer.Option(help="Who ran it")],
    machine: Annotated[str, typer.Option(help="On what: processor or GPU, memory")],
    only: Only = ALL,
    note: Annotated[str, typer.Option(help="What a reader should know")] = "",
) -> None:
    """Pack recorded conditions with their rankings, to hand them in (CONTRIBUTING.md)."""
    with one_sentence():
        from chunkstudy.runs.archives import HandedIn
        from chunkstudy.runs.archives import pack as into

        told = HandedIn(by=by, machine=machine, date=f"{datetime.now():%Y-%m-%d}", note=note)
        count, size = into(out, recorded(only), places.find(), told)
        typer.echo(f"{count} records in {out}, {size / 1e6:.1f} MB; `chunkstudy verify {out}`")


@app.command(rich_help_panel=PANEL)
def verify(
    handed_in: Annotated[Path, typer.Argument(help="What `chunkstudy pack` wrote, or a folder")],
) -> None:
    """Check somebody's records without trusting them and without their encoder."""
    with one_sentence():
        from chunkstudy.runs.archives import unpacked
        from chunkstudy.runs.verify import verify as checks

        counts = {"agrees": 0, "differs": 0, "not checked": 0}
        with unpacked(handed_in) as folder:
            for one in checks(folder, places.find()):
                counts[one.outcome] += 1
                typer.echo(f"{one.outcome}\t{one.condition}\t{one.what}\t{one.says}")
        typer.echo(", ".join(f"{number} {name}" for name, number in counts.items()))
    if counts["differs"]:
        raise typer.Exit(1)
