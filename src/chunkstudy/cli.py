"""The command line: list, fetch, estimate, run, study, generate, inspect, reproduce, check."""

from __future__ import annotations

import errno
import fnmatch
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, cast

import typer

from chunkstudy import faults, places
from chunkstudy.collections import registry
from chunkstudy.grid import conditions, devices, grids, records
from chunkstudy.grid.conditions import Condition

app = typer.Typer(
    help="A reproducibility study of document chunking for retrieval.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Only = Annotated[
    list[str],
    typer.Option(
        help="Conditions to take: any one in full, or with wildcards those of the grid: "
        "'chroma/recursive-*/*/*/corrected'; give it several times for more"
    ),
]
ALL = ["*"]
CHROMA = ["chroma/*"]
WILDCARDS = frozenset("*?[")


@app.command("list")
def list_conditions(only: Only = ALL) -> None:
    """Every condition of the study with its status, and the reason where it cannot be run."""
    with one_sentence():
        runs = places.find().runs
        for condition in _select(only):
            if records.complete(runs / condition.path):
                status = "recorded"
            else:
                status = condition.reason_not_run or "open"
            typer.echo(f"{condition}\t{status}")


@app.command()
def status() -> None:
    """How many conditions are recorded, open, or cannot be run here; what the open ones take."""
    with one_sentence():
        from chunkstudy.grid.estimate import open_by_model

        runs = places.find().runs
        grid = grids.grid()
        done = [c for c in grid if records.complete(runs / c.path)]
        blocked = [c for c in grid if c not in done and c.reason_not_run]
        typer.echo(
            f"{len(done)} recorded, {len(grid) - len(done) - len(blocked)} open, "
            f"{len(blocked)} cannot be run here; `chunkstudy list` shows which"
        )
        for line in open_by_model(grid, places.find()):
            typer.echo(line)


