"""Claims of Chroma's technical report of July 2024, "Evaluating Chunking Strategies for Retrieval":
first those that its own printed tables or its official code decide, then those that are decided by
what its notebook computes or counts.

The report's first table, of text-embedding-3-large, is its main one; printed numbers are percent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers.semantic import cluster_cuts
from chunkstudy.display.formats import estimate
from chunkstudy.display.titles import shown
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.notebook.claims import Claim, cited, coded, share
from chunkstudy.notebook.runs import Runs
from chunkstudy.notebook.scores import Scores
from chunkstudy.published.cells import Fact
from chunkstudy.studies.chroma.tables import CAPTION_QUERIES, EXACT, INSIDE, REPEATED

RECALL, PRECISION = "SpanRecall@5", "SpanPrecision@5"
OMEGA, IOU = "PrecisionOmega", "SpanIoU@5"
SCORES = [RECALL, PRECISION, OMEGA, IOU]
BESIDE_RECALL = [PRECISION, OMEGA, IOU]
RECURSIVE = ["recursive-800-400", "recursive-400-200", "recursive-400-0", "recursive-200-0"]
ROUNDING = 5e-6
"""Stored scores have six decimals; a product of two is off by a few of the last."""
OVERLAPPING, APART = ("token-278-139", "token-278-0"), ("recursive-250-125", "recursive-250-0")
"""Rows of 250 tokens with and without overlap, as the notebook cuts them; what counts
recursive ones comes after."""


def means(published: pd.DataFrame, table: str) -> pd.DataFrame:
    """The printed means of a table, over all corpora: a row a chunker and a column a measure."""
    own = at(published, table=table, statistic="mean", part="all")
    return own.pivot(index="chunker", columns="measure", values="value")


def listed(numbers: pd.Series, form: str) -> str:
    """Numbers by what readers call them: ``Precision Ω (+13.95), ...``."""
    name = str(numbers.index.name)
    return ", ".join(f"{shown(name, key)} ({value:{form}})" for key, value in numbers.items())


def printed(published: pd.DataFrame, code: Mapping[str, Fact]) -> Iterator[Claim]:
    """The claims that are arithmetic on the report's printed tables, and those that its official
    code decides.

    Args:
        published: the tables ``main``, ``minilm`` and ``appendix``, a row a number.
        code: what the official code does, by name.
    """
    main = means(published, "main")
    yield from of_recursive_and_token(main)
    yield from of_semantic(main, code["chroma-modified-size"])
    yield from of_other_tables(published)
    yield coded("C35", code["chroma-iou-denominator"], "sum of retrieved plus missed")
    unit = code["chroma-unit"]
    smaller_than_chunks = unit.value in ("token", "word", "character")
    yield Claim("C38", cited(unit), fair=smaller_than_chunks, strict=unit.value == "token")
    yield coded("C40", code["chroma-earlier-questions"], "50")
    yield coded("C41", code["chroma-and-forbidden"], "forbidden")


def of_recursive_and_token(main: pd.DataFrame) -> Iterator[Claim]:
    """What the report says of its main table as a whole, and of recursive chunks and token windows
    there."""
    scores, recall, iou = main[SCORES], main[RECALL], main[IOU]
    over_mean, over_middle = scores - scores.mean(), scores - scores.median()
    ratio, gap = 100 * (recall.max() / recall.min() - 1), recall.max() - recall.min()
    yield Claim("C01", ratio, gap, fair=9 <= ratio < 10, strict=round(gap) == 9)
    # The sentence says "certain" and "can": a default below the mean on every measure does.
    defaults = over_mean.loc[["token-800-400", "kamradt"]].max(axis=1)
    yield Claim("C08", listed(defaults, "+.2f"), fair=(defaults < 0).any())
    above = (over_mean.loc[RECURSIVE] > 0).sum(axis=1)
    yield Claim("C09", listed(above, "d"), fair=(above > 2).any())
    by_mean, by_middle = over_mean.T["recursive-200-0"], over_middle.T["recursive-200-0"]
    yield Claim(
        "C10", listed(by_mean, "+.2f"), listed(by_middle, "+.1f"),
        fair=by_mean > 0, strict=by_middle > 0,
    )  # fmt: skip
    lead = {
        size: (scores.loc[f"recursive-{size}"] - scores.loc[f"token-{size}"]).min()
        for size in ("400-0", "200-0", "800-400", "400-200")
    }
    apart, overlapping = pd.Series(lead)[:2], pd.Series(lead)[2:]
    yield Claim("C11", listed(apart, "+.1f"), fair=apart > 0)
    yield Claim("C12", listed(overlapping, "+.1f"), fair=overlapping <= 0)
    kinds = ("recursive", "token")
    change = pd.Series({name: iou[f"{name}-400-0"] - iou[f"{name}-400-200"] for name in kinds})
    yield Claim(
        "C13", listed(change, "+.1f"),
        fair=(change >= 0).all() and change.mean() > 0, strict=change > 0,
    )  # fmt: skip
    # Slightly below average is nearer to the mean than to the lowest row.
    below = (recall.mean() - recall["token-800-400"]) / (recall.mean() - recall.min())
    lowest_of_all = scores.idxmin() == "token-800-400"
    yield Claim(
        "C14", below, len(main), share(lowest_of_all),
        fair=[0 < below < 0.5, lowest_of_all[BESIDE_RECALL]],
    )  # fmt: skip
    change = pd.Series(
        {
            "recursive to 800": recall["recursive-800-400"] - recall["recursive-400-200"],
            "recursive to 200": recall["recursive-200-0"] - recall["recursive-400-0"],
            "token windows to 800": recall["token-800-400"] - recall["token-400-200"],
            "token windows to 200": recall["token-200-0"] - recall["token-400-0"],
        }
    )
    yield Claim("C24", listed(change, "+.1f"), fair=change < 0)


def of_semantic(main: pd.DataFrame, size_in_code: Fact) -> Iterator[Claim]:
    """What the report says of cluster, the LLM chunker and Kamradt's in its main table."""
    scores, recall = main[SCORES], main[RECALL]
    rank = scores.rank(ascending=False, method="min").astype(int).T
    for id, chunker, place, score in (("C15", "cluster-400", 2, 91.3), ("C17", "llm", 1, 91.9)):
        numbers = placed, _, stated = rank[chunker][RECALL], len(main), recall[chunker]
        yield Claim(id, *numbers, fair=placed == place and stated == score)
    # The middle seven rows of thirteen are average.
    average = rank.isin(range(4, 11)).T
    cluster, llm = rank["cluster-200"], rank["llm"][BESIDE_RECALL]
    placed = [average[RECALL]["cluster-200"], cluster[BESIDE_RECALL] == 1]
    yield Claim("C16", len(main), listed(cluster, "d"), fair=placed)
    yield Claim("C18", len(main), listed(llm, "d"), fair=average.loc["llm", BESIDE_RECALL])
    before, after, mean = main.T["kamradt"], main.T["kamradt-modified-300"], scores.mean()
    against = 100 * (before[SCORES] / mean - 1)
    part = (mean - before[SCORES]) / (mean - scores.min())
    yield Claim(
        "C19", listed(against, "+.0f"), listed(part, ".0%"),
        fair=against < 0, strict=(part > 0) & (part < 0.5),
    )  # fmt: skip
    gain = 100 * (after[SCORES] / before[SCORES] - 1)
    rises, alike = gain[RECALL] > 0, (gain[BESIDE_RECALL] / gain[RECALL]).between(0.5, 2)
    yield Claim(
        "C20", after[RECALL], listed(gain, "+.0f"),
        fair=gain > 0, strict=[after[RECALL] == 87.1 and rises, alike],
    )  # fmt: skip
    size, size_before = after["chunk size"], before["chunk size"]
    yield Claim(
        "C21", before[RECALL], after[RECALL], size_before, size, fair=[rises, size < size_before]
    )
    # Where the mean is above a limit, so is the largest.
    largest = size < 300 and size_in_code.value == "largest"
    yield Claim("C22", size, cited(size_in_code), fair=largest)


