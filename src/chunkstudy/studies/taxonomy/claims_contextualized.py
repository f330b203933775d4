"""Claims of *Beyond Chunk-Then-Embed* on contextualized chunking, which is late chunking, and on
chunk size, restated (:mod:`chunkstudy.studies.taxonomy.claims`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.published.sources import AVERAGE, IN_CORPUS
from chunkstudy.show.claims import Claim, cited
from chunkstudy.studies.taxonomy.claims import (
    LATE,
    LLM_GUIDED,
    METHODS,
    MODELS,
    PLAIN,
    STRUCTURE,
    listed,
    printed,
    ranks,
    scores,
)

CHANGE = "relative change"
NAMED = ["paragraphs", "sentences", "propositions"]
"""The methods whose correlations the text states."""


def on_contextualized(cells: pd.DataFrame) -> Iterator[Claim]:
    """What the work says of contextualized chunking where whole documents are retrieved.

    Args:
        cells: of Tables 3, 4 and 5.
    """
    plain, changes, late = (scores(cells, number).drop(index=AVERAGE) for number in "345")
    before, change, after = plain[AVERAGE], changes[AVERAGE], late[AVERAGE]
    single, reached = changes[list(IN_CORPUS)], late[list(IN_CORPUS)]
    means = change.mean()
    yield printed(
        "X24", "Abstract", "Contextualized chunking improves retrieval in corpora.",
        fair={"by average for each model": (means > 0).all()},
        strict={"by average for each method and model": (change > 0).all(axis=None)},
        numbers=f"mean changes {listed(means, '+.2f')}%; {(change > 0).sum().sum()} of "
        f"{change.size} averages gain, single cells by {single.min().min():+.2f} to "
        f"{single.max().max():+.2f}%",
    )  # fmt: skip
    place = "Section 4.4, below Table 4"
    own = change.loc["propositions"]
    gain = 100 * (after / before - 1)
    yield printed(
        "C103", place,
        "Propositions gain most, on average 22.87, 27.11, 15.62 and 26.94%.",
        fair={"most": (change.idxmax() == "propositions").all(),
              "22.87, 27.11, 15.62 and 26.94%": own.tolist() == [22.87, 27.11, 15.62, 26.94]},
        numbers=f"changes {listed(own, '+.2f')}%; their average scores gain "
        f"{listed(gain.loc['propositions'], '+.2f')}%",
    )  # fmt: skip
    lumber = change.loc["LumberChunker"]
    yield printed(
        "C104", place, "LumberChunker gains consistently, from 2.42 to 4.80% on average.",
        fair={"consistently": (lumber > 0).all(),
              "from 2.42 to 4.80% on average": lumber.min() == 2.42 and lumber.max() == 4.8},
        numbers=f"average changes {listed(lumber, '+.2f')}%; single cells "
        f"{single.loc['LumberChunker'].min():+.2f} to {single.loc['LumberChunker'].max():+.2f}%",
    )  # fmt: skip
    less = change.loc[STRUCTURE].mean() - change.loc[LLM_GUIDED].mean()
    pairs = [change.loc[a] < change.loc[b] for a, b in product(STRUCTURE, LLM_GUIDED)]
    smaller: Any = pd.concat(pairs)
    yield printed(
        "X25", place, "Structure-based methods gain less than LLM-guided ones.",
        fair={"mean below mean": (less < 0).all()},
        strict={"each by average less than each LLM-guided method": smaller.all()},
        numbers=f"differences of mean changes {listed(less, '+.2f')}; {smaller.sum()} of "
        f"{len(smaller)} pairs",
    )  # fmt: skip
    yield Claim(
        "C105", place, "Propositions gain because context gives them their document back.",
        numbers=f"gains with their own document {listed(own, '+.2f')}%",
        needs="a control: propositions contextualized by another document's text",
    )  # fmt: skip
    place = "Section 4.4, below Table 5"
    # Of single cells the next sentence says "for most configurations".
    rank, first = ranks(after).loc["propositions"], ranks(reached).loc["propositions"] == 1
    yield printed(
        "C106", place, "For all their gains propositions do not score highest.",
        fair=(rank > 1).all(),
        numbers=f"ranks {listed(rank, '.0f')} of 6; best in {first.sum()} of {len(first)} cells",
    )  # fmt: skip
    below = reached.loc["propositions"] < reached.loc[[*STRUCTURE, "LumberChunker"]].min()
    three = after["Jina-v3"][["propositions", "paragraphs", "LumberChunker"]]
    yield printed(
        "C107", place,
        "Contextualized propositions stay below structure-based methods and LumberChunker mostly, "
        "as with Jina-v3: 0.4785 against 0.4949 (paragraphs) and 0.4913 (LumberChunker).",
        fair={"below all four in most cells": below.mean() > 0.5,
              "with these scores": three.tolist() == [0.4785, 0.4949, 0.4913]},
        numbers=f"below all four in {below.sum()} of {len(below)} cells; {listed(three)}",
    )  # fmt: skip
    guided = gain.loc[LLM_GUIDED]
    best = after.loc[LLM_GUIDED].max()
    yield printed(
        "X26", "Section 4.4, last paragraph",
        "In corpora use contextualized chunking with LLM-guided chunks.",
        fair={"with LLM-guided chunks it beats plain chunking with each model":
              (guided > 0).all(axis=None)},
        strict={"with each model an LLM-guided method is the best of all, contextualized":
                (best == after.max()).all()},
        numbers=f"their average scores gain {guided.min().min():.2f} to {guided.max().max():.2f}%; "
        f"the best of them minus the best of all {listed(best - after.max(), '+.4f')}, minus the "
        f"best plain one {listed(best - before.max(), '+.4f')}",
    )  # fmt: skip

    finding = "Section 4.4, fourth finding"
    lost = (single < 0).sum().groupby("encoder", sort=False).sum()
    yield printed(
        "C111", finding,
        "In corpora Jina-v2, Jina-v3 and Nomic gain more consistently than E5, which loses in "
        "places.",
        fair={"gain more consistently": (lost.drop("E5") < lost["E5"]).all(),
              "E5 loses in places": lost["E5"] > 0},
        numbers=f"of 36 cells lose {listed(lost, '')}",
    )  # fmt: skip
    # One model of four has the short window, so that the cells cannot tell window from model.
    yield Claim(
        "C112", finding, "The size of the context window likely explains that difference.",
        numbers=f"average changes {listed(means, '+.2f')}%",
        needs="records of one of the four models with windows of 512 and 8,192 tokens",
    )  # fmt: skip
    finding = "Section 4.4, fifth finding"
    fiqa, moves = plain["fiqa"], changes["fiqa"]
    semantic = moves.loc["semantic"]
    yield printed(
        "C113", finding,
        "On FiQA contextualized semantic chunks lose 26.37, 26.73, 25.43 and 23.56%.",
        fair=semantic.tolist() == [-26.37, -26.73, -25.43, -23.56],
        numbers=f"changes {listed(semantic, '+.2f')}%",
    )  # fmt: skip
    apart = fiqa.loc["semantic"] - fiqa.loc[STRUCTURE].mean()
    lower = fiqa.loc["semantic"] < fiqa.loc[STRUCTURE]
    yield printed(
        "C114", finding, "Plain semantic chunks are already below structure-based ones on FiQA.",
        fair={"below their mean with each model": (apart < 0).all()},
        strict={"below each of them with each model": lower.all(axis=None)},
        numbers=f"semantic minus their mean {listed(apart, '+.4f')}; below in "
        f"{lower.sum().sum()} of {lower.size} pairs",
    )  # fmt: skip
    order = fiqa.rank().corrwith(moves.rank())
    poorer = moves.where(fiqa < fiqa.loc["semantic"]).stack().dropna()
    yield printed(
        "X27", finding, "Context makes poor boundaries worse on FiQA.",
        fair={"the lower before, the lower the gain": (order > 0).all()},
        strict={"methods that score lower than semantic before lose too": (poorer < 0).all()},
        numbers=f"rank correlations of score and change {listed(order, '+.2f')}; of {len(poorer)} "
        f"cells below semantic {(poorer < 0).sum()} lose",
    )  # fmt: skip


def on_chunk_size(cells: pd.DataFrame, facts: Mapping[str, Fact]) -> Iterator[Claim]:
    """What the work says of chunk size and score.

    Args:
        cells: of Figure 2, as the text states them and as the repository's images show them.
        facts: of official code, by name.
    """
    drawn = cells[cells["table"] == "figure 2, repository"]
    drawn = drawn.replace({"encoder": MODELS, "chunker": METHODS})
    keys = ["collection", "ordering", "encoder"]
    image: Any = drawn.pivot(index="chunker", columns=keys, values="value")
    image = image.loc[list(METHODS.values())]
    stars: Any = drawn.pivot(index="chunker", columns=keys, values="marks") == "*"
    text = cells[cells["table"] == "figure 2, text"].replace({"chunker": METHODS})
    stated: Any = text.set_index(["collection", "ordering", "chunker"])["value"].sort_index()
    books, corpora = image["gutenqa"], image["beir"]
    v3 = image.xs("Jina-v3", axis=1, level="encoder")
    told, found = stated["gutenqa", PLAIN], v3["gutenqa", PLAIN]
    yield printed(
        "C115", "Section 4.5, in-document retrieval",
        "Within documents chunk size correlates with the score for paragraphs (0.57), sentences "
        "(0.52) and propositions (0.41).",
        fair=found[NAMED].equals(told[NAMED]), numbers=f"r {listed(found, '.2f')}",
    )  # fmt: skip
    found = v3["beir", PLAIN]
    weaker = {"each is weaker than any of the three within documents": (found < told.min()).all()}
    yield printed(
        "C116", "Section 4.5, in-corpus retrieval",
        "In corpora it correlates more weakly, 0.08 to 0.18.",
        fair=weaker,
        strict={**weaker, "each lies between 0.08 and 0.18": found.between(0.08, 0.18).all()},
        numbers=f"r {listed(found, '.2f')}",
    )  # fmt: skip
    corpus, book, tokenizer, of_v3 = (
        facts[f"taxonomy-figure-2-{name}"]
        for name in ("corpus-point", "book-point", "tokenizer", "tokenizer-jina-v3")
    )
    yield Claim(
        "C117", "Section 4.5",
        "The points of that correlation are queries, each with the chunk size of its relevant "
        "document, or of its relevant paragraph.",
        fair={"in corpora a query and its relevant documents":
              corpus.value == "a query and its relevant documents",
              "within documents a query and its relevant paragraph":
              book.value == "a query and its relevant paragraph"},
        numbers=cited(corpus, book), basis="official code",
    )  # fmt: skip
    # The footnote stands at Figure 2, which shows Jina-v3.
    yield Claim(
        "C118", "Section 4.5, footnote on chunk size",
        "Chunk sizes are counted with Jina-v3's tokenizer.",
        fair=of_v3.value == "that of jina-embeddings-v3",
        numbers=cited(of_v3, tokenizer), basis="official code",
    )  # fmt: skip
    place = "Section 4.5, contextualized chunking"
    change, found = books[LATE].abs() - books[PLAIN].abs(), v3["gutenqa", LATE]
    of_v3s, told = change["Jina-v3"], stated["gutenqa", LATE]
    yield printed(
        "C119", place,
        "Contextualized chunking weakens the correlations within documents: paragraphs 0.57 to "
        "0.44, sentences 0.52 to 0.35, propositions 0.41 to 0.40.",
        fair={"for the three it names, to the stated r":
              (of_v3s[NAMED] < 0).all() and found[NAMED].equals(told[NAMED])},
        strict={"for all six methods": (of_v3s < 0).all()},
        numbers=f"changes of |r| {listed(of_v3s, '+.2f')}",
    )  # fmt: skip
    place = "Section 4.5, improvement"
    found = v3["gutenqa", CHANGE]
    fixed, star = found["fixed sizes"], stars["gutenqa", CHANGE, "Jina-v3"]["fixed sizes"]
    yield printed(
        "C120", place,
        "With fixed-size chunks the gain grows with chunk size within documents, r = 0.23 with "
        "p < 0.05.",
        fair={"positive and significant, as the repository's figure marks it": fixed > 0 and star},
        strict={"to the stated r": fixed == 0.23},
        numbers=f"r {fixed:.2f}; of semantic chunks {found['semantic']:.2f}",
    )  # fmt: skip
    # Near zero is weaker than each that the text calls weak, though significant.
    found, weak = v3["beir", CHANGE].dropna(), stated["beir", PLAIN].min()
    yield printed(
        "C121", place,
        "In corpora the correlations of gain and chunk size are all near zero, -0.09 to 0.03.",
        fair={"near zero": (found.abs() < weak).all(),
              "-0.09 to 0.03": found.between(-0.09, 0.03).all()},
        numbers=f"r {listed(found, '.2f')}; the weakest called weak {weak:.2f}",
    )  # fmt: skip
    gap = books[PLAIN].abs() - corpora[PLAIN].abs()
    others = [name for name in MODELS.values() if name != "Jina-v3"]
    inside, nearer, less = (part.loc[NAMED, others] for part in (books[PLAIN], gap, change))
    yield printed(
        "C122", "Section 4.5, below Figure 2", "The other models show similar patterns.",
        fair={"the three methods named correlate most within documents with each model":
              (ranks(books[PLAIN]).loc[NAMED, others] <= 3).all(axis=None)},
        strict={"positive within documents": (inside > 0).all(axis=None),
                "weaker in corpora": (nearer > 0).all(axis=None),
                "weaker within documents by context": (less < 0).all(axis=None)},
        numbers=f"of {less.size} cells {(inside > 0).sum().sum()} are positive, "
        f"{(nearer > 0).sum().sum()} weaker in corpora, {(less < 0).sum().sum()} weaker by context",
    )  # fmt: skip
    moderate, slight = (part[PLAIN].abs().mean(axis=None) for part in (books, corpora))
    yield printed(
        "C123", "Abstract",
        "Chunk size correlates moderately within documents and weakly in corpora.",
        fair={"more strongly within documents by the mean |r|": gap.mean(axis=None) > 0},
        numbers=f"mean |r| {moderate:.2f} within documents, {slight:.2f} in corpora",
    )  # fmt: skip