@app.command()
def models(
    names: Annotated[
        list[str] | None, typer.Argument(help="Parts of models' names; all models if none")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs")] = False,
) -> None:
    """Every model: what it reads, was trained on, and whether late chunking suits it."""
    import json

    from chunkstudy.encoders import checklist

    with one_sentence():
        rows = [
            checklist.row(one) | {"weights here": checklist.at_hand(one.id)}
            for one in checklist.named(names or [])
        ]
        if as_json:
            typer.echo(json.dumps(rows, indent=1, ensure_ascii=False))
            return
        typer.echo("\n\n".join("\n".join(checklist.lines(one)) for one in rows))


@app.command()
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


@app.command()
def estimate(
    only: Only = CHROMA,
    device: Annotated[
        str, typer.Option(help=f"Where it would run: {', '.join(devices.DEVICES)}")
    ] = devices.TWO_CORES,
) -> None:
    """Tokens, floating-point operations, hours and dollars that a run would take.

    Boundaries that the papers let a language model draw come last.
    """
    with one_sentence():
        _price(_select(only), device)


@app.command()
def run(
    only: Only = CHROMA,
    dry_run: Annotated[
        bool, typer.Option(help="Only print what would be run: units, shards, what they take")
    ] = False,
    again: Annotated[bool, typer.Option(help="Run recorded conditions again")] = False,
    processes: Annotated[int, typer.Option(help="Processes here that share the cores")] = 0,
    executor: Annotated[
        str, typer.Option(help="Machines: dask://host:port, a Dask scheduler of yours")
    ] = "",
    shard: Annotated[
        str, typer.Option(help="One part of the work, such as 2/8, for machines by hand")
    ] = "",
) -> None:
    """Run conditions and write their records; what is recorded already is left alone.

    What an API sells is priced first and stops at CHUNKSTUDY_BUDGET dollars. For many machines see
    docs/cluster.md.
    """
    with one_sentence():
        failed = _run(_select(only), dry_run, again, processes, executor, shard)
    if failed:
        raise typer.Exit(1)


@app.command()
def rescore(
    measure: Annotated[str, typer.Argument(help="Such as P@5, SpanRecall@3 or DCG@3")],
    only: Only = ALL,
) -> None:
    """Add a measure to records, computed from their kept rankings without encoding."""
    with one_sentence():
        from chunkstudy.grid.rescore import rescore as add

        added = add(measure, _recorded(only), places.find())
        typer.echo(f"{measure} was added to {added} records; run `chunkstudy reproduce` next")


@app.command()
def export(
    csv: Annotated[Path, typer.Option(help="The file to write")],
    only: Only = ALL,
) -> None:
    """Per-query scores as text, a line per condition, query and measure."""
    with one_sentence():
        from chunkstudy.grid.deposit import export_csv
        from chunkstudy.grid.library import Library

        lines = export_csv(csv, _recorded(only), Library(places.find()))
        typer.echo(f"{lines} scores written to {csv}")


@app.command()
def archive(
    out: Annotated[Path, typer.Argument(help="The tar file to write")],
) -> None:
    """Pack records and rankings into one file to deposit."""
    with one_sentence():
        from chunkstudy.grid.deposit import archive as pack

        packed, missing = pack(out, places.find())
        typer.echo(f"{packed} files packed into {out}")
        if missing:
            typer.echo(
                f"{len(missing)} rankings are not at hand, first that of {missing[0]}; "
                f"`chunkstudy run --only '{missing[0]}' --again` makes it",
                err=True,
            )


@app.command()
def pack(
    out: Annotated[Path, typer.Argument(help="The tar file to write")],
    by: Annotated[str, typer.Option(help="Who ran it")],
    machine: Annotated[str, typer.Option(help="On what: processor or GPU, memory")],
    only: Only = ALL,
    note: Annotated[str, typer.Option(help="What a reader should know")] = "",
) -> None:
    """Pack recorded conditions with their rankings, to hand them in (CONTRIBUTING.md)."""
    with one_sentence():
        from chunkstudy.grid.handing_in import HandedIn
        from chunkstudy.grid.handing_in import pack as into

        told = HandedIn(by=by, machine=machine, date=f"{datetime.now():%Y-%m-%d}", note=note)
        count, size = into(out, _recorded(only), places.find(), told)
        typer.echo(f"{count} records in {out}, {size / 1e6:.1f} MB; `chunkstudy verify {out}`")


@app.command()
def verify(
    handed_in: Annotated[Path, typer.Argument(help="What `chunkstudy pack` wrote, or a folder")],
) -> None:
    """Check somebody's records without trusting them and without their encoder."""
    with one_sentence():
        from chunkstudy.grid.handing_in import unpacked
        from chunkstudy.grid.verify import verify as checks

        counts = {"agrees": 0, "differs": 0, "not checked": 0}
        with unpacked(handed_in) as folder:
            for one in checks(folder, places.find()):
                counts[one.outcome] += 1
                typer.echo(f"{one.outcome}\t{one.condition}\t{one.what}\t{one.says}")
        typer.echo(", ".join(f"{number} {name}" for name, number in counts.items()))
    if counts["differs"]:
        raise typer.Exit(1)


@app.command()
def study(
    name: Annotated[str | None, typer.Argument(help="A study, as --list names them")] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(help="Take these instead; the tables then go to build/studies"),
    ] = None,
    list_studies: Annotated[bool, typer.Option("--list", help="Every study's question")] = False,
    fold: Annotated[int | None, typer.Option(help="Of a study in parts, those of a fold")] = None,
    arm: Annotated[str | None, typer.Option(help="Those of an arm, for instance context")] = None,
    part: Annotated[str, typer.Option(help="Those of a name, with wildcards")] = "*",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what parts take")] = False,
) -> None:
    """Answer a question outside the grid; writes results/studies/NAME.

    A study that trains models comes in parts; those that were run already are left alone.
    """
    from chunkstudy.studies import in_parts, runner

    with one_sentence():
        if list_studies or name is None:
            for known, question in runner.studies().items():
                typer.echo(f"{known}\t{question}")
            return
        where = places.find()
        study_file = runner.module(runner.results.checked(name))
        if hasattr(study_file, "PLAN") or fold is not None or arm or part != "*" or dry_run:
            if collection:
                raise in_parts.StudyError(f"study {name} comes in parts; leave --collection out")
            parts = in_parts.chosen(study_file, part, fold=fold, arm=arm)
            parts = in_parts.todo(where, name, parts)
            if dry_run:
                for line in study_file.estimate(parts):
                    typer.echo(line)
                return
            folder, tables = in_parts.run(where, name, parts, lambda one: typer.echo(one, err=True))
        else:
            folder, tables = runner.run(where, name, collection)
        for table, rows in tables.items():
            typer.echo(f"{folder / table}.csv\t{len(rows)} rows")


