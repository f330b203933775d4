"""The command line; ``commands/`` has a file for each kind of command."""

from __future__ import annotations

import typer

from chunkstudy.commands import evaluate, own_data, questions, recorded, running, whole

app = typer.Typer(
    help="A reproducibility study of document chunking for retrieval.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for kind in (whole, evaluate, own_data, running, recorded, questions):
    app.add_typer(kind.app)

if __name__ == "__main__":
    app()
