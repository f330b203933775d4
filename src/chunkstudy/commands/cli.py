"""The command line; ``commands/`` has a file for each kind of command."""

from __future__ import annotations

import typer

from chunkstudy.commands import own_data as own
from chunkstudy.commands import questions, recorded, running, whole

app = typer.Typer(
    help="A reproducibility study of document chunking for retrieval.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for kind in (whole, own, running, recorded, questions):
    app.add_typer(kind.app)

if __name__ == "__main__":
    app()
