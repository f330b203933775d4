"""Claims of *Beyond Chunk-Then-Embed* on which method finds documents, and which a passage of a
book (:mod:`chunkstudy.studies.taxonomy.claims`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.published.sources import AVERAGE, IN_CORPUS
from chunkstudy.show.claims import Claim, coded, share
from chunkstudy.studies.taxonomy.claims import (
    LLM_GUIDED,
    STRUCTURE,
    leads,
    listed,
    of_methods,
    ranks,
)

LOSSES = {
    "C86": ("arguana", (0.29, 0.36), (35, 50)),
    "C87": ("fiqa", (0.21, 0.28), (30, 40)),
}
"""Of propositions: the collection, the stated scores, and the stated losses in percent."""


def on_corpora(cells: pd.DataFrame) -> Iterator[Claim]:
    """What the work says of plain chunking where whole documents are retrieved.

    Args:
        cells: of Table 3.
    """
    (plain,) = of_methods(cells, "3")
    yield from _of_structure(plain[AVERAGE])
    yield from _of_propositions(plain)
    yield from _of_lumberchunker(plain)


def _of_structure(average: Any) -> Iterator[Claim]:
    # Paragraphs have no part in the second: these documents are single paragraphs.
    for id, methods, others in (
        ("C77", STRUCTURE, ["semantic", *LLM_GUIDED]),
        ("C82", ["sentences", "fixed sizes"], ["semantic", "LumberChunker"]),
    ):
        lead, pairs = leads(average, methods, others)
        yield Claim(
            id, fair=(lead > 0).all(), strict=(pairs > 0).all(),
            numbers=f"leads {listed(lead, '+.4f')}; {share(pairs > 0)} pairs",
        )  # fmt: skip
    three = ["Jina-v2", "Jina-v3", "E5"]
    paragraphs = average.loc["paragraphs", three]
    highest = ranks(average).loc["paragraphs", three] == 1
    yield Claim(
        "C78", fair=[highest.all(), paragraphs.tolist() == [0.4303, 0.4948, 0.4997]],
        numbers=listed(paragraphs),
    )  # fmt: skip
    nomic, v3 = average["Nomic"], average["Jina-v3"]
    yield Claim(
        "C79", fair=[nomic.idxmax() == "fixed sizes", nomic["fixed sizes"] == 0.4801],
        numbers=listed(nomic),
    )  # fmt: skip
    # Typically is more often than not; a gap below 1% is small too.
    gaps = 100 * pd.concat(
        [average.loc[first] / average.loc[other] - 1 for first, other in combinations(STRUCTURE, 2)]
    )
    small = gaps.abs().round() <= 3
    yield Claim(
        "C80", fair=small.mean() > 0.5,
        numbers=f"{share(small)} gaps; {gaps.abs().min():.1f} to {gaps.abs().max():.1f}%",
    )  # fmt: skip
    two = v3[["fixed sizes", "sentences"]]
    lead = 100 * (v3["paragraphs"] / two - 1)
    yield Claim(
        "C81", fair=[lead.round().tolist() == [2, 5], two.tolist() == [0.4849, 0.4723]],
        numbers=f"leads {listed(lead, '.1f')}%",
    )  # fmt: skip


def _of_propositions(plain: Any) -> Iterator[Claim]:
    rank, own = ranks(plain).loc["propositions"], plain.loc["propositions"]
    last, average = rank[list(IN_CORPUS)] == 6, own[AVERAGE]
    lowest = (rank[AVERAGE] == 6).all()
    yield Claim("C83", fair=lowest, strict=last.all(), numbers=f"last in {share(last)} cells")
    yield Claim(
        "C84", fair=[lowest, average.min() == 0.3484 and average.max() == 0.3937],
        numbers=listed(average),
    )  # fmt: skip
    loss = 100 * (1 - own / plain.loc["paragraphs"])
    yield Claim(
        "C85", fair=loss[AVERAGE].round().between(15, 27).all(),
        numbers=f"losses {listed(loss[AVERAGE], '.1f')}%",
    )  # fmt: skip
    for id, (collection, (low, high), stated) in LOSSES.items():
        score, loses = own[collection], loss[collection].round().between(*stated).all()
        rounded_or_cut = (score >= low - 0.005) & (score < high + 0.01)
        yield Claim(
            id, fair=[rounded_or_cut.all(), loses],
            strict=[score.round(2).between(low, high).all(), loses],
            numbers=f"{listed(score)}; losses {listed(loss[collection], '.1f')}%",
        )  # fmt: skip


def _of_lumberchunker(plain: Any) -> Iterator[Claim]:
    rank = ranks(plain[list(IN_CORPUS)]).loc["LumberChunker"]
    covid, stated = plain.loc["LumberChunker", "trec-covid"], [0.689, 0.7762, 0.6952]
    named, near_best = ["Jina-v2", "Nomic", "E5"], rank["trec-covid"] <= 2
    yield Claim(
        "C88", fair=near_best[named].all() and covid[named].tolist() == stated,
        strict=near_best.all(),
        numbers=f"ranks {listed(rank['trec-covid'], '.0f')}; {listed(covid)}",
    )  # fmt: skip
    lower = rank[["arguana", "fiqa"]]
    means = lower.groupby("collection").mean()
    yield Claim(
        "C89", fair=(means > 3.5).all(), strict=(lower > 3.5).all(),
        numbers=f"mean ranks {means['arguana']:.2f} and {means['fiqa']:.2f}; "
        f"{share(lower > 3.5)} cells",
    )  # fmt: skip
    lead = 100 * (plain.loc["LumberChunker"] / plain.loc[STRUCTURE].max() - 1)
    above = lead[list(IN_CORPUS)] > 0
    yield Claim(
        "C90", fair=(lead[AVERAGE] <= 0).all(), strict=not above.any(),
        numbers=f"leads by average {listed(lead[AVERAGE], '+.1f')}%; above in {share(above)} cells",
    )  # fmt: skip


def on_documents(cells: pd.DataFrame, facts: Mapping[str, Fact]) -> Iterator[Claim]:
    """What the work says of search within GutenQA's books.

    Args:
        cells: of Tables 3 and 4.
        facts: of official code, by name.
    """
    yield coded("C124", facts["taxonomy-gutenqa-relevant-chunk"], "overlaps the judged text")
    plain, changes = of_methods(cells, "34")
    books, average, change = plain["gutenqa"], plain[AVERAGE], changes["gutenqa"]
    inside, across = ranks(books).T, ranks(average).T
    order = books.rank().corrwith(average.rank())
    best, best_across = books.idxmax(), average.idxmax()
    yield Claim(
        "C92", fair=(best != best_across).all(), strict=(order < 0).all(),
        numbers=f"rank correlations of 6 methods {listed(order, '+.2f')}; best in corpora "
        f"{listed(best_across, '')}, within books {listed(best, '')}",
    )  # fmt: skip
    overall, guided = ranks(average.mean(axis=1)), across["LumberChunker"]
    yield Claim(
        "C93", fair=2 <= overall["LumberChunker"] <= 4, strict=guided.between(2, 4).all(),
        numbers=f"rank {overall['LumberChunker']:.0f} by its average, {listed(guided, '.0f')}",
    )  # fmt: skip
    lumber = books.loc["LumberChunker"]
    stated = lumber.tolist() == [0.4659, 0.564, 0.6016, 0.5495]
    yield Claim("C94", fair=[(inside["LumberChunker"] == 1).all(), stated], numbers=listed(lumber))
    lead = 100 * (lumber / books.loc["paragraphs"] - 1)
    yield Claim(
        "C95", fair=lead.round().between(10, 30).all(), numbers=f"leads {listed(lead, '.1f')}%"
    )

    def both(method: str) -> str:
        ranked = (listed(rank[method], ".0f") for rank in (across, inside))
        return "ranks in corpora {}, within books {}".format(*ranked)

    drops, first = inside["paragraphs"].between(2, 3).all(), across["paragraphs"] == 1
    yield Claim(
        "C96", fair=[overall["paragraphs"] == 1, drops], strict=[first.all(), drops],
        numbers=both("paragraphs"),
    )  # fmt: skip
    own = inside["propositions"]
    yield Claim("C97", fair=own.between(2, 4).all(), numbers=f"ranks {listed(own, '.0f')}")
    # The official code credits a proposition with its whole paragraph here, which changes the unit,
    # the judged text and the best reachable score; by its own text the task alone is another.
    yield Claim("C98", fair=(own < across["propositions"]).all(), numbers=both("propositions"))
    means, loses = change.mean(), change < 0
    yield Claim(
        "C108", fair=(means < 0).all(), strict=loses.all(axis=None),
        numbers=f"mean changes {listed(means, '+.2f')}%; {share(loses)} lose",
    )  # fmt: skip
    apart = means - [-5.16, -29.82, -53.17, -3.83]
    yield Claim(
        "C109", fair=(apart.abs() <= 0.011).all(),
        numbers=f"mean changes {listed(means, '+.3f')}%",
    )  # fmt: skip