def of_other_tables(published: pd.DataFrame) -> Iterator[Claim]:
    """What the report says of its table with all-MiniLM-L6-v2 and of its appendix."""
    recall = means(published, "minilm")[RECALL]
    margin = recall[["cluster-250", "cluster-200"]] - recall.mean()
    yield Claim("C28", listed(margin, "+.2f"), fair=margin < 0)
    appendix = published[published["table"] == "appendix"]
    by_corpus = appendix[
        (appendix["statistic"] == "mean")
        & appendix["measure"].isin(SCORES)
        & (appendix["part"] != "all")
    ]
    cells = by_corpus.groupby(["encoder", "part", "measure"])["value"]
    margin = by_corpus["value"] - cells.transform("median")
    above = margin[by_corpus["chunker"].str.startswith("cluster")] > 0
    yield Claim("C54", share(above), fair=above.mean() > 0.5, strict=above)
    keys = ["encoder", "chunker", "measure", "statistic"]
    tables = published[published["table"] != "appendix"]
    both = appendix[appendix["part"] == "all"].merge(tables, on=keys, suffixes=("", " before"))
    same = both["published"] == both["published before"]
    furthest = both.iloc[int((both["value"] - both["value before"]).abs().argmax())]
    names = ", ".join(shown(kind, furthest[kind]) for kind in ("chunker", "measure"))
    yield Claim(
        "X05", share(same), names, furthest["published before"], furthest["published"], fair=same
    )


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
