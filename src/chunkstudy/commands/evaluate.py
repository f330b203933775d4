"""``chunkstudy evaluate`` and ``chunkers``: ways of chunking compared on own documents."""

from __future__ import annotations

import tomllib
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from chunkstudy.commands.failing import one_sentence

PANEL = "Your own documents"
app = typer.Typer()
SOURCE = Path(__file__).parents[1] / "data" / "chunkers.toml"
KINDS: dict[str, dict[str, str]] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
"""Chunkers by what they are, each by an example, and what it does."""


@app.command(rich_help_panel=PANEL)
def evaluate(
    documents: Annotated[
        Path,
        typer.Argument(
            help="A folder of texts (also HTML, PDF, Word, RTF, notebooks, CSV), a .jsonl with one "
            "a line, or BEIR's form"
        ),
    ],
    questions: Annotated[
        Path | None,
        typer.Option(help="A file with one JSON question per line and what answers it"),
    ] = None,
    chunker: Annotated[
        list[str] | None,
        typer.Option(
            help="As `chunkstudy chunkers` lists them, several as 'recursive-{100,200,400}-0', or "
            "module:name; repeat for more"
        ),
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            help="A hub id, a folder, module:function, openai/MODEL, bm25, or bm25+any of these; "
            "a model that is not the study's needs the extra `models`"
        ),
    ] = None,
    base_url: Annotated[str, typer.Option(help="Of the server that openai/MODEL is behind")] = "",
    ordering: Annotated[
        list[str] | None,
        typer.Option(help="plain, late (late chunking), title or headings before each chunk"),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", help="Decide by the first K chunks instead; by 10 where documents are judged"
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(help="Decide by the first N tokens returned; 1,000 unless --k is given"),
    ] = None,
    budget: Annotated[int, typer.Option(hidden=True, help="Old name of --max-tokens")] = 0,
    tolerance: Annotated[
        float,
        typer.Option(help="Points that a cheaper system may score lower to be recommended"),
    ] = 5.0,
    seed: Annotated[int, typer.Option(help="Of the resamples behind the intervals")] = 0,
    name: Annotated[str, typer.Option(help="What the collection is called")] = "",
    output: Annotated[
        Path | None, typer.Option(help="The folder to write; below build/evaluations if none")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="An earlier evaluation's folder; exit code 1 where one got worse"),
    ] = None,
    only_vectors: Annotated[
        bool, typer.Option("--only-vectors", help="Leave out BM25 and its fusion with each encoder")
    ] = False,
    rerank: Annotated[
        str | None,
        typer.Option(
            help="Every way once more, its first 50 chunks ordered by this cross-encoder: "
            "a hub id, a folder, or module:function"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Compare chunkers and encoders on your own documents and questions.

    Without questions chunks are screened: sizes, text never read, sentences broken. A run that was
    stopped goes on with the vectors it has. docs/your-own-data.md has examples.
    """
    from chunkstudy.collections.own import brings_questions
    from chunkstudy.studies.own_documents import evaluate as study
    from chunkstudy.studies.own_documents import report
    from chunkstudy.studies.own_documents.comparison import screen
    from chunkstudy.studies.own_documents.estimate import estimate
    from chunkstudy.studies.own_documents.gate import held_against
    from chunkstudy.studies.own_documents.reading_warnings import reading_warnings
    from chunkstudy.studies.own_documents.recommendation import check_tolerance

    with one_sentence():
        given: dict[str, Any] = {
            "chunkers": chunker or study.CHUNKERS,
            "encoders": encoder or study.ENCODERS,
            "orderings": ordering or (study.PLAIN,),
            "k": k,
            "max_tokens": max_tokens,
            "budget": budget,
            "name": name,
            "base_url": base_url,
            "only_vectors": only_vectors,
            "rerank": rerank,
            "say": lambda line: typer.echo(line, err=True),
        }
        check_tolerance(tolerance)
        if dry_run or (questions is None and not brings_questions(documents)):
            pipeline, systems, notes = study.prepared(documents, questions, **given)
            if dry_run:
                for line in chain(notes, estimate(pipeline, systems)):
                    typer.echo(line)
                return
            screened = screen(pipeline, systems)
            warnings = reading_warnings(pipeline, systems, screened["unread"].tolist())
            typer.echo("".join(f"Warning: {warning}\n\n" for warning in warnings), nl=False)
            typer.echo(report.screening(screened))
            typer.echo("\n".join(("", *notes, study.MISSING.format(documents))))
            return
        evaluation = study.evaluate(
            documents, questions, **given, seed=seed, output=output, tolerance=tolerance
        )
        typer.echo("".join(f"Warning: {warning}\n\n" for warning in evaluation.warnings), nl=False)
        frames = {"evaluation": evaluation.table, "evaluation_tests": evaluation.tests}
        typer.echo(report.text({report.CAPTIONS[x]: f for x, f in frames.items() if len(f)}))
        typer.echo(f"\n{evaluation.answer}\n{evaluation.more}".rstrip())
        typer.echo(evaluation.page)
        if baseline is None:
            return
        held = held_against(evaluation, baseline)
        typer.echo(str(held))
    if held.worse:
        raise typer.Exit(1)


@app.command(rich_help_panel=PANEL)
def chunkers() -> None:
    """List chunkers by what they are, each as `chunkstudy evaluate --chunker` takes it."""
    for kind, known in KINDS.items():
        typer.echo(f"{kind}:")
        for slug, says in known.items():
            typer.echo(f"  {slug:<32} {says}")