@app.command()
def predict(
    register: Annotated[
        bool, typer.Option(help="Write down what is expected of cells that nobody has run")
    ] = False,
    date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day; today if none")
    ] = None,
) -> None:
    """What became of the registered predictions; with --register, make new ones.

    What is registered is never changed: a record decides it.
    """
    from chunkstudy.predictions import tables, today
    from chunkstudy.predictions.register import read

    with one_sentence():
        where = places.find()
        if register:
            path, new, decided = today.predict(where, (date or datetime.now()).date())
            typer.echo(f"{path}\t{new} predictions, {decided} left out as decided already")
        counts = tables.by_outcome(read(where), today.gathered(where))
        typer.echo(", ".join(f"{number} {name}" for name, number in counts.items()))


@app.command()
def evaluate(
    documents: Annotated[
        Path, typer.Argument(help="A folder of texts, a .jsonl with one a line, or BEIR's form")
    ],
    questions: Annotated[
        Path | None, typer.Option(help="A question a line with what answers it")
    ] = None,
    chunker: Annotated[
        list[str] | None, typer.Option(help="A slug, or module:name of your own; repeat for more")
    ] = None,
    encoder: Annotated[
        list[str] | None, typer.Option(help="A hub id or a folder; repeat it for more")
    ] = None,
    ordering: Annotated[
        list[str] | None, typer.Option(help="plain or late (late chunking); repeat it for both")
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", help="Chunks taken as read; 5, or 10 of whole documents")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the resamples behind the intervals")] = 0,
    name: Annotated[str, typer.Option(help="What the collection is called")] = "",
    output: Annotated[
        Path | None, typer.Option(help="The folder to write; below build/evaluations if none")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Compare chunkers and encoders on your own documents and questions.

    A run that was stopped goes on with the vectors it has. docs/your-own-data.md has examples.
    """
    from chunkstudy.own import evaluate as door
    from chunkstudy.own import report

    with one_sentence():
        asked = (documents, questions, chunker or door.CHUNKERS, encoder or (conditions.MINILM,))
        orderings = ordering or ("plain",)
        if dry_run:
            for line in door.estimate(*asked, orderings=orderings, k=k, name=name):
                typer.echo(line)
            return
        found = door.evaluate(
            *asked,
            orderings=orderings,
            k=k,
            seed=seed,
            name=name,
            output=output,
            say=lambda line: typer.echo(line, err=True),
        )
        typer.echo(report.text(found))
        typer.echo(f"\n{found.answer}\n{found.more}".rstrip())
        typer.echo(found.page)


@app.command()
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take")] = False,
) -> None:
    """Let a language model write questions with excerpts on your own texts, and filter them.

    CHUNKSTUDY_LLM=record asks; a run that was stopped goes on from its recorded replies.
    """
    from chunkstudy import generating
    from chunkstudy.generation.settings import Settings, Variant

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
            places.find(),
            documents,
            settings,
            out,
            encoder,
            least,
            most,
            lambda line: typer.echo(line, err=True),
        )
        typer.echo(folder)


@app.command()
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
    keep: Annotated[
        bool, typer.Option(help="Keep what became of every query, for the site's pages")
    ] = False,
) -> None:
    """Show why a query's chunks were found or missed, as a page that opens from disk."""
    from chunkstudy.site import inspector, kept

    with one_sentence():
        if keep:
            typer.echo(kept.keep(places.find(), collection))
            return
        written = inspector.write(
            places.find(),
            collection,
            query,
            chunker or inspector.CHUNKERS,
            encoder=encoder,
            protocol=protocol,
            depth=depth,
            worst=worst,
            out=out,
        )
        typer.echo(written)


@app.command()
def reproduce(
    profile: Annotated[str, typer.Option(help="builtin, laptop or full")] = "builtin",
) -> None:
    """Derive every table, figure and page from the records; see README for the profiles."""
    from chunkstudy import reproduce as everything

    with one_sentence():
        where = places.find()
        if profile not in ("builtin", "laptop", "full"):
            raise conditions.ConditionError(
                f"unknown profile {profile!r}; use builtin, laptop or full"
            )
        if profile != "builtin":
            chosen = grids.grid() if profile == "full" else grids.laptop_grid()
            _price([one for one in chosen if not one.reason_not_run], devices.TWO_CORES)
            if _run(chosen, dry_run=False, again=profile == "full"):
                raise RuntimeError("some units failed, as said above; mend them and run this again")
        everything.reproduce(where)


@app.command()
def rehearse(
    only: Annotated[
        list[str], typer.Option(help="Conditions to take, with wildcards; no table then")
    ] = ALL,
    out: Annotated[Path | None, typer.Option(help="The folder; build/rehearsal if none")] = None,
) -> None:
    """Rehearse the published grid on small random checkpoints and services on the loopback.

    Nothing that it leaves is a result. One that was stopped goes on; another code begins anew.
    """
    from chunkstudy.rehearsal.rehearse import rehearse as perform

    with one_sentence():
        where = places.find()
        found = perform(
            where,
            out or where.build / "rehearsal",
            lambda chosen: _run(chosen, dry_run=False, again=False),
            only,
            lambda line: typer.echo(line, err=True),
        )
        for line in found.lines():
            typer.echo(line)
        if not found.whole:
            raise RuntimeError("the rehearsal is not whole, as said above; mend it and go on")


@app.command()
def check() -> None:
    """Whether records, tables, figures, pages and notebooks are what they should be, by bytes."""
    from chunkstudy import check as checking

    with one_sentence():
        typer.echo(checking.check(places.find()))


@app.command()
def paper() -> None:
    """Set paper/main.pdf with TeX, from what is derived; says what to install where TeX lacks."""
    from chunkstudy.paper import build

    with one_sentence():
        where = places.find()
        typer.echo(build.build(where).relative_to(where.root))


@app.command()
def notebook(
    name: Annotated[str, typer.Argument(help="A notebook of the study, for instance claims")],
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="name=value, as often as needed")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The executed notebook; in build/ if none")
    ] = None,
) -> None:
    """Execute one notebook with other parameters; the study's own copy is left alone."""
    from chunkstudy import notebooks

    with one_sentence():
        where = places.find()
        source = notebooks.named(where, name)
        target = out or where.build / "notebooks" / source.name
        given = notebooks.parse_parameters(source, parameter or [])
        typer.echo(notebooks.run(source, target, given, where.root))


