"""Claims of Jina's two posts on late chunking: "Late Chunking in Long-Context Embedding Models"
(August 2024) and "What Late Chunking Really Is & What It's Not: Part II" (October 2024).

Scores are nDCG@10 in percent, their differences points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import pandas as pd

from chunkstudy.display.titles import named, shown
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.notebook.claims import Claim, cited, share
from chunkstudy.pipeline.conditions import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.published.cells import Fact
from chunkstudy.published.papers import E5_INSTRUCT, JINA_MODELS
from chunkstudy.studies.jina.bidirectionality import HALF
from chunkstudy.studies.jina.posts import arms

SEVERAL = 8
"""Numbers that are told one by one at most; of more the range is told."""
MOVED = 1e-4
"""Cosine distance above which a vector moved; below lies what rounding does."""


def first_post(beir: pd.DataFrame, berlin: pd.DataFrame) -> Iterator[Claim]:
    """Of the first post, by what it prints of five collections and of three sentences."""
    cosines = berlin.pivot(index="chunker", columns="ordering", values="value")
    raised = (cosines[CONTEXTUALIZED] - cosines[PRE_EMBEDDING]).round(3).rename(named("sentence"))
    yield Claim("C58", _told(raised, "{:+.3f}"), fair=raised > 0)
    table = arms(beir)
    plain, late, whole = (100 * table[name] for name in ("plain", "late", "no chunking"))
    gain = (late - plain).round(2)
    yield Claim("C61", _told(gain), fair=gain >= 0, strict=gain > 0)
    over_whole, whole_first = (late - whole).round(2), (whole - late.clip(plain)).round(2)
    yield Claim("C62", _told(over_whole), fair=(over_whole > 0).any())
    yield Claim("C63", _told(whole_first), fair=(whole_first > 0).any())
    # The sentence tells of the post's five collections.
    rank = gain.corr(table["document length"], method="spearman")
    linear = gain.corr(table["document length"])
    yield Claim("C64", len(gain), rank, linear, fair=round(rank, 9) >= 1)


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
    alike = (ours == stated[ours.index]).all()
    alike &= (mteb[untitled].round(1) == stated[untitled]).all()
    yield Claim(
        "C60", _told(ours, "{:.1f}"), _told(mteb, "{:.1f}"), fair=alike and 0 <= spaces <= 1
    )
    boundaries, size = facts["jina-fixed-boundaries"], facts["jina-fixed-tokens"]
    yield Claim(
        "C65", cited(boundaries, size),
        fair=[boundaries.value == "a regular expression", size.value == "256"],
    )  # fmt: skip


def second_post(table: pd.DataFrame, changes: pd.DataFrame) -> Iterator[Claim]:
    """Of the second post, by what it prints of three models, and by the taxonomy's table of
    changes."""
    levels = ["encoder", "chunker", "collection"]
    scores = table.pivot(index=levels, columns="ordering", values="value")
    scores = scores.reindex(JINA_MODELS, level="encoder")
    late, naive = scores[CONTEXTUALIZED], scores[PRE_EMBEDDING]
    gain = (late - naive).round(2)
    means = gain.groupby(level=["encoder", "collection"]).mean().round(3)
    yield Claim("C131", _told(means), _told(gain), _but(gain > 0), fair=means > 0, strict=gain > 0)
    yield from _of_models(late, naive)
    yield from _of_boundaries(late, naive)
    average = changes[(changes["chunker"] == "average") & (changes["collection"] == "average")]
    of_model = average.set_index("encoder")["value"]
    short, least = of_model[E5_INSTRUCT], of_model.drop(E5_INSTRUCT).min()
    yield Claim("X14", _told(of_model), fair=round(short - least, 2) < 0, strict=short <= 0)


def directions(movements: pd.DataFrame) -> Iterator[Claim]:
    """Of what a late chunk depends on, by how far its vector moves when the text on one side of it
    is replaced.

    Args:
        movements: of the study ``bidirectionality``, a row a text.
    """
    counted = at(movements, replaced=HALF).rename(columns={"model": "encoder"})
    least = counted.groupby(["direction", "encoder"])["cosine distance"].min()
    after, before = least["later"], least["earlier"]
    numbers = [_told(moved, "{:.3f}") for moved in (before, after)]
    yield Claim("C66", numbers[0], fair=before > MOVED)
    yield Claim("C136", *numbers, fair=[after > MOVED, before > MOVED])


def _of_models(late: pd.Series, naive: pd.Series) -> Iterator[Claim]:
    leads, means = _leads(late, naive, list(combinations(JINA_MODELS, 2)))
    yield Claim(
        "C132", _told(means), _told(leads), _but(leads <= 0), fair=means <= 0, strict=leads <= 0
    )
    _, means = _leads(naive, naive, [(strong, weak) for weak, strong in pairwise(JINA_MODELS)])
    # MTEB's average runs over dozens of tasks; the post's table holds four of them, chunked.
    yield Claim("C135", _told(means, "{:+.1f}"), fair=means > 0)


def _leads(
    scores: pd.Series, others: pd.Series, models: list[tuple[str, str]]
) -> tuple[pd.Series, pd.Series]:
    """By pair of models, the scores of the first minus the others of the second, by chunker and
    collection; and the mean over collections."""
    leads = {
        f"{shown('encoder', first)} over {shown('encoder', second)}": scores[first] - others[second]
        for first, second in models
    }
    each = pd.concat(leads, names=["models"]).round(2)
    return each, each.groupby(level=["models", "chunker"], sort=False).mean()


def _of_boundaries(late: pd.Series, naive: pd.Series) -> Iterator[Claim]:
    fixed = late.xs("fixed-256", level="chunker")
    lead = (fixed - naive.xs("semantic", level="chunker")).round(2)
    means = lead.groupby(level="encoder", sort=False).mean()
    yield Claim("C133", _told(means), _but(lead > 0), fair=means > 0, strict=lead > 0)
    lead = (fixed - late.xs("semantic", level="chunker")).round(2)
    yield Claim(
        "C134", lead.mean(), _but(lead >= 0), fair=round(lead.mean(), 3) >= 0, strict=lead >= 0
    )
    both = pd.concat({CONTEXTUALIZED: late, PRE_EMBEDDING: naive}, names=["ordering"])
    differ = both.xs("sentence-5", level="chunker") - both.xs("semantic", level="chunker")
    apart = differ.abs().round(2).groupby(level=["encoder", "ordering"], sort=False).max()
    yield Claim("X11", _told(apart, "{:.1f}"), fair=(apart > 0).mean() > 0.5, strict=apart > 0)
    # As the post's table of four cases has it: context kept at poor boundaries against good
    # boundaries with context lost.
    cells = ["encoder", "collection"]
    lead = (late.groupby(level=cells).min() - naive.groupby(level=cells).max()).round(2)
    yield Claim("X12", lead.mean(), _but(lead > 0), fair=round(lead.mean(), 3) > 0, strict=lead > 0)


def _told(numbers: pd.Series, form: str = "{:+.2f}") -> str:
    """Each number by what a reader calls it; of many the range."""
    if len(numbers) > SEVERAL:
        return f"{form.format(numbers.min())} to {form.format(numbers.max())}"
    return "; ".join(
        f"{_name(numbers, key)} {form.format(number)}" for key, number in numbers.items()
    )


def _but(met: pd.Series) -> str:
    """In how many cells it is so, and in which it is not."""
    others = "; ".join(_name(met, key) for key in met.index[~met])
    return f"so in {share(met)} cells" + (f", not in {others}" if others else "")


def _name(numbers: pd.Series, key: object) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    kinds = map(str, numbers.index.names)
    return ", ".join(shown(kind, part) for kind, part in zip(kinds, parts, strict=True))
