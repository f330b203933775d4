"""The whole study: derive, check, and its pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunkstudy.cli.cli_errors import one_sentence
from chunkstudy.core.errors import UserError
from chunkstudy.core.project import find_project
from chunkstudy.release import grid

PANEL = "The whole study"
app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def reproduce(
    profile: Annotated[str, typer.Option(help="builtin, laptop or full")] = "builtin",
) -> None:
    """Derive every table, figure and page from the records; see README for the profiles."""
    from chunkstudy.pipeline import scheduler
    from chunkstudy.release import reproduce as everything

    with one_sentence():
        where = find_project()
        if profile not in ("builtin", "laptop", "full"):
            raise UserError(f"unknown profile {profile!r}; use builtin, laptop or full")
        if profile != "builtin":
            full = profile == "full"
            chosen = grid.conditions(where) if full else grid.of_small_model(where)
            if scheduler.run(chosen, where, again=full):
                raise RuntimeError("some conditions failed, as said above; then run this again")
        everything.reproduce(where)


@app.command(rich_help_panel=PANEL)
def check(
    questions: Annotated[
        Path | None, typer.Argument(help="Your questions, to be looked up in your documents")
    ] = None,
    documents: Annotated[
        Path | None, typer.Argument(help="Your documents: a folder, or a file with one a line")
    ] = None,
) -> None:
    """Whether the study's tables, figures and pages are what its records give, by bytes; or whether
    your own questions can be judged in your documents.

    Of each excerpt that stands nowhere it shows the nearest text, ready to paste. Ends with exit
    code 1 where something is lost.
    """
    from chunkstudy.release import check as checking

    with one_sentence():
        if questions is None:
            typer.echo(checking.check(find_project()))
            return
        if documents is None:
            raise ValueError("name the documents too: chunkstudy check questions.jsonl FOLDER")
        from chunkstudy.collections import user_collections

        judged = user_collections.looked_up(documents, questions)
        for note in judged.notes:
            typer.echo(note)
        for fault in judged.faults:
            typer.echo("\n".join(filter(None, (str(fault), fault.paste))))
        if not judged.faults:
            typer.echo(f"All {len(judged.collection.queries)} questions can be judged.")
    if judged.faults:
        raise typer.Exit(1)


@app.command(rich_help_panel=PANEL)
def paper() -> None:
    """Set paper/main.pdf with TeX, from what is derived; says what to install where TeX lacks."""
    from chunkstudy.release import paper as build

    with one_sentence():
        where = find_project()
        typer.echo(build.build(where).relative_to(where.root))
