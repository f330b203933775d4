"""Claims of Jina's two posts on late chunking, restated: "Late Chunking in Long-Context Embedding
Models" (August 2024) and "What Late Chunking Really Is & What It's Not: Part II" (October 2024).

Scores are nDCG@10 in percent, their differences points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations, pairwise

import pandas as pd

from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.published.cells import Fact
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.runs.display_names import shown
from chunkstudy.runs.published_grid import E5_INSTRUCT
from chunkstudy.show.claims import Claim, cited
from chunkstudy.studies.jina.columns import SENTENCES
from chunkstudy.studies.jina.posts import STRENGTH, arms

EVALUATION = "First post, Quantitative Evaluation on BEIR"
BERLIN = "First post, Implementation and Qualitative Evaluation"
CONCLUSION = "First post, Conclusion"
RESILIENT = "Second post, Late Chunking is Resilient to Poor Boundary Cues"
SUPPORTED = "Second post, Which Embedding Models Support Late Chunking?"
SEVERAL = 8
"""Numbers that are told one by one at most; of more the range is told."""
MOVED = 1e-4
"""Cosine distance above which a vector moved; below lies what rounding does."""
printed = partial(Claim, basis="published")


def first_post(beir: pd.DataFrame, berlin: pd.DataFrame) -> Iterator[Claim]:
    """Of the first post, by what it prints of five collections and of three sentences."""
    cosines = berlin.pivot(index="chunker", columns="ordering", values="value")
    raised = (cosines[CONTEXTUALIZED] - cosines[PRE_EMBEDDING]).round(3).rename(SENTENCES)
    yield Claim(
        "C57", f"{BERLIN}, table",
        'Six cosine similarities of "Berlin" to three sentences, naive and late.',
        needs="the weights of jina-embeddings-v2-base-en, with which `chunkstudy study berlin` "
        "computes them",
    )  # fmt: skip
    yield printed(
        "C58", BERLIN,
        "Late chunking raises the similarity of the Berlin sentences, as one sees at once.",
        fair=(raised > 0).all(), numbers=f"change: {_told(raised, '{:+.3f}')}",
    )  # fmt: skip
    yield Claim(
        "C59", f"{EVALUATION}, table",
        "Fifteen nDCG@10 of five BEIR collections: naive, late and no chunking.",
        needs="the weights of jina-embeddings-v2-small-en, with which `chunkstudy run` computes "
        "them",
    )  # fmt: skip
    table = arms(beir)
    scores = 100 * table[["plain", "late", "no chunking"]]
    gain = (scores["late"] - scores["plain"]).round(2)
    yield printed(
        "C61", EVALUATION, "Late chunking improves on naive chunking in all cases.",
        fair={"nowhere smaller": (gain >= 0).all()},
        strict={"larger in each collection": (gain > 0).all()},
        numbers=f"gain in points: {_told(gain)}",
    )  # fmt: skip
    over_whole = (scores["late"] - scores["no chunking"]).round(2)
    yield printed(
        "C62", EVALUATION,
        "In some collections late chunking also beats encoding whole documents.",
        fair=(over_whole > 0).any(), numbers=f"late minus no chunking: {_told(over_whole)}",
    )  # fmt: skip
    whole_first = (scores["no chunking"] - scores[["plain", "late"]].max(axis=1)).round(2)
    yield printed(
        "C63", EVALUATION, "In other collections not chunking at all is best.",
        fair=(whole_first > 0).any(),
        numbers=f"no chunking minus the better of both: {_told(whole_first)}",
    )  # fmt: skip
    # The sentence tells of the post's five collections.
    rank = gain.corr(table["document length"], method="spearman")
    linear = gain.corr(table["document length"])
    yield printed(
        "C64", EVALUATION, "The longer the documents, the more late chunking gains.",
        fair=round(rank, 9) >= 1,
        numbers=f"over {len(gain)} collections rank correlation {rank:.2f}, r = {linear:.2f}",
    )  # fmt: skip
    # A short last chunk is poor by itself; late chunking repairs it, and so does merging it.
    yield Claim(
        "X15", CONCLUSION, "Naive chunks do worse because they lose context.",
        needs="records of jina-embeddings-v2-small-en with short last chunks merged or dropped, "
        "naive and late",
    )  # fmt: skip


def of_texts(
    beir: pd.DataFrame, counted: pd.DataFrame, facts: Mapping[str, Fact]
) -> Iterator[Claim]:
    """Of the documents of the first post's collections, and of how they are cut.

    Args:
        beir: the post's table.
        counted: ``collection`` and ``mean characters`` of the study ``document-lengths``.
        facts: of official code; MTEB counts lengths too.
    """
    # Title and text; documents of FiQA and Quora have no title. MTEB counts a space between title
    # and text where both are there, which is so for most of TREC-COVID's documents.
    stated = arms(beir)["document length"]
    ours = counted.set_index("collection")["mean characters"].round(1)
    ours = ours[ours.index.isin(stated.index)]
    untitled = ["fiqa", "quora"]
    names = pd.Index([*untitled, "trec-covid"], name="collection")
    mteb = pd.Series([float(facts[f"mteb-characters-{name}"].value) for name in names], names)
    spaces = mteb["trec-covid"] - stated["trec-covid"]
    yield Claim(
        "C60", f"{EVALUATION}, table",
        "Documents have 1498.4, 1116.7, 767.2, 1589.8 and 62.2 characters on average.",
        fair=(ours == stated[ours.index]).all()
        and (mteb[untitled].round(1) == stated[untitled]).all()
        and 0 <= spaces <= 1,
        numbers=f"counted here: {_told(ours, '{:.1f}')}; as MTEB counts: {_told(mteb, '{:.1f}')}, "
        "the last with spaces between title and text",
    )  # fmt: skip
    boundaries, size = facts["jina-fixed-boundaries"], facts["jina-fixed-tokens"]
    yield Claim(
        "C65", EVALUATION,
        "Boundaries come from a regular expression that makes strings of roughly 256 tokens.",
        fair={
            "a regular expression": boundaries.value == "a regular expression",
            "roughly 256 tokens": size.value == "256",
        },
        numbers=cited(boundaries, size),
        basis="official code",
    )  # fmt: skip


def second_post(table: pd.DataFrame, changes: pd.DataFrame) -> Iterator[Claim]:
    """Of the second post, by what it prints of three models, and by the taxonomy's table of
    changes."""
    levels = ["encoder", "chunker", "collection"]
    scores = table.pivot(index=levels, columns="ordering", values="value")
    scores = scores.reindex(STRENGTH, level="encoder")
    late, naive = scores[CONTEXTUALIZED], scores[PRE_EMBEDDING]
    yield from _of_gains((late - naive).round(2))
    yield from _of_models(late, naive)
    yield from _of_boundaries(late, naive)
    yield from _of_windows(changes)
    yield Claim(
        "C137", "Second post, Late Chunking vs. Contextual Retrieval",
        "Anthropic's contextual retrieval behaves like late chunking.",
        needs="contexts by a language model such as Anthropic's (an API key), beside late chunking "
        "of the same chunks; the contexts at hand are by a model of 135 million parameters",
    )  # fmt: skip
    yield Claim(
        "C138", SUPPORTED, "Models that pool by CLS or maximum cannot be used for late chunking.",
        needs="records of a model trained with CLS pooling, naive and late",
    )  # fmt: skip
    yield Claim(
        "C139", f"{RESILIENT}, table",
        "72 nDCG@10 of three models, three kinds of boundaries and four collections.",
        needs="the weights of jina-embeddings-v2-small-en, nomic-embed-text-v1 and "
        "jina-embeddings-v3, with which `chunkstudy run` computes them",
    )  # fmt: skip


def directions(movements: pd.DataFrame, replaced: str) -> Iterator[Claim]:
    """Of what a late chunk depends on, by how far its vector moves when the text on one side of it
    is replaced.

    Args:
        movements: of the study ``bidirectionality``, a row a text.
        replaced: what of a text was, in the rows that count.
    """
    # Of any encoder-only transformer, the posts say; SmolLM2 is none.
    counted = (movements["replaced"] == replaced) & (movements["model"] != SMOLLM)
    found = movements[counted & (movements["distance"] == 0)].rename(columns={"model": "encoder"})
    least = found.groupby(["direction", "encoder"])["cosine distance"].min()
    after, before = least["later"], least["earlier"]
    by_earlier = f"smallest cosine distance moved by earlier text: {_told(before, '{:.3f}')}"
    yield Claim(
        "C66", "First post, The Solution: Late Chunking",
        "Each late chunk is conditioned on the previous ones.",
        fair=(before > MOVED).all(), numbers=by_earlier,
    )  # fmt: skip
    yield Claim(
        "C136", "Second post, Late Chunking is Bidirectional",
        "A late chunk depends on text before and after it.",
        fair={"on text after it": (after > MOVED).all(), "before it": (before > MOVED).all()},
        numbers=f"{by_earlier}; by later text: {_told(after, '{:.3f}')}",
    )  # fmt: skip


def _of_gains(gain: pd.Series) -> Iterator[Claim]:
    means = gain.groupby(level=["encoder", "collection"]).mean().round(3)
    yield printed(
        "C131", RESILIENT,
        "All three models consistently profit from late chunking in all collections.",
        fair={"each model in each collection, mean over boundaries": (means > 0).all()},
        strict={"in each cell": (gain > 0).all()},
        numbers=f"mean gain {_told(means)}; gain {_told(gain)}; {_but(gain > 0)}",
    )  # fmt: skip


def _of_models(late: pd.Series, naive: pd.Series) -> Iterator[Claim]:
    leads = pd.concat(
        {
            f"{shown('encoder', weak)} over {shown('encoder', strong)}": late[weak] - naive[strong]
            for weak, strong in combinations(STRENGTH, 2)
        },
        names=["models"],
    ).round(2)
    means = leads.groupby(level=["models", "chunker"], sort=False).mean()
    yield printed(
        "C132", RESILIENT,
        "No weaker model with late chunking beats a stronger one without.",
        fair={"on average over the four collections": (means <= 0).all()},
        strict={"with the same boundaries, in each collection": (leads <= 0).all()},
        numbers=f"weaker and late minus stronger, mean {_told(means)}; {_told(leads)}; "
        + _but(leads <= 0),
    )  # fmt: skip
    leads = pd.concat(
        {
            f"{shown('encoder', strong)} over {shown('encoder', weak)}": naive[strong] - naive[weak]
            for weak, strong in pairwise(STRENGTH)
        },
        names=["models"],
    ).round(2)
    means = leads.groupby(level=["models", "chunker"], sort=False).mean()
    # MTEB's average runs over dozens of tasks; the post's table holds four of them, chunked.
    yield printed(
        "C135", RESILIENT, "By their scores on MTEB the models rank v2-small, nomic-v1, v3.",
        fair={"on average over the post's own collections": (means > 0).all()},
        strict={"by MTEB's average": None},
        numbers=f"mean lead of the stronger model: {_told(means, '{:+.1f}')}",
        needs="MTEB's average of each of the three models, from its leaderboard or their reports",
    )  # fmt: skip


def _of_boundaries(late: pd.Series, naive: pd.Series) -> Iterator[Claim]:
    fixed = late.xs("fixed-256", level="chunker")
    lead = (fixed - naive.xs("semantic", level="chunker")).round(2)
    means = lead.groupby(level="encoder", sort=False).mean()
    yield printed(
        "C133", RESILIENT,
        "Late chunking at fixed lengths beats naive chunking at semantic boundaries.",
        fair={"each model on average": (means > 0).all()},
        strict={"for each model and collection": (lead > 0).all()},
        numbers=f"mean lead: {_told(means)}; {_but(lead > 0)}",
    )  # fmt: skip
    lead = (fixed - late.xs("semantic", level="chunker")).round(2)
    yield printed(
        "C134", RESILIENT,
        "With late chunking fixed lengths do as well as elaborate boundaries.",
        fair={"no worse on average over models and collections": round(lead.mean(), 3) >= 0},
        strict={"no worse for each model and collection": (lead >= 0).all()},
        numbers=f"fixed minus semantic, mean {lead.mean():+.2f}; {_but(lead >= 0)}",
    )  # fmt: skip
    both = pd.concat({CONTEXTUALIZED: late, PRE_EMBEDDING: naive}, names=["ordering"])
    differ = both.xs("sentence-5", level="chunker") - both.xs("semantic", level="chunker")
    apart = differ.abs().round(2).groupby(level=["encoder", "ordering"], sort=False).max()
    yield printed(
        "X11", RESILIENT,
        "The study varies boundaries: fixed lengths, sentences and semantic ones.",
        fair={"most rows differ": (apart > 0).mean() > 0.5},
        strict={"no row of sentences repeats the row of semantic boundaries": (apart > 0).all()},
        numbers=f"largest difference of sentence and semantic rows: {_told(apart, '{:.1f}')}",
    )  # fmt: skip
    # As the post's table of four cases has it: context kept at poor boundaries against good
    # boundaries with context lost.
    cells = [one.groupby(level=["encoder", "collection"]) for one in (late, naive)]
    lead = (cells[0].min() - cells[1].max()).round(2)
    yield printed(
        "X12", "Second post, introduction",
        "Lost context is the more critical problem, boundaries the lesser one.",
        fair={"on average over models and collections": round(lead.mean(), 3) > 0},
        strict={"each model and collection, late at its worst boundaries": (lead > 0).all()},
        numbers=f"worst late minus best naive, mean {lead.mean():+.2f}; {_but(lead > 0)}",
    )  # fmt: skip


def _of_windows(changes: pd.DataFrame) -> Iterator[Claim]:
    average = changes[(changes["chunker"] == "average") & (changes["collection"] == "average")]
    of_model = average.set_index("encoder")["value"]
    short, least = of_model[E5_INSTRUCT], of_model.drop(E5_INSTRUCT).min()
    yield printed(
        "X14", SUPPORTED, "Late chunking makes no sense for a model with a short window.",
        fair={"it gains less than each model of 8192": round(short - least, 2) < 0},
        strict={"a model of 512 tokens gains nothing": short <= 0},
        numbers="average change in the taxonomy's corpora, percent: " + _told(of_model),
    )  # fmt: skip


def _told(numbers: pd.Series, form: str = "{:+.2f}") -> str:
    """Each number by what a reader calls it; of many the range."""
    if len(numbers) > SEVERAL:
        return f"{form.format(numbers.min())} to {form.format(numbers.max())}"
    return "; ".join(f"{_name(numbers, key)} {form.format(one)}" for key, one in numbers.items())


def _but(met: pd.Series) -> str:
    """In how many cells it is so, and in which it is not."""
    others = "; ".join(_name(met, key) for key in met.index[~met])
    return f"so in {met.sum()} of {len(met)} cells" + (f", not in {others}" if others else "")


def _name(numbers: pd.Series, key: object) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    kinds = map(str, numbers.index.names)
    return ", ".join(shown(kind, part) for kind, part in zip(kinds, parts, strict=True))
