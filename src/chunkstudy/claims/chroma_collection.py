"""Chroma's corpora, chunk sizes and times, counted (S0:221-293)."""

from __future__ import annotations

from chunkstudy.claims.chroma_rows import NO_FACTS, parts, whole
from chunkstudy.claims.evidence import Evidence, listed, reproduced, spread
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

NO_LLM = "OPENAI_API_KEY: the boundaries come from gpt-4o"


def omega_of_heuristic_rows(evidence: Evidence) -> Finding:
    """Precision Ω needs no embedding model: mean and deviation of the recursive and token rows."""
    cells = evidence.compared("chroma", "main", measure="PrecisionOmega")
    return reproduced(cells[cells["chunker"].str.startswith(("recursive", "token"))])


def sizes_of_recursive_rows(evidence: Evidence) -> Finding:
    """Mean sizes of the main table's recursive chunks in cl100k tokens."""
    cells = evidence.compared("chroma", "main", measure="chunk size")
    cells = cells[cells["chunker"].str.startswith("recursive")]
    return reproduced(cells)


def tokens_of_each_corpus(evidence: Evidence) -> Finding:
    """cl100k tokens of the five corpora."""
    corpora = parts(evidence)
    same = corpora["tokens"] == corpora["published_tokens"]
    return counted(dict(same), listed(corpora["tokens"], "{:d}"))


def totals(evidence: Evidence) -> Finding:
    """The sums of the corpora's tokens and queries against the counted ones."""
    every = whole(evidence)
    return counted(
        {
            "tokens": every["tokens"] == every["published_tokens"] == 328_208,
            "queries": every["queries"] == every["published_queries"] == 472,
        },
        f"{int(every['tokens'])} tokens, {int(every['queries'])} queries",
    )


def queries_of_each_corpus(evidence: Evidence) -> Finding:
    """Queries of the five corpora."""
    corpora = parts(evidence)
    same = corpora["queries"] == corpora["published_queries"]
    return counted(dict(same), listed(corpora["queries"], "{:d}"))


def queries_in_the_caption(evidence: Evidence) -> Finding:
    """474 queries, as a caption says, against the table and the file."""
    every = whole(evidence)
    return decide(
        every["queries"] == 474,
        f"{int(every['queries'])} in the file, {int(every['published_queries'])} in the table, "
        "474 in the caption",
    )


def min_is_one_to_three(evidence: Evidence) -> Readings:
    """How many chunks hold a question's excerpts?"""
    facts = evidence.study("chunks-per-question")
    if facts.empty:
        return unanswered(NO_FACTS, "0 chunkers counted")
    facts = facts[facts["protocol"] == "as_published-chroma"].set_index("chunker")
    share = 100 * facts["one to three"] / facts["questions"]
    figures = f"share of questions with 1 to 3: {listed(share, '{:.0f}%')}"
    return (
        strict(
            "for more than 95% of questions with every chunker",
            counted({str(k): v > 95 for k, v in share.items()}, figures),
        ),
        charitable(
            "for most questions with every chunker",
            counted({str(k): v > 50 for k, v in share.items()}, figures),
        ),
    )


def default_separators_are_short(evidence: Evidence) -> Finding:
    """Are chunks with LangChain's own separators shorter than with Chroma's?"""
    facts = evidence.study("separators")
    if facts.empty:
        return unanswered(NO_FACTS, "0 corpora split")
    cases, figures = {}, []
    for size, group in facts.groupby("size"):
        rows = group.set_index("separators")
        short = 100 * rows["shorter than a tenth of the size"] / rows["chunks"]
        theirs, own = rows["mean tokens"]["LangChain's"], rows["mean tokens"]["Chroma's"]
        few, fewer = short["LangChain's"], short["Chroma's"]
        cases[f"a mean shorter by a tenth at {size}"] = theirs < 0.9 * own
        cases[f"more short ones at {size}"] = few > fewer
        figures.append(
            f"size {size}: mean {theirs:.1f} against {own:.1f} tokens, shorter than a tenth of it "
            f"{few:.1f}% against {fewer:.1f}%"
        )
    return counted(cases, "; ".join([*figures, "0 records say how they retrieve"]))


def follows_the_format(evidence: Evidence) -> Finding:
    """Do language models answer in the form asked for?"""
    found = sum(1 for condition, _ in evidence.records("chroma") if condition.chunker == "llm")
    return unanswered(NO_LLM, f"{found} records with an LLM's boundaries")


def instant_to_tens_of_minutes(evidence: Evidence) -> Readings:
    """Seconds to chunk the whole collection, by chunker."""
    cost = evidence.tables["chroma_cost"]
    if cost.empty:
        return unanswered("records of Chroma's collection", "0 chunkers timed")
    tokens = float(whole(evidence)["tokens"])
    columns = ["chunking s/M tokens", "chunking's encoding s/M tokens"]
    seconds = cost.set_index("chunker")[columns].sum(axis=1) * tokens / 1e6
    figures = (
        f"{spread(seconds, '{:.1f}')} s for {tokens:.0f} tokens, slowest "
        f"{seconds.idxmax()}; vectors kept from another run cost nothing"
    )
    return (
        strict("tens of minutes with the LLM chunker", unanswered(NO_LLM, figures)),
        charitable(
            "the slowest chunker takes 100 times as long as the fastest",
            decide(seconds.max() > 100 * seconds.min(), figures),
        ),
    )


def entropy_marks_sentences(_: Evidence) -> Finding:
    """Token entropy of Llama 3 8B over Wikitext."""
    return unanswered(
        "Llama 3 8B's next-token probabilities over the wikitexts corpus", "0 tokens measured"
    )


def assistants_default(evidence: Evidence) -> Finding:
    """OpenAI's default of 800 tokens with an overlap of 400."""
    rows = evidence.printed("chroma", "main", chunker="token-800-400", statistic="mean")
    return unanswered(
        "the vendor's documentation of June 2024",
        f"{len(rows)} printed means stand in a row named 800 and 400",
    )
