"""Claims of *Beyond Chunk-Then-Embed* on contextualized chunking, which is late chunking, and on
chunk size (:mod:`chunkstudy.studies.taxonomy.claims`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.published.sources import AVERAGE, IN_CORPUS
from chunkstudy.show.claims import Claim, cited, coded, share
from chunkstudy.studies.taxonomy.claims import (
    LATE,
    LLM_GUIDED,
    METHODS,
    MODELS,
    PLAIN,
    STRUCTURE,
    leads,
    listed,
    of_methods,
    ranks,
)

CHANGE = "relative change"
NAMED = ["paragraphs", "sentences", "propositions"]
"""The methods whose correlations the text states."""


def on_contextualized(cells: pd.DataFrame) -> Iterator[Claim]:
    """What the work says of contextualized chunking where whole documents are retrieved.

    Args:
        cells: of Tables 3, 4 and 5.
    """
    plain, changes, late = of_methods(cells, "345")
    yield from _of_changes(changes[AVERAGE], changes[list(IN_CORPUS)])
    gain = 100 * (late[AVERAGE] / plain[AVERAGE] - 1)
    yield from _of_scores(plain[AVERAGE], late, gain)
    own = changes[AVERAGE].loc["propositions"]
    most = changes[AVERAGE].idxmax() == "propositions"
    yield Claim(
        "C103", listed(own, "+.2f"), listed(gain.loc["propositions"], "+.2f"),
        fair=[most, own == [22.87, 27.11, 15.62, 26.94]],
    )  # fmt: skip
    yield Claim("C105", listed(own, "+.2f"))
    yield from _of_fiqa(plain["fiqa"], changes["fiqa"])


def _of_changes(change: Any, single: Any) -> Iterator[Claim]:
    means = change.mean()
    gains, extremes = change > 0, (single.min(axis=None), single.max(axis=None))
    yield Claim("X24", listed(means, "+.2f"), share(gains), *extremes, fair=means > 0, strict=gains)
    lumber, cells = change.loc["LumberChunker"], single.loc["LumberChunker"]
    yield Claim(
        "C104", listed(lumber, "+.2f"), cells.min(), cells.max(),
        fair=[lumber > 0, lumber.min() == 2.42 and lumber.max() == 4.8],
    )  # fmt: skip
    less, pairs = leads(change, STRUCTURE, LLM_GUIDED)
    yield Claim("X25", listed(less, "+.2f"), share(pairs < 0), fair=less < 0, strict=pairs < 0)
    lost = (single < 0).sum().groupby("encoder", sort=False).sum()
    yield Claim("C111", listed(lost, ""), fair=[lost.drop("E5") < lost["E5"], lost["E5"] > 0])
    # One model of four has the short window, so that the cells cannot tell window from model.
    yield Claim("C112", listed(means, "+.2f"))


def _of_scores(before: Any, late: Any, gain: Any) -> Iterator[Claim]:
    after, reached = late[AVERAGE], late[list(IN_CORPUS)]
    # Of single cells the next sentence says "for most configurations".
    rank, first = ranks(after).loc["propositions"], ranks(reached).loc["propositions"] == 1
    yield Claim("C106", listed(rank, ".0f"), share(first), fair=rank > 1)
    below = reached.loc["propositions"] < reached.loc[[*STRUCTURE, "LumberChunker"]].min()
    three = after["Jina-v3"][["propositions", "paragraphs", "LumberChunker"]]
    stated = three == [0.4785, 0.4949, 0.4913]
    yield Claim("C107", share(below), listed(three), fair=[below.mean() > 0.5, stated])
    guided, best = gain.loc[LLM_GUIDED], after.loc[LLM_GUIDED].max()
    over_best = [listed(best - others.max(), "+.4f") for others in (after, before)]
    yield Claim(
        "X26", guided.min(axis=None), guided.max(axis=None), *over_best,
        fair=guided > 0, strict=best == after.max(),
    )  # fmt: skip


def _of_fiqa(before: Any, change: Any) -> Iterator[Claim]:
    semantic = change.loc["semantic"]
    stated = semantic == [-26.37, -26.73, -25.43, -23.56]
    yield Claim("C113", listed(semantic, "+.2f"), fair=stated)
    apart, pairs = leads(before, ["semantic"], STRUCTURE)
    yield Claim("C114", listed(apart, "+.4f"), share(pairs < 0), fair=apart < 0, strict=pairs < 0)
    order = before.rank().corrwith(change.rank())
    poorer = change.where(before < before.loc["semantic"]).stack().dropna()
    yield Claim(
        "X27", listed(order, "+.2f"), len(poorer), (poorer < 0).sum(),
        fair=order > 0, strict=poorer < 0,
    )  # fmt: skip


def on_chunk_size(cells: pd.DataFrame, facts: Mapping[str, Fact]) -> Iterator[Claim]:
    """What the work says of chunk size and score.

    Args:
        cells: of Figure 2, as the text states them and as the repository's images show them.
        facts: of official code, by name.
    """
    corpus, book, tokenizer, of_v3 = (
        facts[f"taxonomy-figure-2-{name}"]
        for name in ("corpus-point", "book-point", "tokenizer", "tokenizer-jina-v3")
    )
    points = [
        corpus.value == "a query and its relevant documents",
        book.value == "a query and its relevant paragraph",
    ]
    yield Claim("C117", cited(corpus, book), fair=points)
    # The footnote stands at Figure 2, which shows Jina-v3.
    yield coded("C118", of_v3, "that of jina-embeddings-v3", tokenizer)
    drawn = cells[cells["table"] == "figure 2, repository"]
    drawn = drawn.replace({"encoder": MODELS, "chunker": METHODS})
    keys = ["collection", "ordering", "encoder"]
    image: Any = drawn.pivot(index="chunker", columns=keys, values="value")
    image = image.loc[list(METHODS.values())]
    text = cells[cells["table"] == "figure 2, text"].replace({"chunker": METHODS})
    stated: Any = text.set_index(["collection", "ordering", "chunker"])["value"].sort_index()
    stars: Any = drawn.pivot(index="chunker", columns=keys, values="marks") == "*"
    star = stars.loc["fixed sizes", ("gutenqa", CHANGE, "Jina-v3")]
    yield from _of_jina_v3(image.xs("Jina-v3", axis=1, level="encoder"), stated, star)
    yield from _of_models(image["gutenqa"], image["beir"])


def _of_jina_v3(found: Any, stated: Any, star: bool) -> Iterator[Claim]:
    """Of the correlations with Jina-v3, drawn and stated; and whether the figure marks that of the
    gain of fixed sizes."""
    books, corpora = found["gutenqa"], found["beir"]
    told = stated["gutenqa", PLAIN]
    yield Claim("C115", listed(books[PLAIN], ".2f"), fair=books[PLAIN][NAMED].equals(told[NAMED]))
    weaker = corpora[PLAIN] < told.min()
    between = corpora[PLAIN].between(0.08, 0.18)
    yield Claim("C116", listed(corpora[PLAIN], ".2f"), fair=weaker, strict=[weaker, between])
    weakened = books[LATE].abs() - books[PLAIN].abs()
    as_told = books[LATE][NAMED].equals(stated["gutenqa", LATE][NAMED])
    yield Claim(
        "C119", listed(weakened, "+.2f"),
        fair=(weakened[NAMED] < 0).all() and as_told, strict=weakened < 0,
    )  # fmt: skip
    fixed, semantic = books[CHANGE][["fixed sizes", "semantic"]]
    yield Claim("C120", fixed, semantic, fair=fixed > 0 and star, strict=fixed == 0.23)
    # Near zero is weaker than each that the text calls weak, though significant.
    gains, weak = corpora[CHANGE].dropna(), stated["beir", PLAIN].min()
    near_zero, between = gains.abs() < weak, gains.between(-0.09, 0.03)
    yield Claim("C121", listed(gains, ".2f"), weak, fair=[near_zero, between])


def _of_models(books: Any, corpora: Any) -> Iterator[Claim]:
    inside, across = books[PLAIN], corpora[PLAIN]
    cells = (NAMED, [name for name in MODELS.values() if name != "Jina-v3"])
    strength = inside.abs().loc[cells]
    patterns = [
        inside.loc[cells] > 0,
        across.abs().loc[cells] < strength,
        books[LATE].abs().loc[cells] < strength,
    ]
    yield Claim(
        "C122", strength.size, *(pattern.sum(axis=None) for pattern in patterns),
        fair=ranks(inside).loc[cells] <= 3, strict=patterns,
    )  # fmt: skip
    moderate, slight = (part.abs().mean(axis=None) for part in (inside, across))
    yield Claim("C123", moderate, slight, fair=moderate > slight)
