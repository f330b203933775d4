"""The README's generated parts: what was run and found on the first screen, tables below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pandas as pd

from chunkstudy.analysis.paired import EQUIVALENT, LOWER
from chunkstudy.analysis.which_chunker import ADVISED, AS_GOOD, ENCODED, GROUP, OPERATIONS, READ
from chunkstudy.files import write_text
from chunkstudy.grid.conditions import NONE
from chunkstudy.places import Places
from chunkstudy.published.verdicts import RUN
from chunkstudy.render import badges, captions, display_names, formats

HEADLINES = 5
CLAIM_VERDICTS = ("holds", "partly", "contradicted", "open")
MEANINGS = (
    "*Exact*: every printed digit. *Scores of retrieval*: the exact cells that a model and its "
    "search move, as they move no chunk size and no Precision Ω. *Within spread*: not the printed "
    "digits, but within what the published search gives when it is run 20 times."
)
WITHOUT_A_MODEL = " Of {table} only what needs no model was run: {measures}."
CHOSEN = (
    "The best arm by task, collection and model, of what was run: a chunker, plain (each chunk is "
    "embedded by itself) or late. Scored by the corrected protocol, ours, which takes out what the "
    "official codes get wrong ([all protocols](docs/protocols.md)). Best means the highest score; "
    "arms that are not shown to be worse may be as good, and a model with fewer arms compared had "
    "fewer chances. The questions that choose an arm are those that score it, so that on other "
    "questions another may lead. Within a document, DCG@10 favours large chunks, since there are "
    "fewer to tell apart; chunkers with ten or fewer to a mean document are left out. All arms: "
    "[sortable](docs/site/choose.html), [as a page](results/notebooks/which_chunker.ipynb)."
)
COSTS = (
    "Operations: tokens that the model reads for each token of text, overlap included, times its "
    "operations a token. Tokens a reader gets: of five chunks where excerpts are looked for, of "
    "ten within one document. multilingual-e5-small in four bits was run too and is not compared "
    "here."
)
READINGS = (
    "Each claim is a sentence of a work, read twice: strictly, as it is written, so that "
    "*consistently* fails at one counterexample, and charitably, as a fair reader takes it. Where "
    "a work's models were not run, that it holds means that its own tables bear it out. "
    "[Every claim](docs/site/verdicts.html) stands there with its source, the computation and its "
    "figures. Strictly / charitably:"
)
MEASURES = (
    "Points are hundredths of a score's range. DCG@10: how high the first chunk with the answer "
    "stands among ten; nDCG@10: BEIR's usual measure of a ranking of documents. *Plain*: each "
    "chunk is embedded by itself. *Late*: a window of text is read at once, and a chunk's vector "
    "is the mean of its tokens' states there. All terms: [glossary](docs/site/glossary.html)."
)
FIGURE = "late_chunking_beyond_minilm"


def fill(
    places: Places,
    comparison: pd.DataFrame,
    claims: pd.DataFrame,
    made: dict[str, pd.DataFrame],
    licences: str = "",
) -> None:
    """Write the generated parts of ``README.md`` and its badges anew; nothing where there is none.

    Args:
        places: the checkout.
        comparison: every published cell beside ours.
        claims: a row a reading of a claim.
        made: derived tables by name.
        licences: of what was run, a Markdown table.
    """
    path = places.root / "README.md"
    if not path.exists():
        return
    parts = {
        "badges": [badges.write(places, comparison, claims)],
        "first screen": [coverage(comparison, claims), headlines(made["findings"])],
        "tables": [
            advice(made["which_chunker_advice"], made["which_chunker"]),
            verdicts(comparison),
            claim_counts(claims),
        ],
        "licences": [licences],
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
    """What was and was not run, and what came of it."""
    run = comparison[comparison["verdict"] != "not_run"]
    scores = int((run["of_retrieval"] & (run["verdict"] == "exact")).sum())
    counts = {name: f"{(run['verdict'] == name).sum():,}" for name in RUN}
    waiting = "; ".join(
        f"none of the {len(part):,} of *{display_names.WORKS[str(work)]}*"
        for work, part in comparison.groupby("work", sort=False)
        if not (part["verdict"] != "not_run").any()
    )
    kinds = claims["reading"].str.split(":").str[0]
    strict, fair = (claims.loc[kinds != other, "verdict"] for other in ("charitable", "strict"))
    return (
        f"**What was run.** {len(run):,} of {len(comparison):,} published cells"
        f"{f', {waiting}' if waiting else ''}. {counts['exact']} match every printed digit, "
        f"{scores:,} of them scores of retrieval, {counts['within_stack']} lie within the spread "
        f"of the published search, and {counts['deviates']} deviate. The others wait for OpenAI's "
        "API or for weights that were not to be had, each with its reason and "
        "[its price](docs/site/tables.html); small models stand in wherever a question can be "
        "asked of them. Of "
        f"{claims['id'].nunique()} claims {(strict == 'contradicted').sum()} are contradicted as "
        f"written, {(fair == 'contradicted').sum()} as fairly read, and {(strict == 'open').sum()} "
        "are open."
    )


def headlines(findings: pd.DataFrame) -> str:
    """The figure that carries the main finding, and five findings with links."""
    top = findings[findings["headline"] > 0].sort_values("headline").head(HEADLINES)
    lines = [f"![{captions.of(FIGURE).alternative}](figures/{FIGURE}.png)\n", f"{MEASURES}\n"]
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
        low, high = (formats.percent(float(row[end])) for end in ("low", "high"))
        encoded, operations = (float(str(row[name])) for name in (ENCODED, OPERATIONS))
        found.append(
            (
                f"{display_names.shown('task', row['task'])}: {where}",
                display_names.encoder(str(row["encoder"])),
                display_names.arm(str(row["chunker"]), str(row["ordering"])),
                f"{formats.percent(float(row['score']))} [{low}, {high}] "
                f"{display_names.measure(str(row['measure']))}",
                _next_best(ranked[here]),
                formats.whole(float(here.sum())),
                formats.whole(encoded * operations),
                formats.whole(float(str(row[READ]))) or "whole documents",
            )
        )
    heads = (
        "task",
        "model; tokens of a plain chunk that it reads",
        "best arm",
        "%, 95% interval",
        "after it, points behind",
        "arms compared",
        "million operations a token of text",
        "tokens a reader gets",
    )
    notes = [COSTS]
    if too_few:
        notes.append(f"Too few to advise from: {'; '.join(dict.fromkeys(too_few))}.")
    return f"## Which chunker\n\n{CHOSEN}\n\n{rows(heads, found)}\n\n{' '.join(notes)}"


def _next_best(ranked: pd.DataFrame) -> str:
    """The arm after the best, and how many more are not shown to be worse."""
    second = ranked.iloc[1]
    low, high = (formats.points(second[f"difference {end}"]) for end in ("low", "high"))
    arm = display_names.arm(second["chunker"], second["ordering"])
    words = {EQUIVALENT: AS_GOOD, LOWER: "shown to be worse"}
    shown = words.get(str(second["shown"]), "not shown to be worse")
    more = int((ranked["shown"].iloc[2:] != LOWER).sum())
    others = f"; {more} more not shown to be worse" if more else ""
    return f"{arm}: {formats.points(second['difference'])} [{low}, {high}], {shown}{others}"


def verdicts(comparison: pd.DataFrame) -> str:
    """Cells by published table, how many were run and how they came out; a row for all tables of a
    work of which nothing was run.

    Args:
        comparison: every published cell beside ours.
    """
    found = []
    for work, cells in comparison.groupby("work", sort=False):
        name = display_names.WORKS[str(work)]
        untouched = []
        for table, part in cells.groupby("table", sort=False):
            if (part["verdict"] == "not_run").all():
                untouched.append(part)
            else:
                found.append((f"{name}, {display_names.table(str(table))}", *_outcomes(part)))
        if untouched:
            rest = f"{len(untouched)} {'table' if len(untouched) == 1 else 'tables'}"
            which = rest if len(untouched) == cells["table"].nunique() else f"the other {rest}"
            found.append((f"{name}, {which}", *_outcomes(pd.concat(untouched))))
    found.append(("all", *_outcomes(comparison)))
    exact, *others = (display_names.VERDICTS[v] for v in RUN)
    heads = ("published table", "cells run", exact, "of these scores of retrieval", *others)
    meanings = MEANINGS + _without_a_model(comparison)
    return f"## Published cells\n\n{meanings}\n\n" + rows(heads, found)


def _without_a_model(comparison: pd.DataFrame) -> str:
    """Tables of which only what needs no model was run, and what that is."""
    found = []
    run = comparison[comparison["verdict"] != "not_run"]
    for (work, table), part in run.groupby(["work", "table"], sort=False):
        needed = part["run"].dropna().astype(str)
        of_texts = needed.str.startswith("studies/document-lengths")
        if len(needed) == len(part) and (needed.str.split("/").str[2].eq(NONE) | of_texts).all():
            measures = dict.fromkeys(display_names.measure(str(one)) for one in part["measure"])
            name = f"{display_names.WORKS[str(work)]}, {display_names.table(str(table))},"
            found.append(WITHOUT_A_MODEL.format(table=name, measures=", ".join(measures)))
    return "".join(found)


def _outcomes(cells: pd.DataFrame) -> tuple[object, ...]:
    """How many were run, and how many came out in each way."""
    run = cells[cells["verdict"] != "not_run"]
    exact, *others = (int((run["verdict"] == name).sum()) for name in RUN)
    scores = int((run["of_retrieval"] & (run["verdict"] == "exact")).sum())
    return (f"{len(run):,} of {len(cells):,}", exact, scores, *others)


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
    return f"## Claims\n\n{READINGS}\n\n" + rows(("claims of", "claims", *CLAIM_VERDICTS), found)


def rows(heads: Sequence[str], found: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [_line(heads), "|" + "---|" * len(heads), *map(_line, found)]
    return "\n".join(lines)


def _line(cells: Sequence[object]) -> str:
    shown = (formats.percent(c) if isinstance(c, float) else str(c) for c in cells)
    return f"| {' | '.join(shown)} |"
