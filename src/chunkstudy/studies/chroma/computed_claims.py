"""Claims of Chroma's report that are decided by what its notebooks compute or count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers.semantic import cluster_cuts
from chunkstudy.published.cells import Fact
from chunkstudy.runs.display_names import shown
from chunkstudy.show.claims import Claim, cited
from chunkstudy.show.formats import estimate
from chunkstudy.show.runs import Runs
from chunkstudy.show.scores import Scores
from chunkstudy.studies.chroma.claims import (
    BESIDE_RECALL,
    LARGE,
    MINILM_RESULTS,
    OMEGA,
    PRECISION,
    RECALL,
    listed,
)
from chunkstudy.studies.chroma.tables import CAPTION_QUERIES, EXACT, INSIDE, REPEATED

FILTERED = "Generation & Prefiltering, table of corpora"
ROUNDING = 5e-6
"""Stored scores have six decimals; a product of two is off by a few of the last."""
OVERLAPPING, APART = ("token-278-139", "token-278-0"), ("recursive-250-125", "recursive-250-0")
"""Rows of 250 tokens with and without overlap, as the notebook cuts them; what counts
recursive ones comes after."""


def of_corpora(counts: pd.DataFrame) -> Iterator[Claim]:
    """How large the corpora are.

    Args:
        counts: a row a corpus and one of all, beside the published numbers.
    """
    whole, parts = counts.iloc[-1], counts.iloc[:-1].set_index("part")
    told = {one: parts[one] == parts[f"{one} published"] for one in ("tokens", "queries")}
    yield Claim(
        "C04", "Corpora",
        "The five corpora hold 10,444, 26,649, 7,727, 166,177 and 117,211 cl100k tokens.",
        fair=told["tokens"].all(), numbers=listed(parts["tokens"], ","),
    )  # fmt: skip
    yield Claim(
        "C05", f"{FILTERED}, last row",
        "Together the corpora hold 328,208 tokens and 472 queries.",
        fair={"tokens": whole["tokens"] == 328_208, "queries": whole["queries"] == 472},
        numbers=f"{whole['tokens']:,} tokens, {whole['queries']} queries",
    )  # fmt: skip
    yield Claim(
        "C06", FILTERED, "The corpora have 76, 144, 56, 97 and 99 queries.",
        fair=told["queries"].all(), numbers=listed(parts["queries"], ","),
    )  # fmt: skip
    yield Claim(
        "C07", "Appendix All Results, last caption",
        "The dataset has 474 queries (a caption; the table says 472).",
        fair=whole["queries"] == CAPTION_QUERIES,
        numbers=f"{whole['queries']} queries in the file",
    )  # fmt: skip


def of_questions(
    made: Mapping[str, pd.DataFrame], corpora: pd.DataFrame, code: Mapping[str, Fact]
) -> Iterator[Claim]:
    """What the generated questions and their excerpts are like.

    Args:
        made: the experiment ``questions``.
        corpora: characters, tokens and counts of each corpus.
        code: what the official code does, by name.
    """
    counted, accepted = made["counts"].iloc[0], code["chroma-accepted-excerpts"]
    excerpts, standing = counted["excerpts"], counted["excerpts that stand at their offsets"]
    yield Claim(
        "C39", "Dataset Generation",
        "Only excerpts that are found in full in their corpus are accepted.",
        fair={"every published excerpt stands at its offset": standing == excerpts},
        strict={"whatever does not stand there is refused": accepted.value == "exact match"},
        numbers=f"{standing:.0f} of {excerpts:.0f} at their offsets, {corpora[REPEATED].sum()} at "
        f"further places too; {cited(accepted)}",
    )  # fmt: skip
    most, single = counted["most excerpts of a question"], counted["questions of one excerpt"]
    yield Claim(
        "C42", "Appendix Synthetic Dataset Prompt", "No question has more than five references.",
        fair=most <= 5, numbers=f"at most {most:.0f}; {single:.0f} questions have one",
    )  # fmt: skip
    alike = made["similarity"].groupby("part")["least similar excerpt"].min()
    yield Claim(
        "C43", FILTERED,
        "Questions less similar to an excerpt than 0.40 to 0.43 were dropped.",
        numbers=f"smallest similarity by all-MiniLM-L6-v2: {listed(alike, '.2f')}",
        needs=f"{LARGE}, which filtered",
    )  # fmt: skip
    joined, of = counted["questions with and outside of names"], counted["questions"]
    yield Claim(
        "X02", "Appendix Synthetic Dataset Prompt, below the prompt",
        'Once an oath was asked for, questions consistently avoid "and" outside of names.',
        fair={"nine questions in ten do without": joined <= of / 10},
        strict={"no question uses it outside of a name": joined == 0},
        numbers=f"{joined:.0f} of {of:.0f} questions use it there",
    )  # fmt: skip


def of_minilm(found: pd.DataFrame, scores: Scores) -> Iterator[Claim]:
    """The table with all-MiniLM-L6-v2: whether it comes out, and what is said of its rows.

    Args:
        found: the rows beside the published ones (``Study.beside``), the table's before the
            appendix's.
        scores: the same rows, question by question.
    """
    means = found[(found["part"] == "all") & (found["statistic"] == "mean")]
    cells = means[means["measure"] == RECALL].set_index("chunker")
    exact = cells["verdict"] == EXACT
    inside = exact | (cells["verdict"] == INSIDE)
    furthest = cells.reset_index().iloc[int(cells["difference"].abs().argmax())]
    yield Claim(
        "C25", "Results, table with all-MiniLM-L6-v2",
        "Recall of eight rows with all-MiniLM-L6-v2.",
        fair={"each within what running the published search again moves it": inside.all()},
        strict={"each to the published digit": exact.all()},
        numbers=f"{inside.sum()} of {len(cells)} within, {exact.sum()} exact; furthest "
        f"{_cell(furthest)}",
    )  # fmt: skip
    clusters = [one for one in scores.runs if one.startswith("cluster")]
    leads = pd.concat([_lead(scores, clusters, measure) for measure in BESIDE_RECALL])
    yield Claim(
        "C27", MINILM_RESULTS,
        "With MiniLM, cluster has the highest precision, precision Ω and IoU.",
        fair=(leads["difference"] > 0).all(), numbers=_differences(leads),
    )  # fmt: skip
    printed = cells["published"].astype(float)
    window, without = OVERLAPPING
    lead = _lead(scores, [window], RECALL)
    highest = printed.idxmax() == window and (lead["difference"] > 0).all()
    as_printed = f"printed {cells['published'][window]}, here {cells['reproduced'][window]:.3f}"
    yield Claim(
        "C29", MINILM_RESULTS,
        "With MiniLM, token windows of 250 with 125 overlap have the highest recall, 0.824.",
        fair={"the highest as published and in the records": highest},
        strict={"the highest recall": highest, "0.824": exact[window]},
        numbers=f"{_differences(lead)}; {as_printed}",
    )  # fmt: skip
    recursive = [next(one for one in scores.runs if one.startswith(f"{row}-")) for row in APART]
    pairs = {"token windows": OVERLAPPING, "recursive": (recursive[0], recursive[1])}
    fallen = scores.compare(list(pairs.values()), RECALL)
    change = {name: printed[more] - printed[less] for name, (more, less) in pairs.items()}
    falls = dict(zip(pairs, fallen["difference"] > 0, strict=True))
    falls = {name: bool(falls[name] and change[name] > 0) for name in pairs}
    yield Claim(
        "C30", MINILM_RESULTS, "Without the overlap that recall falls to 0.771.",
        fair={"recall falls": falls["token windows"]},
        strict={"recall falls": falls["token windows"], "to 0.771": exact[without]},
        numbers=f"by {change['token windows']:.1f} points as printed; {_differences(fallen[:1])}; "
        f"printed {cells['published'][without]}, here {cells['reproduced'][without]:.3f}",
    )  # fmt: skip
    either = _lead(scores, [window, recursive[0]], RECALL)
    lost = (either["difference"] > 0).all() and falls["token windows"]
    yield Claim(
        "C31", MINILM_RESULTS,
        "With a small context, overlapping chunks are necessary for high recall.",
        fair={"the highest recall is reached with overlap, and lost without": lost},
        strict={"either loses recall without its overlap, as published and in the records":
                all(falls.values())},
        numbers=f"{_differences(either)}; with overlap minus without, printed, points: "
        f"{listed(pd.Series(change), '+.1f')}; {_differences(fallen)}",
    )  # fmt: skip


def of_appendix_with_minilm(found: pd.DataFrame) -> Iterator[Claim]:
    """Whether the appendix with all-MiniLM-L6-v2 comes out.

    Args:
        found: its numbers with ours (``Study.beside``).
    """
    judged = found[found["verdict"] != ""]
    exact = judged["verdict"] == EXACT
    means = judged[judged["statistic"] == "mean"].copy()
    inside = means["verdict"].isin([EXACT, INSIDE])
    printed = means["published"].astype(float)
    means["outside"] = (printed - printed.clip(means["stack_low"], means["stack_high"])).abs()
    outside = [_cell(row) for _, row in means[~inside].nlargest(3, "outside").iterrows()]
    by_table = inside.groupby(means["part"], sort=False).all().rename({"all": "all corpora"})
    parts = {shown("part", part): bool(comes) for part, comes in by_table.items()}
    yield Claim(
        "C33", "Appendix All Results, tables with all-MiniLM-L6-v2",
        "Recall, precision, precision Ω and IoU of the MiniLM appendix at Min, 5 and 10 chunks, "
        "six tables.",
        fair={f"means within reruns of the published search, {part}": comes
              for part, comes in parts.items()},
        strict={"every published digit of means and standard deviations": exact.all()},
        numbers=f"{inside.sum()} of {len(means)} means within, {exact.sum()} of {len(judged)} "
        f"numbers exact; furthest outside: {'; '.join(outside)}",
    )  # fmt: skip


def of_measures(runs: Runs) -> Iterator[Claim]:
    """What holds between the measures, question by question."""
    apart, scored = 0.0, 0
    for cut in (5, 10, "Min"):
        names = [f"Span{one}@{cut}" for one in ("Precision", "Recall", "F1")]
        frame = pd.concat([one.wide[names] for one in runs])
        precision, recall, f1 = (frame[name] for name in names)
        harmonic = (2 * precision * recall / (precision + recall)).fillna(0)
        apart, scored = max(apart, (harmonic - f1).abs().max()), scored + len(frame)
    yield Claim(
        "C36", "Metrics, formula of F1",
        "F1 of precision and recall is twice the overlap over the sum of both lengths.",
        fair=apart <= ROUNDING,
        numbers=f"largest difference {apart:.1e} over {scored} scores",
    )  # fmt: skip
    means = pd.DataFrame({one.arm.name: one.wide[[PRECISION, OMEGA]].mean() for one in runs}).T
    every = pd.concat([one.wide for one in runs])
    perfect = every[every[RECALL] >= 1 - ROUNDING]
    above = perfect[PRECISION] - perfect[OMEGA] > ROUNDING
    yield Claim(
        "C37", "Metrics, Precision Ω",
        "Precision Ω bounds the token efficiency that perfect recall allows.",
        fair={"for every chunker on average": (means[PRECISION] <= means[OMEGA]).all()},
        strict={"for every query": not above.any()},
        numbers=f"precision above it in {above.sum()} of {len(above)} rankings with recall 1 at 5 "
        f"chunks, of {len(means)} chunkers",
    )  # fmt: skip


def of_cluster() -> Iterator[Claim]:
    """What cluster finds in small random texts, of which every segmentation can be tried."""
    draw, pieces, longest, short = np.random.default_rng(0), 8, 3, {True: 0, False: 0}
    starts = [[0, *one] for n in range(pieces) for one in combinations(range(1, pieces), n)]
    every = [one for one in starts if max(np.diff([*one, pieces])) <= longest]
    for _ in range(100):
        vectors = _unit(draw.normal(size=(pieces, 4)))
        similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
        above = np.triu(similar - similar[np.triu_indices(pieces, 1)].mean(), 1)
        best = max(_reward(above, cuts) for cuts in every)
        for official in short:
            cuts = cluster_cuts(vectors, longest, quirks=official)
            short[official] += abs(_reward(above, cuts) - best) > 1e-6
    yield Claim(
        "C50", "ClusterSemanticChunker",
        "Cluster finds the chunks with the greatest sum of similarities, globally.",
        fair={"the algorithm as described does": short[False] == 0},
        strict={"the official code always reaches the best of all segmentations": short[True] == 0},
        numbers=f"in 100 random texts of {pieces} pieces, chunks of at most {longest}: the best is "
        f"found {100 - short[False]} times as described, {100 - short[True]} times officially",
    )  # fmt: skip
    draw, before, changed = np.random.default_rng(1), 40, 0
    for _ in range(50):
        vectors = _unit(draw.normal(size=(before + 20, 8)))
        alone, longer = (cluster_cuts(one, 4, quirks=False) for one in (vectors[:before], vectors))
        changed += alone != [cut for cut in longer if cut < before]
    yield Claim(
        "C51", "ClusterSemanticChunker", "Cluster must chunk a corpus again when text is added.",
        fair=changed > 0,
        numbers=f"boundaries among the first {before} pieces change in {changed} of 50 random "
        "texts when 20 pieces follow",
    )  # fmt: skip


def _lead(scores: Scores, rows: list[str], measure: str) -> pd.DataFrame:
    """The best of some rows minus the best of the others, by a measure."""
    mean = scores.wide(measure).mean()
    return scores.compare([(str(mean[rows].idxmax()), str(mean.drop(rows).idxmax()))], measure)


def _differences(tested: pd.DataFrame) -> str:
    """Tested differences by name, in points."""
    return "; ".join(
        f"{shown('measure', row['measure'])}, {shown('chunker', row['chunker'])} minus "
        f"{shown('chunker', row['other chunker'])}: {estimate(row)}"
        for _, row in tested.iterrows()
    )


def _cell(row: pd.Series) -> str:
    """A published number beside ours, and where it stands."""
    names = ", ".join(shown(one, row[one]) for one in ("part", "chunker", "measure"))
    return f"{names}: printed {row['published']}, here {row['reproduced']:.3f}"


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _reward(above: NDArray[np.float64], cuts: list[int]) -> float:
    """The sum over the pairs of pieces within chunks."""
    ends = zip(cuts, [*cuts[1:], len(above)], strict=True)
    return sum(float(above[start:end, start:end].sum()) for start, end in ends)
