"""The command line; ``cli/`` has a file for each kind of command."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from chunkstudy.cli import (
    evaluate_commands,
    experiment_commands,
    run_commands,
    study_commands,
    user_data_commands,
)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for kind in (
    study_commands,
    evaluate_commands,
    user_data_commands,
    run_commands,
    experiment_commands,
):
    app.add_typer(kind.app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chunkstudy {metadata.version('chunkstudy')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version")
    ] = False,
) -> None:
    """A reproducibility study of document chunking for retrieval."""


if __name__ == "__main__":
    app()
