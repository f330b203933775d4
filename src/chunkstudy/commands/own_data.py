"""Own documents, generated questions, and why a query was missed."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from chunkstudy.base import places
from chunkstudy.commands.failing import one_sentence
from chunkstudy.runs import conditions

PANEL = "Your own documents"
app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def evaluate(
    documents: Annotated[
        Path, typer.Argument(help="A folder of texts, a .jsonl with one a line, or BEIR's form")
    ],
    questions: Annotated[
        Path | None, typer.Option(help="A question a line with what answers it")
    ] = None,
    chunker: Annotated[
        list[str] | None,
        typer.Option(help="As `chunkstudy chunkers` lists them, or module:name; repeat for more"),
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            help="A hub id, a folder, module:function, openai/MODEL, bm25, or bm25+any of these"
        ),
    ] = None,
    base_url: Annotated[str, typer.Option(help="Of the server that openai/MODEL is behind")] = "",
    ordering: Annotated[
        list[str] | None,
        typer.Option(help="plain, late (late chunking), title or headings before each chunk"),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", help="Chunks taken as read; 5, or 10 of whole documents")
    ] = None,
    budget: Annotated[
        int, typer.Option(help="Tokens taken as read; ranks by these instead of by --k")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Of the resamples behind the intervals")] = 0,
    name: Annotated[str, typer.Option(help="What the collection is called")] = "",
    output: Annotated[
        Path | None, typer.Option(help="The folder to write; below build/evaluations if none")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Compare chunkers and encoders on your own documents and questions.

    Without questions chunks are screened: sizes, text never read, sentences broken. A run that was
    stopped goes on with the vectors it has. docs/your-own-data.md has examples.
    """
    from chunkstudy.commands.evaluate import evaluate as door
    from chunkstudy.commands.evaluate import price, report, screening

    with one_sentence():
        chunkers, encoders = chunker or door.CHUNKERS, encoder or (conditions.MINILM,)
        orderings = ordering or ("plain",)
        given: dict[str, Any] = {
            "orderings": orderings,
            "name": name,
            "base_url": base_url,
            "say": lambda line: typer.echo(line, err=True),
        }
        if dry_run or (questions is None and not door.brings_questions(documents)):
            texts, arms, notes = door.compared(documents, questions, chunkers, encoders, **given)
            vectors = places.here().vectors
            if dry_run:
                for line in chain(notes, price.price(texts, arms, vectors)):
                    typer.echo(line)
                return
            typer.echo(report.screened(screening.screen(texts, arms, vectors)))
            typer.echo("\n".join(("", *notes, door.MISSING.format(documents))))
            return
        given |= {"k": k, "budget": budget, "seed": seed, "output": output}
        found = door.evaluate(documents, questions, chunkers, encoders, **given)
        typer.echo(report.text(found))
        typer.echo(f"\n{found.answer}\n{found.more}".rstrip())
        typer.echo(found.page)


@app.command(rich_help_panel=PANEL)
def chunkers() -> None:
    """List chunkers by what they are, each as `chunkstudy evaluate --chunker` takes it."""
    from chunkstudy.commands.evaluate.listing import KINDS

    for kind, known in KINDS.items():
        typer.echo(f"{kind}:")
        for slug, says in known.items():
            typer.echo(f"  {slug:<32} {says}")


@app.command(rich_help_panel=PANEL)
def generate(
    documents: Annotated[Path, typer.Argument(help="A folder of texts")],
    model: Annotated[str, typer.Option(help="Whom to ask, for instance openai/gpt-4o-mini")],
    questions: Annotated[int, typer.Option(help="How many to try for")] = 50,
    out: Annotated[
        Path | None,
        typer.Option(help="The collection's folder; below build/collections if none"),
    ] = None,
    variant: Annotated[
        str, typer.Option(help="exact (excerpts are quoted) or approximate (numbered pieces)")
    ] = "exact",
    seed: Annotated[int, typer.Option(help="Another one shows other passages")] = 0,
    attempts: Annotated[int, typer.Option(help="Replies asked for at most, a question")] = 10,
    characters: Annotated[int, typer.Option(help="Of a document shown at once")] = 4_000,
    least: Annotated[float, typer.Option(help="Similarity that an excerpt needs")] = 0.36,
    most: Annotated[float, typer.Option(help="Similarity that two questions may have")] = 0.78,
    encoder: Annotated[str, typer.Option(help="Whose similarities")] = conditions.MINILM,
    replay: Annotated[bool, typer.Option("--replay", help="Ask nobody; use what is kept")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Let a language model write questions with excerpts on your own texts, and filter them.

    It says what it takes and asks; a run that was stopped goes on from its recorded replies.
    """
    from chunkstudy.commands import generating
    from chunkstudy.studies.generated_questions.prompts import Settings, Variant

    with one_sentence():
        settings = Settings(
            model,
            questions,
            cast(Variant, variant),
            seed=seed,
            attempts=attempts,
            characters=characters,
        )
        if dry_run:
            for line in generating.price(documents, settings):
                typer.echo(line)
            return
        folder = generating.run(
            places.here(),
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
    protocol: Annotated[str, typer.Option(help="The one whose chunks are drawn")] = "corrected",
    depth: Annotated[int, typer.Option(help="Chunks taken as read")] = 5,
    worst: Annotated[int, typer.Option(help="Pages written beside an index")] = 20,
    out: Annotated[
        Path | None, typer.Option(help="The HTML file; below build/inspector by default")
    ] = None,
) -> None:
    """Show why a query's chunks were found or missed, as a page that opens from disk."""
    from chunkstudy.show.inspector import pages

    with one_sentence():
        written = pages.write(
            places.here(), collection, query, chunker or pages.CHUNKERS,
            encoder=encoder, protocol=protocol, depth=depth, worst=worst, out=out,
        )  # fmt: skip
        typer.echo(written)
