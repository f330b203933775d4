"""Generated questions on own documents, and why a query was missed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunkstudy.cli.cli_errors import one_sentence
from chunkstudy.core.project import project_or_working_folder
from chunkstudy.pipeline import conditions

PANEL = "Your own documents"
app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def generate(
    documents: Annotated[Path, typer.Argument(help="A folder of texts")],
    model: Annotated[str, typer.Option(help="Whom to ask, for instance openai/gpt-4o-mini")],
    questions: Annotated[int, typer.Option(min=1, help="How many to try for")] = 50,
    out: Annotated[
        Path | None,
        typer.Option(help="The collection's folder; below build/collections if none"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another one shows other passages")] = 0,
    least: Annotated[
        float, typer.Option(min=-1, max=1, help="Similarity that an excerpt needs")
    ] = 0.36,
    most: Annotated[
        float, typer.Option(min=-1, max=1, help="Similarity that two questions may have")
    ] = 0.78,
    encoder: Annotated[str, typer.Option(help="Whose similarities")] = conditions.MINILM,
    replay: Annotated[bool, typer.Option("--replay", help="Ask nobody; use what is kept")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Let a language model write questions with excerpts on your own texts, and filter them.

    It says what it takes and asks; a run that was stopped goes on from its recorded replies.
    """
    from chunkstudy.collections import user_documents
    from chunkstudy.studies.generated_questions import collection, generate

    with one_sentence():
        settings = generate.GenerationSettings(model, questions, seed)
        if dry_run:
            typer.echo(generate.price(user_documents.read(documents), settings))
            return
        folder = collection.make(
            project_or_working_folder(),
            documents,
            settings,
            out,
            encoder,
            least,
            most,
            lambda line: typer.echo(line, err=True),
            replay,
        )
        typer.echo(folder)


@app.command(rich_help_panel=PANEL)
def inspect(
    collection: Annotated[str, typer.Argument(help="chroma, builtin, or one of your own")],
    query: Annotated[
        str | None, typer.Argument(help="A query id; without one, the worst queries and an index")
    ] = None,
    chunker: Annotated[
        list[str] | None, typer.Option(help="A chunker's slug; repeat it to compare several")
    ] = None,
    encoder: Annotated[str, typer.Option(help="An encoder's slug or hub id")] = conditions.MINILM,
    k: Annotated[int, typer.Option("--k", help="Show what the first K chunks hold")] = 5,
) -> None:
    """Show why a query's chunks were found or missed, as a page that opens from disk.

    It lies below build/inspector; without a query the worst 20 have one each, beside an index.
    """
    from chunkstudy.user_data.inspector import pages

    with one_sentence():
        written = pages.write(
            project_or_working_folder(),
            collection,
            query,
            chunker or pages.CHUNKERS,
            encoder=encoder,
            k=k,
        )
        typer.echo(written)
