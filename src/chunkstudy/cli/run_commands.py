"""Conditions: which there are, what they take, running them; and what can be done with their
records."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Annotated

import typer

from chunkstudy.cli.cli_errors import one_sentence
from chunkstudy.collections import registry
from chunkstudy.core.errors import UserError
from chunkstudy.core.project import find_project
from chunkstudy.pipeline import conditions, records
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.estimate import lines, of_conditions
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.release import grid

PANEL, RECORDS = "Conditions", "Records"
app = typer.Typer()
Only = Annotated[
    list[str],
    typer.Option(
        help="Conditions to take: any one in full, or with wildcards those of the study: "
        "'chroma/recursive-*/*/*/corrected'; give it several times for more"
    ),
]
ALL = ["*"]
CHROMA = ["chroma/*"]
WILDCARDS = frozenset("*?[")


def select(only: list[str]) -> list[Condition]:
    """The conditions that some patterns name, each once, in the order of the patterns.

    Raises:
        UserError: if a pattern matches nothing.
        FileNotFoundError: if a pattern has wildcards and there are no notebooks beside.
        ValueError, RuntimeError: if one that names a condition in full names none that exists.
    """
    chosen: dict[Condition, None] = {}
    study = None
    for pattern in only:
        if _in_full(pattern):
            chosen[conditions.parse(pattern)] = None
            continue
        study = study or grid.conditions(find_project())
        matching = [one for one in study if fnmatch.fnmatch(str(one), pattern)]
        if not matching:
            raise UserError(
                f"no condition matches {pattern!r}; `chunkstudy list` shows the study's, and any "
                "other condition runs as collection/chunker/encoder/ordering/protocol"
            )
        chosen |= dict.fromkeys(matching)
    return list(chosen)


def _in_full(pattern: str) -> bool:
    """Whether a pattern names one condition, all its parts and no wildcard."""
    return not WILDCARDS.intersection(pattern) and pattern.strip("/").count("/") == 4


@app.command("list", rich_help_panel=PANEL)
def list_conditions(only: Only = ALL) -> None:
    """Every condition of the study with its status, and the reason where it cannot be run."""
    with one_sentence():
        for condition in select(only):
            if records.complete(records.runs_of(condition), condition):
                status = "recorded"
            else:
                status = reason_not_run(condition) or "open"
            typer.echo(f"{condition}\t{status}")


@app.command(rich_help_panel=PANEL)
def status() -> None:
    """How many conditions are recorded, open, or cannot be run here."""
    with one_sentence():
        where = find_project()
        study = grid.conditions(where)
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
    from chunkstudy.core import weights
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
    again: Annotated[bool, typer.Option(help="Count what is recorded as well")] = False,
) -> None:
    """Tokens, time on two cores like ours, and dollars that a run would take.

    What language models are asked for to draw boundaries is counted as if nothing were recorded.
    """
    with one_sentence():
        runs_of, complete = records.runs_of, records.complete
        todo = [c for c in select(only) if again or not complete(runs_of(c), c)]
        for line in lines(of_conditions(todo, find_project())):
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
        from chunkstudy.pipeline import scheduler

        failed = scheduler.run(
            select(only),
            find_project(),
            processes=processes,
            dask=dask,
            dry_run=dry_run,
            again=again,
        )
    if failed:
        raise typer.Exit(1)


@app.command(rich_help_panel=RECORDS)
def export(
    trec: Annotated[Path, typer.Option(help="The folder of runs and qrels")],
    only: Only = ALL,
) -> None:
    """Rankings as trec_eval and ir-measures read them."""
    with one_sentence():
        from chunkstudy.pipeline.export import write_trec

        where = find_project()
        recorded = [
            condition
            for condition in records.find(where.runs)
            if any(fnmatch.fnmatch(str(condition), pattern) for pattern in only)
        ]
        if not recorded:
            raise UserError(
                f"no record matches {' or '.join(only)}; `chunkstudy list` shows what is recorded"
            )
        done, missing = write_trec(trec, recorded, where.runs)
        typer.echo(f"rankings of {done} conditions written to {trec}")
        if missing:
            typer.echo(
                f"{len(missing)} rankings or their collections are not at hand, first that of "
                f"{missing[0]}; `chunkstudy run --only '{missing[0]}' --again` makes it",
                err=True,
            )


@app.command(rich_help_panel=RECORDS)
def merge(
    folder: Annotated[Path, typer.Argument(help="Another machine's results/runs")],
) -> None:
    """Add another machine's records to those of this checkout; none is replaced."""
    with one_sentence():
        from chunkstudy.pipeline.record_store import merge as add

        added, already, refused = add(folder)
    for refusal in refused:
        typer.echo(f"chunkstudy: {refusal}", err=True)
    typer.echo(f"{added} records added, {already} were here already, {len(refused)} refused")
    if refused:
        raise typer.Exit(1)
