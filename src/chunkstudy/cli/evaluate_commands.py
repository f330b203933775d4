"""``chunkstudy evaluate`` and ``chunkers``: ways of chunking compared on own documents."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chunkstudy.cli.cli_errors import one_sentence

if TYPE_CHECKING:
    from chunkstudy.user_data.baseline import Baseline

PANEL = "Your own documents"
app = typer.Typer()
SOURCE = Path(__file__).parents[1] / "data" / "chunkers.toml"
KINDS: dict[str, dict[str, str]] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
"""Chunkers by what they are, each by an example, and what it does."""
COULD_NOT_COMPARE = 2
"""The exit status of a gate that is undecided or could not compare."""


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
        typer.Option(
            help="The folder of an accepted evaluation. Exit code 0: no system is worse, 1: one "
            "is, 2: undecided or not comparable"
        ),
    ] = None,
    max_drop: Annotated[
        float | None,
        typer.Option(help="With --baseline: points by which a mean may fall, 5 by default"),
    ] = None,
    allow_undecided: Annotated[
        bool, typer.Option("--allow-undecided", help="With --baseline: accept an undecided result")
    ] = False,
    allow_missing: Annotated[
        bool,
        typer.Option(
            "--allow-missing", help="With --baseline: its questions may be gone or changed"
        ),
    ] = False,
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
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ignore the vectors that were computed before")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Compare chunkers and encoders on your own documents and questions.

    Without questions chunks are screened: sizes, text never read, sentences broken. A run that was
    stopped goes on with the vectors it has. docs/your-own-data.md has examples.
    """
    from chunkstudy.collections.user_collections import brings_questions
    from chunkstudy.user_data import evaluate as study
    from chunkstudy.user_data import gated, report
    from chunkstudy.user_data.comparison import screen
    from chunkstudy.user_data.estimate import estimate
    from chunkstudy.user_data.gate import UNDECIDED
    from chunkstudy.user_data.reading_warnings import reading_warnings
    from chunkstudy.user_data.recommendation import check_tolerance

    gate_options: dict[str, Any] = {} if max_drop is None else {"max_drop": max_drop}
    gate_options |= {"allow_undecided": True} if allow_undecided else {}
    gate_options |= {"allow_missing": True} if allow_missing else {}
    with one_sentence(1 if baseline is None else COULD_NOT_COMPARE):
        accepted = _load_accepted(baseline, gate_options)
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
            "fresh": fresh,
            "say": lambda line: typer.echo(line, err=True),
        }
        check_tolerance(tolerance)
        asked = questions is not None or brings_questions(documents)
        if accepted and not asked:
            raise ValueError(f"--baseline {baseline} needs questions; name them with --questions")
        if dry_run or not asked:
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
        given |= {"seed": seed, "output": output, "tolerance": tolerance}
        result = None
        if accepted:
            result = gated.evaluate_gated(accepted, documents, questions, **given, **gate_options)
        evaluation = result.evaluation if result else study.evaluate(documents, questions, **given)
        typer.echo("".join(f"Warning: {warning}\n\n" for warning in evaluation.warnings), nl=False)
        frames = {"evaluation": evaluation.table, "evaluation_tests": evaluation.tests}
        typer.echo(report.text({report.CAPTIONS[x]: f for x, f in frames.items() if len(f)}))
        typer.echo(f"\n{evaluation.answer}\n{evaluation.more}".rstrip())
        typer.echo(evaluation.page)
        if result is None:
            return
        typer.echo(str(result))
    if not result.accepted:
        raise typer.Exit(COULD_NOT_COMPARE if result.gate.outcome == UNDECIDED else 1)


def _load_accepted(baseline: Path | None, options: Mapping[str, Any]) -> Baseline | None:
    """Load the baseline, and refuse options of the gate that have none."""
    from chunkstudy.user_data.baseline import load_baseline
    from chunkstudy.user_data.gate import MAX_DROP, check_max_drop

    check_max_drop(options.get("max_drop", MAX_DROP))
    if baseline is None and options:
        option = next(iter(options)).replace("_", "-")
        raise ValueError(f"--{option} needs --baseline; name the folder of an accepted evaluation")
    return load_baseline(baseline) if baseline else None


@app.command(rich_help_panel=PANEL)
def chunkers() -> None:
    """List chunkers by what they are, each as `chunkstudy evaluate --chunker` takes it."""
    for kind, known in KINDS.items():
        typer.echo(f"{kind}:")
        for slug, says in known.items():
            typer.echo(f"  {slug:<32} {says}")