@contextmanager
def one_sentence() -> Iterator[None]:
    """Expected failures end in one sentence on stderr and exit status 1, not in a traceback."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        typer.echo(f"chunkstudy: {error}", err=True)
        sys.exit(1)
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # who read the output has seen enough; typer ends quietly
        typer.echo(f"chunkstudy: {faults.of_the_system(error)}", err=True)
        sys.exit(1)


def _price(selected: list[Condition], device: str) -> None:
    from chunkstudy.grid import segmentation_cost
    from chunkstudy.grid.estimate import estimate as price

    for line in price(selected, places.find(), device):
        typer.echo(line)
    for line in segmentation_cost.lines(selected, places.find()):
        typer.echo(line)


def _run(
    selected: list[Condition],
    dry_run: bool,
    again: bool,
    processes: int = 0,
    executor: str = "",
    shard: str = "",
) -> int:
    from chunkstudy.grid import running

    where = running.Where(processes, executor, shard)
    return running.run(selected, places.find(), where, dry_run, again)


def _recorded(only: list[str]) -> list[Condition]:
    found = [c for c in records.find(places.find().runs) if _matches(c, only)]
    if not found:
        raise conditions.ConditionError(
            f"no record matches {' or '.join(only)}; `chunkstudy list` shows what is recorded"
        )
    return found


def _select(only: list[str]) -> list[Condition]:
    """The conditions that some patterns name, those of the grid first and in its order.

    Raises:
        ConditionError: if a pattern matches nothing.
        ValueError, RuntimeError: if one that names a condition in full names none that exists.
    """
    grid = grids.grid()
    found: set[Condition] = set()
    for one in only:
        named = not WILDCARDS.intersection(one) and one.strip("/").count("/") == 4
        matching = (
            {conditions.parse(one)} if named else {c for c in grid if fnmatch.fnmatch(str(c), one)}
        )
        if not matching:
            raise conditions.ConditionError(
                f"no condition matches {one!r}; `chunkstudy list` shows the grid, and any other "
                "condition runs as collection/chunker/encoder/ordering/protocol"
            )
        found |= matching
    return [c for c in grid if c in found] + sorted(found.difference(grid))


def _matches(condition: Condition, only: list[str]) -> bool:
    return any(fnmatch.fnmatch(str(condition), one) for one in only)


if __name__ == "__main__":
    app()
