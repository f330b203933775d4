"""How Chroma's questions were made: prompt, rules, filter, cost (S0:144-179, S0:275-283)."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.chroma_rows import NO_FACTS, parts, whole
from chunkstudy.claims.evidence import Evidence, listed
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    decide,
    strict,
    unanswered,
)

NO_GENERATOR = (
    "the question generator and its model: build generation.py and run it with OPENAI_API_KEY"
)
BASE_PROMPT, SLICE, SAMPLED, PROMPT = 703, 4_000, 50, 2_000
"""S0:279-281: tokens of the base prompt, characters of the slice, questions, tokens in all."""


def excerpts_match(evidence: Evidence) -> Readings:
    """Does every excerpt stand at its offset, and at one place only?"""
    facts = evidence.study("questions", "counts")
    if facts.empty:
        return unanswered(NO_FACTS, "0 excerpts looked up")
    row = facts.iloc[0]
    every = whole(evidence)
    repeats = int(every["excerpts_that_stand_more_than_once"])
    figures = (
        f"{row['excerpts that stand at their offsets']:.0f} of {row['excerpts']:.0f} stand at "
        f"their offsets, {repeats} of them at further places too"
    )
    stands = row["excerpts that stand at their offsets"] == row["excerpts"]
    return (
        strict("each at exactly one place", decide(bool(stands and repeats == 0), figures)),
        charitable("each at its offset", decide(bool(stands), figures)),
    )


def sampled_questions(evidence: Evidence) -> Finding:
    """50 sampled questions in the prompt: what would its length be?"""
    facts = evidence.study("questions", "counts")
    if facts.empty:
        return unanswered(NO_FACTS, "0 questions counted")
    fit, with_50, _ = _prompt_length(evidence)
    return unanswered(
        "the official generator, read (its sample size) or run",
        f"a prompt of {PROMPT} tokens leaves room for {fit:.0f} questions of the mean length; "
        f"with {SAMPLED} it would have {with_50:.0f} tokens",
    )


def prompt_of_two_thousand_tokens(evidence: Evidence) -> Readings:
    """Base prompt, slice and questions: do they add up to 2,000 tokens?"""
    facts = evidence.study("questions", "counts")
    if facts.empty:
        return unanswered(NO_FACTS, "0 questions counted")
    fit, with_50, rest = _prompt_length(evidence)
    question = float(facts.iloc[0]["mean tokens of a question"])
    counts = parts(evidence)["queries"]
    growing = sum(min(i, SAMPLED) for n in counts for i in range(n)) / counts.sum()
    with_growing = BASE_PROMPT + rest + growing * question
    return (
        strict(
            f"with {SAMPLED} questions, within 5%",
            decide(
                abs(with_50 / PROMPT - 1) <= 0.05,
                f"{BASE_PROMPT} + {rest:.0f} for {SLICE} characters + {SAMPLED} questions of "
                f"{question:.1f} = {with_50:.0f}; {PROMPT} would be reached with {fit:.0f}",
            ),
        ),
        charitable(
            "with as many as there were so far in the corpus, to the nearest thousand",
            decide(
                round(with_growing, -3) == PROMPT,
                f"{growing:.0f} questions on average give {with_growing:.0f} tokens",
            ),
        ),
    )


def avoids_and(evidence: Evidence) -> Readings:
    """How many questions join two things by "and" although the prompt forbids it?"""
    facts = evidence.study("questions", "counts")
    if facts.empty:
        return unanswered(NO_FACTS, "0 questions counted")
    row = facts.iloc[0]
    every, outside = row["questions with and"], row["questions with and outside of names"]
    n = row["questions"]
    figures = (
        f"{every:.0f} of {n:.0f} questions hold the word, {outside:.0f} of them between "
        "words that are not both capitalised"
    )
    return (
        strict("no question uses it outside of a name", decide(outside == 0, figures)),
        charitable("nine questions in ten do without", decide(outside <= n / 10, figures)),
    )


def prompt_forbids_and(evidence: Evidence) -> Readings:
    """The instruction is printed; do the questions follow it?"""
    return avoids_and(evidence)


def at_most_five_references(evidence: Evidence) -> Finding:
    """The most excerpts of one question."""
    facts = evidence.study("questions", "counts")
    if facts.empty:
        return unanswered(NO_FACTS, "0 questions counted")
    row = facts.iloc[0]
    return decide(
        row["most excerpts of a question"] <= 5,
        f"at most {row['most excerpts of a question']:.0f}; one in "
        f"{row['questions of one excerpt']:.0f} of {row['questions']:.0f} questions",
    )


def thresholds_of_the_filter(evidence: Evidence) -> Finding:
    """Smallest similarity of a question and an excerpt, per corpus."""
    facts = evidence.study("questions", "similarity")
    printed = {  # S0:264-268
        "chatlogs": 0.43,
        "finance": 0.42,
        "pubmed": 0.40,
        "state_of_the_union": 0.40,
        "wikitexts": 0.42,
    }
    text = "printed thresholds " + listed(pd.Series(printed))
    witness = ""
    if len(facts):
        least = facts.groupby("part")["least similar excerpt"].min()
        witness = f"smallest similarity {listed(least)}"
    return unanswered("OPENAI_API_KEY: the filter used text-embedding-3-large", text).witnessed(
        witness
    )


def base_prompt_tokens(evidence: Evidence) -> Finding:
    """cl100k tokens of the prompt as the appendix prints it."""
    facts = evidence.study("printed-texts", "prompt")
    if facts.empty:
        return unanswered(NO_FACTS, "0 tokens counted")
    found = int(facts.iloc[0].iloc[0])
    return decide(
        abs(found / BASE_PROMPT - 1) <= 0.05,
        f"the prompt printed in the appendix has {found} tokens, {BASE_PROMPT} stated",
    )


def cost_of_a_question(_: Evidence) -> Readings:
    """$0.01 for 2,000 tokens in and 200 out: what would the price be?"""
    tokens_in, tokens_out, cost = 2_000, 200, 0.01
    price = 1e6 * cost / (tokens_in + 3 * tokens_out)
    return (
        strict(
            "at GPT-4's price of July 2024",
            unanswered(
                "the vendor's price list of that day",
                f"it implies ${price:.2f} per million tokens in, if a token out costs three "
                "times as much",
            ),
        ),
        charitable(
            "1,000 questions cost $10 if one costs $0.01",
            decide(round(1_000 * cost, 9) == 10, f"1000 x {cost} = {1_000 * cost:.0f}"),
        ),
    )


def seconds_per_question(_: Evidence) -> Finding:
    """Time of generation with a hosted model."""
    return unanswered(NO_GENERATOR, "3 to 16 seconds stated, 0 measured")


def _prompt_length(evidence: Evidence) -> tuple[float, float, float]:
    """Questions that fit into the stated prompt, its tokens with 50, and tokens of the slice.

    Slices are drawn per question, so corpora count by their questions.
    """
    question = float(evidence.study("questions", "counts").iloc[0]["mean tokens of a question"])
    corpora = parts(evidence)
    rate = (corpora["tokens"] / corpora["characters"] * corpora["queries"]).sum()
    rest = SLICE * float(rate) / float(corpora["queries"].sum())
    return (PROMPT - BASE_PROMPT - rest) / question, BASE_PROMPT + rest + SAMPLED * question, rest
