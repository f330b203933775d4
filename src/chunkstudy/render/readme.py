"""The README's generated parts: what was run and found on the first screen, tables below."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

import pandas as pd

from chunkstudy.analysis.paired import EQUIVALENT, LOWER
from chunkstudy.analysis.which_chunker import ADVISED, AS_GOOD, ENCODED, GROUP, OPERATIONS, READ
from chunkstudy.files import write_text
from chunkstudy.places import Places
from chunkstudy.published.verdicts import RUN
from chunkstudy.render import captions, display_names, tables

HEADLINES = 5
CLAIM_VERDICTS = ("holds", "partly", "contradicted", "open")
MEANINGS = (
    "*Exact*: every printed digit. *Consistent*: of the cell only its first digit is left in the "
    "source, and it fits in its place; weaker, since other chunkers' results often fit too "
    "([how often](results/tables/chroma_leading_digits.csv)). *Within spread*: not the printed "
    "digits, but within what the published search gives when it is run 20 times."
)
CHOSEN = (
    "The best by task, collection and model under the corrected protocol, and the one after it, of "
    "the chunkers that were run. The [page](results/notebooks/which_chunker.ipynb) has every row, "
    "and which others are shown to be as good or worse."
)
COSTS = (
    "Cost: tokens that the model reads for each token of text, times its operations a token; then "
    "the tokens that a reader gets, of five chunks where excerpts are looked for and of ten within "
    "one document."
)
FIGURE = "late_chunking_beyond_minilm"


def fill(
    places: Places,
    comparison: pd.DataFrame,
    claims: pd.DataFrame,
    made: dict[str, pd.DataFrame],
) -> None:
    """Write the generated parts of ``README.md`` anew; nothing where there is none."""
    path = places.root / "README.md"
    if not path.exists():
        return
    parts = {
        "first screen": [coverage(comparison, claims), headlines(made["findings"])],
        "tables": [
            advice(made["which_chunker_advice"], made["which_chunker"]),
            verdicts(comparison),
            claim_counts(claims),
        ],
    }
    text = path.read_text(encoding="utf-8")
    for name, blocks in parts.items():
        region = re.compile(
            rf"(<!-- generated: {name} -->\n).*?(<!-- end generated -->)", re.DOTALL
        )
        block = "\n" + "\n\n".join(one for one in blocks if one) + "\n\n"
        text = region.sub(lambda found, block=block: found[1] + block + found[2], text)  # type: ignore[misc]
    write_text(path, text)


def coverage(comparison: pd.DataFrame, claims: pd.DataFrame) -> str:
    """What was and was not run, in one sentence."""
    run = int((comparison["verdict"] != "not_run").sum())
    return (
        f"**What was run.** {run} of {len(comparison):,} published cells, those that need no key "
        "and no weights but all-MiniLM-L6-v2's; the others wait for OpenAI's API or the papers' "
        "models, are listed with the reason and priced. The small model stands in for the others "
        f"wherever a question can be asked of it. {claims['id'].nunique()} claims are judged, each "
        "by a computation that anyone can run."
    )


def headlines(findings: pd.DataFrame) -> str:
    """The figure that carries the main finding, and five findings with links."""
    top = findings[findings["headline"] > 0].sort_values("headline").head(HEADLINES)
    lines = [f"![{captions.of(FIGURE).alternative}](figures/{FIGURE}.png)\n"]
    lines += [
        f"{at}. **{row['question']}** {row['answer']} "
        f"([page](results/notebooks/{row['page']}.ipynb), "
        f"[table](results/tables/{row['table']}.csv))"
        for at, row in enumerate(top.to_dict("records"), start=1)
    ]
    lines.append(
        "\nAll findings stand in the [overview](results/notebooks/00_overview.ipynb); the "
        "inspector (`chunkstudy inspect builtin`, and in `build/inspector` after `make reproduce`) "
        "shows query by query why an answer was found or missed."
    )
    return "\n".join(lines)


def advice(table: pd.DataFrame, ranked: pd.DataFrame) -> str:
    """Which chunker the runs support, by task, collection and model, with the next best and cost.

    Args:
        table: ``which_chunker_advice``; may be empty.
        ranked: ``which_chunker``, of which it is drawn.
    """
    found, too_few = [], []
    for row in table.to_dict("records"):
        where = f"{display_names.collection(str(row['collections']))}, {row['n']:,} queries"
        if row[ADVISED] == "no":
            too_few.append(where)
            continue
        here = (ranked[GROUP] == [row[name] for name in GROUP]).all(axis=1)
        low, high = (tables.percent(float(row[end])) for end in ("low", "high"))
        found.append(
            (
                f"{display_names.shown('task', row['task'])}: {where}",
                display_names.encoder(str(row["encoder"])),
                display_names.arm(str(row["chunker"]), str(row["ordering"])),
                f"{tables.percent(float(row['score']))} [{low}, {high}] "
                f"{display_names.measure(str(row['measure']))}",
                _next_best(ranked[here].iloc[1]),
                _cost(row),
            )
        )
    heads = ("task", "model", "best chunker", "%, 95% interval", "next best, points behind", "cost")
    notes = [COSTS]
    if too_few:
        notes.append(f"Too few to advise from: {'; '.join(dict.fromkeys(too_few))}.")
    return f"## Which chunker\n\n{CHOSEN}\n\n{rows(heads, found)}\n\n{' '.join(notes)}"


def _next_best(second: pd.Series) -> str:
    low, high = (tables.points(second[f"difference {end}"]) for end in ("low", "high"))
    arm = display_names.arm(second["chunker"], second["ordering"])
    words = {EQUIVALENT: AS_GOOD, LOWER: "shown to be worse"}
    shown = words.get(str(second["shown"]), "not shown to be worse")
    return f"{arm}: {tables.points(second['difference'])} [{low}, {high}], {shown}"


def _cost(row: Mapping[Hashable, object]) -> str:
    """Of the best, in three numbers."""
    encoded, operations, read = (float(str(row[name])) for name in (ENCODED, OPERATIONS, READ))
    text = f"{tables.number(encoded)} \N{MULTIPLICATION SIGN} {tables.whole(operations)} million"
    return f"{text}; {tables.whole(read) or 'whole documents'}"


def verdicts(comparison: pd.DataFrame) -> str:
    """Cells by published table: how many were run, and how they came out."""
    groups = [
        (f"{display_names.WORKS[str(work)]}, {display_names.table(str(table))}", part)
        for (work, table), part in comparison.groupby(["work", "table"], sort=False)
    ]
    found = []
    for title, part in [*groups, ("all", comparison)]:
        run = part[part["verdict"] != "not_run"]
        counts = [int((run["verdict"] == name).sum()) for name in RUN]
        found.append((title, f"{len(run):,} of {len(part):,}", *counts))
    heads = ("published table", "cells run", *(display_names.VERDICTS[v] for v in RUN))
    return f"## Published cells\n\n{MEANINGS}\n\n" + rows(heads, found)


def claim_counts(claims: pd.DataFrame) -> str:
    """Claims by work and verdict, read strictly and charitably."""
    kinds = claims["reading"].str.split(":").str[0]
    found = []
    for work, part in claims.groupby("work", sort=False):
        counts = []
        for verdict in CLAIM_VERDICTS:
            strict = part[(kinds[part.index] != "charitable") & (part["verdict"] == verdict)]
            kind = part[(kinds[part.index] != "strict") & (part["verdict"] == verdict)]
            counts.append(f"{len(strict)} / {len(kind)}")
        found.append((display_names.WORKS[str(work)], part["id"].nunique(), *counts))
    return "## Claims\n\nRead strictly / charitably.\n\n" + rows(
        ("claims of", "claims", *CLAIM_VERDICTS), found
    )


def rows(heads: Sequence[str], found: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [_line(heads), "|" + "---|" * len(heads), *map(_line, found)]
    return "\n".join(lines)


def _line(cells: Sequence[object]) -> str:
    shown = (tables.percent(c) if isinstance(c, float) else str(c) for c in cells)
    return f"| {' | '.join(shown)} |"
