"""Claims of Chroma's report that are decided by what its notebooks compute or count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers.semantic import cluster_cuts
from chunkstudy.published.cells import Fact
from chunkstudy.studies.chroma.claims import (
    BESIDE_RECALL,
    OMEGA,
    PRECISION,
    RECALL,
    listed,
)
from chunkstudy.studies.chroma.tables import CAPTION_QUERIES, EXACT, INSIDE, REPEATED
from chunkstudy.study.claims import Claim, cited, share
from chunkstudy.study.formats import estimate
from chunkstudy.study.runs import Runs
from chunkstudy.study.scores import Scores
from chunkstudy.study.titles import shown

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
    for id, unit in (("C04", "tokens"), ("C06", "queries")):
        same = parts[unit] == parts[f"{unit} published"]
        yield Claim(id, listed(parts[unit], ","), fair=same)
    tokens, queries = whole["tokens"], whole["queries"]
    yield Claim("C05", tokens, queries, fair=[tokens == 328_208, queries == 472])
    yield Claim("C07", queries, fair=queries == CAPTION_QUERIES)


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
        "C39", standing, excerpts, corpora[REPEATED].sum(), cited(accepted),
        fair=standing == excerpts, strict=accepted.value == "exact match",
    )  # fmt: skip
    most, single = counted["most excerpts of a question"], counted["questions of one excerpt"]
    yield Claim("C42", most, single, fair=most <= 5)
    alike = made["similarity"].groupby("part")["least similar excerpt"].min()
    yield Claim("C43", listed(alike, ".2f"))
    joined, of = counted["questions with and outside of names"], counted["questions"]
    yield Claim("X02", joined, of, fair=joined <= of / 10, strict=joined == 0)


def of_minilm(compared: pd.DataFrame, scores: Scores) -> Iterator[Claim]:
    """The table with all-MiniLM-L6-v2: whether it comes out, and what is said of its rows.

    Args:
        compared: the rows beside the published ones (``Study.beside``), the table's before the
            appendix's.
        scores: the same rows, question by question.
    """
    means = compared[(compared["part"] == "all") & (compared["statistic"] == "mean")]
    cells = means[means["measure"] == RECALL].set_index("chunker")
    exact = cells["verdict"] == EXACT
    inside = exact | (cells["verdict"] == INSIDE)
    furthest = cells.reset_index().iloc[int(cells["difference"].abs().argmax())]
    yield Claim("C25", share(inside), exact.sum(), _cell(furthest), fair=inside, strict=exact)
    clusters = [chunker for chunker in scores.runs if chunker.startswith("cluster")]
    leads = pd.concat([_lead(scores, clusters, measure) for measure in BESIDE_RECALL])
    yield Claim("C27", _differences(leads), fair=leads["difference"] > 0)
    window, without = OVERLAPPING
    printed, numbers = cells["published"].astype(float), cells[["published", "reproduced"]].T
    lead = _lead(scores, [window], RECALL)
    highest = printed.idxmax() == window and (lead["difference"] > 0).all()
    yield Claim(
        "C29", _differences(lead), *numbers[window], fair=highest, strict=[highest, exact[window]]
    )
    recursive = [next(name for name in scores.runs if name.startswith(f"{row}-")) for row in APART]
    pairs = [OVERLAPPING, (recursive[0], recursive[1])]
    fallen = scores.compare(pairs, RECALL)
    change = pd.Series(
        [printed[more] - printed[less] for more, less in pairs], ["token windows", "recursive"]
    )
    falls = (change > 0) & (fallen["difference"].to_numpy() > 0)
    of_windows = falls["token windows"]
    yield Claim(
        "C30", change["token windows"], _differences(fallen[:1]), *numbers[without],
        fair=of_windows, strict=[of_windows, exact[without]],
    )  # fmt: skip
    either = _lead(scores, [window, recursive[0]], RECALL)
    yield Claim(
        "C31", _differences(either), listed(change, "+.1f"), _differences(fallen),
        fair=(either["difference"] > 0).all() and of_windows, strict=falls,
    )  # fmt: skip


def of_appendix_with_minilm(cells: pd.DataFrame) -> Iterator[Claim]:
    """Whether the appendix with all-MiniLM-L6-v2 comes out.

    Args:
        cells: its numbers with ours (``Study.beside``).
    """
    judged = cells[cells["verdict"] != ""]
    exact = judged["verdict"] == EXACT
    means = judged[judged["statistic"] == "mean"].copy()
    inside = means["verdict"].isin([EXACT, INSIDE])
    printed = means["published"].astype(float)
    means["outside"] = (printed - printed.clip(means["stack_low"], means["stack_high"])).abs()
    outside = [_cell(row) for _, row in means[~inside].nlargest(3, "outside").iterrows()]
    yield Claim(
        "C33", share(inside), share(exact), "; ".join(outside),
        fair=inside.groupby(means["part"], sort=False).all().to_list(), strict=exact,
    )  # fmt: skip


def of_measures(runs: Runs) -> Iterator[Claim]:
    """What holds between the measures, question by question."""
    every = pd.concat([run.wide for run in runs])
    apart = []
    for cut in (5, 10, "Min"):
        names = (f"Span{name}@{cut}" for name in ("Precision", "Recall", "F1"))
        precision, recall, f1 = (every[name] for name in names)
        harmonic = (2 * precision * recall / (precision + recall)).fillna(0)
        apart.append((harmonic - f1).abs().max())
    yield Claim("C36", max(apart), len(apart) * len(every), fair=max(apart) <= ROUNDING)
    means = pd.DataFrame({run.variant.name: run.wide[[PRECISION, OMEGA]].mean() for run in runs}).T
    perfect = every[every[RECALL] >= 1 - ROUNDING]
    above = perfect[PRECISION] - perfect[OMEGA] > ROUNDING
    yield Claim(
        "C37", share(above), len(means), fair=means[PRECISION] <= means[OMEGA], strict=~above
    )


def of_cluster() -> Iterator[Claim]:
    """What cluster finds in small random texts, of which every segmentation can be tried."""
    draw, pieces, longest, short = np.random.default_rng(0), 8, 3, {True: 0, False: 0}
    starts = [[0, *cuts] for n in range(pieces) for cuts in combinations(range(1, pieces), n)]
    every = [cuts for cuts in starts if max(np.diff([*cuts, pieces])) <= longest]
    for _ in range(100):
        vectors = _unit(draw.normal(size=(pieces, 4)))
        similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
        above = np.triu(similar - similar[np.triu_indices(pieces, 1)].mean(), 1)
        best = max(_reward(above, cuts) for cuts in every)
        for official in short:
            cuts = cluster_cuts(vectors, longest, quirks=official)
            short[official] += abs(_reward(above, cuts) - best) > 1e-6
    yield Claim(
        "C50", pieces, longest, 100 - short[False], 100 - short[True],
        fair=short[False] == 0, strict=short[True] == 0,
    )  # fmt: skip
    draw, before, changed = np.random.default_rng(1), 40, 0
    for _ in range(50):
        vectors = _unit(draw.normal(size=(before + 20, 8)))
        alone, longer = (
            cluster_cuts(text, 4, quirks=False) for text in (vectors[:before], vectors)
        )
        changed += alone != [cut for cut in longer if cut < before]
    yield Claim("C51", before, changed, fair=changed > 0)


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
    names = ", ".join(shown(kind, row[kind]) for kind in ("part", "chunker", "measure"))
    return f"{names}: printed {row['published']}, here {row['reproduced']:.3f}"


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _reward(above: NDArray[np.float64], cuts: list[int]) -> float:
    """The sum over the pairs of pieces within chunks."""
    ends = zip(cuts, [*cuts[1:], len(above)], strict=True)
    return sum(float(above[start:end, start:end].sum()) for start, end in ends)
