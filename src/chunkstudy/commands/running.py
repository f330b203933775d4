"""Which conditions there are, what they take, and running them."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkstudy.base import places
from chunkstudy.collections import registry
from chunkstudy.commands.choosing import ALL, CHROMA, Only, select
from chunkstudy.commands.failing import one_sentence
from chunkstudy.publish import planned
from chunkstudy.runs import records
from chunkstudy.runs.estimate import DEVICES, TWO_CORES
from chunkstudy.runs.estimate import estimate as lines
from chunkstudy.runs.requirements import reason_not_run

PANEL = "Conditions"
app = typer.Typer()


@app.command("list", rich_help_panel=PANEL)
def list_conditions(only: Only = ALL) -> None:
    """Every condition of the study with its status, and the reason where it cannot be run."""
    with one_sentence():
        runs = places.find().runs
        for condition in select(only):
            if records.complete(runs, condition):
                status = "recorded"
            else:
                status = reason_not_run(condition) or "open"
            typer.echo(f"{condition}\t{status}")


@app.command(rich_help_panel=PANEL)
def status() -> None:
    """How many conditions are recorded, open, or cannot be run here."""
    with one_sentence():
        where = places.find()
        study = planned.conditions(where)
        missing = [one for one in study if not records.complete(where.runs, one)]
        blocked = sum(reason_not_run(one) is not None for one in missing)
        typer.echo(
            f"{len(study) - len(missing)} recorded, {len(missing) - blocked} open, "
            f"{blocked} cannot be run here; `chunkstudy list` shows which, `chunkstudy estimate` "
            "what they take"
        )


@app.command(rich_help_panel=PANEL)
def models(
    names: Annotated[
        list[str] | None, typer.Argument(help="Parts of models' names; all models if none")
    ] = None,
) -> None:
    """Every model: what it reads, was trained on, and whether late chunking suits it."""
    from chunkstudy.base import weights
    from chunkstudy.studies.jina import checklist

    with one_sentence():
        rows = [
            checklist.row(one) | {"weights here": weights.at_hand(one)}
            for one in checklist.named(names or [])
        ]
        typer.echo("\n\n".join("\n".join(checklist.lines(one)) for one in rows))


@app.command(rich_help_panel=PANEL)
def fetch(
    collections: Annotated[
        list[str] | None, typer.Argument(help="Collections, for instance scifact; chroma if none")
    ] = None,
) -> None:
    """Download the collections' files that are not here yet, checked by sha256."""
    with one_sentence():
        for name in collections or ["chroma"]:
            found = registry.find(name).load()
            typer.echo(f"{name}\t{len(found.documents)} documents\t{len(found.queries)} queries")


@app.command(rich_help_panel=PANEL)
def estimate(
    only: Only = CHROMA,
    device: Annotated[
        str, typer.Option(help=f"Where it would run: {', '.join(DEVICES)}")
    ] = TWO_CORES,
    again: Annotated[bool, typer.Option(help="Count what is recorded as well")] = False,
) -> None:
    """Tokens, floating-point operations, hours and dollars that a run would take.

    Boundaries that the papers let a language model draw come last.
    """
    with one_sentence():
        if device not in DEVICES:
            raise ValueError(f"unknown device {device!r}; use one of {', '.join(DEVICES)}")
        for line in lines(select(only), places.find(), device, again):
            typer.echo(line)


@app.command(rich_help_panel=PANEL)
def run(
    only: Only = CHROMA,
    dry_run: Annotated[
        bool, typer.Option(help="Only print what would be run, and what it takes")
    ] = False,
    again: Annotated[bool, typer.Option(help="Run recorded conditions again")] = False,
    processes: Annotated[int, typer.Option(help="Processes here that share the cores")] = 0,
    dask: Annotated[str, typer.Option(help="A Dask scheduler of yours, HOST:PORT")] = "",
) -> None:
    """Run conditions and write their records; what is recorded already is left alone.

    What an API sells is priced first and stops at CHUNKSTUDY_BUDGET dollars. For many machines see
    docs/cluster.md.
    """
    with one_sentence():
        from chunkstudy.runs import running

        failed = running.run(
            select(only),
            places.find(),
            processes=processes,
            dask=dask,
            dry_run=dry_run,
            again=again,
        )
    if failed:
        raise typer.Exit(1)
