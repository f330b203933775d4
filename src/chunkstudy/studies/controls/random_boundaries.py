"""Do boundaries matter, or would any of the same number and sizes do?

Semantic chunking, clustering and LumberChunker choose where to cut. The control keeps of each
document's chunks their number and sizes and puts these in another order, so that every cut falls
elsewhere: at the units that the method cuts at, and anywhere, within words too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection, Span
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import structure
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import ANYWHERE, UNITS, drawn
from chunkstudy.chunkers.semantic import punkt_sentences
from chunkstudy.collections import covid_qa
from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.runs import records
from chunkstudy.runs.conditions import (
    LATE_512,
    MINILM_512,
    MPNET,
    PRE_EMBEDDING,
    Condition,
    parse_encoder,
)
from chunkstudy.runs.encoding import encode_together
from chunkstudy.runs.steps import Vectors, score
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context
from chunkstudy.study.study import Study

NAME = "random-boundaries"
COLLECTIONS = ("gutenqa-emma", "chroma-within", covid_qa.WITHIN)
MEASURES = ("DCG@10", "SpanRecall@5")
"""The second where passages are judged as spans."""
ALL, SMALLER = "all", "its three smaller corpora"
THREE = ("chatlogs", "state_of_the_union", "wikitexts")
CLUSTER, SEMANTIC, LUMBERCHUNKER = "cluster-200", "semantic", "lumberchunker-released"
METHOD = ["collection", "part", "chunker", "encoder", "ordering"]

UNITS_OF: dict[str, Callable[[str], Sequence[Span]]] = {
    CLUSTER: lambda text: structure.pieces(text, counter("cl100k")),
    SEMANTIC: punkt_sentences,
    LUMBERCHUNKER: paragraphs,
}
"""What each method does not cut through: pieces of 50 tokens, sentences, paragraphs."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Methods under one encoder and ordering, and how many draws stand against each.

    Contextualized, one reading of the documents serves all draws; plain, each takes a reading, so
    there are fewer and none of them is cut anywhere. ``documents`` are those compared, all if none
    is named: all-mpnet-base-v2 reads about 670 tokens a second on a core.
    """

    collection: str
    chunkers: tuple[str, ...]
    encoder: str
    ordering: str
    at_units: int
    anywhere: int = 0
    documents: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        return SMALLER if self.documents == THREE else ", ".join(self.documents) or ALL

    @property
    def keys(self) -> dict[str, str]:
        """Its columns in both tables."""
        return {"collection": self.collection, "part": self.part, "encoder": self.encoder,
                "ordering": self.ordering}  # fmt: skip

    @property
    def methods(self) -> set[Arm]:
        """The same of one method each."""
        return {replace(self, chunkers=(slug,)) for slug in self.chunkers}


ARMS = (
    Arm("gutenqa-emma", (LUMBERCHUNKER, SEMANTIC), MINILM_512, LATE_512, 20, 20),
    Arm("chroma-within", (CLUSTER,), MINILM_512, LATE_512, 20, 20),
    Arm("chroma-within", (CLUSTER,), MINILM_512, PRE_EMBEDDING, 5),
    Arm("gutenqa-emma", (LUMBERCHUNKER,), MINILM_512, PRE_EMBEDDING, 5),
    Arm("chroma-within", (CLUSTER,), MINILM_512, LATE_512, 20, 20, THREE),
    Arm("chroma-within", (CLUSTER,), f"{MPNET}-w512", LATE_512, 20, 20, THREE),
    Arm(covid_qa.WITHIN, (CLUSTER, SEMANTIC), MINILM_512, LATE_512, 20, 20),
)


def read(study: Study, some: Sequence[Arm]) -> dict[str, pd.DataFrame]:
    """Both tables of these arms, from the stored experiment where it has all of them."""
    wanted = {method for arm in some for method in arm.methods}
    kept = wanted <= {method for arm in ARMS for method in arm.methods}
    found = study.stored(NAME, lambda context: of(context, some), kept=kept)
    keys = pd.DataFrame([{**arm.keys, "chunker": arm.chunkers[0]} for arm in wanted])
    return {name: table.merge(keys) for name, table in found.items()}


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``draws``: of each method and draw the mean of each measure, and of its chunks how many there
    are and the standard deviation of their characters; draw 0 is the method itself.

    ``questions``: of each question the method's score and the mean over the draws, with the
    document that it is asked of.

    Raises:
        RuntimeError: if a method's scores are not those of its record.
    """
    return of(context, [arm for arm in ARMS if arm.collection in collections])


def of(context: Context, some: Sequence[Arm]) -> dict[str, pd.DataFrame]:
    """The same of these arms."""
    draws, questions = [], []
    for arm in some:
        of_draws, of_questions = compare(context, arm)
        draws += of_draws
        questions += of_questions
    return {
        "draws": pd.DataFrame(draws),
        "questions": pd.concat(questions, ignore_index=True) if questions else pd.DataFrame(),
    }


def compare(context: Context, arm: Arm) -> tuple[list[dict[str, object]], list[pd.DataFrame]]:
    """Rows of both tables of one arm. All chunks are encoded together, so that contextualized
    encoding reads each document once."""
    collection = context.collection(arm.collection)
    if arm.documents:
        collection = collection.asked_of(arm.documents)
    store = context.store(arm.encoder)
    sets = [
        (slug, *one)
        for slug in arm.chunkers
        for one in with_draws(context, arm, slug, collection, store)
    ]
    vectors = encode_together(store, collection, [chunks for *_, chunks in sets], arm.ordering)
    asked = store.encode([query.text for query in collection.queries], "query")
    rows = []
    scores: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for (slug, boundaries, draw, chunks), of_chunks in zip(sets, vectors, strict=True):
        found = score(collection, chunks, Vectors(asked, of_chunks)).filter(MEASURES)
        if not draw:
            check(context, _condition(arm, slug), found)
        scores.setdefault((slug, boundaries), []).append(found)
        means = {str(one): float(mean) for one, mean in found.mean().items()}
        about = {"chunker": slug, "boundaries": boundaries, "draw": draw, "chunks": len(chunks)}
        rows.append({**arm.keys, **about, "spread": float(chunks.lengths.std()), **means})
    document = {query.id: query.document for query in collection.queries}
    questions = []
    for (slug, boundaries), draws in scores.items():
        if boundaries:
            mean = sum(draws[1:], draws[0]) / len(draws)
            table = scores[slug, ""][0].add_prefix("method ").join(mean.add_prefix("draws "))
            table = table.rename_axis("query_id").reset_index()
            table = table.assign(chunker=slug, boundaries=boundaries)
            of_each = table["query_id"].map(document)
            questions.append(table.assign(document=of_each, **arm.keys))
    return rows, questions


def with_draws(
    context: Context, arm: Arm, slug: str, collection: Collection, store: VectorStore
) -> list[tuple[str, int, Chunks]]:
    """Where boundaries are, the draw, and its chunks; a method's own first.

    Raises:
        StudyError: for a chunker whose units nobody named.
    """
    if slug not in UNITS_OF:
        raise StudyError(f"{slug} has no units here; use one of {', '.join(UNITS_OF)}")
    context.say(f"random boundaries for {_condition(arm, slug)}")
    own = context.chunks(_condition(arm, slug), store)
    if arm.documents:
        named = [collection.positions[name] for name in arm.documents]
        own = own.only(np.isin(own.document, named))
    units = [UNITS_OF[slug](one.text) for one in collection.documents]
    drawn_at = ((UNITS, units, arm.at_units), (ANYWHERE, None, arm.anywhere))
    return [("", 0, own)] + [
        (boundaries, draw, drawn(collection.documents, own, draw, places))
        for boundaries, places, number in drawn_at
        for draw in range(1, number + 1)
    ]


def check(context: Context, condition: Condition, scores: pd.DataFrame) -> None:
    """Refuse scores that are not those of the method's record, where there is one."""
    runs = context.places.runs
    if not records.complete(runs, condition):
        return
    recorded = records.read(runs, condition).wide.loc[scores.index, list(scores)]
    if (scores - recorded).abs().max().max() > 1e-6:
        raise RuntimeError(f"{condition} has other scores than its record; run it again")


def _condition(arm: Arm, chunker: str) -> Condition:
    return Condition(arm.collection, chunker, arm.encoder, arm.ordering, CORRECTED.name)


def against_chance(questions: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Each question's score under a method against its mean over the draws, a row per collection,
    method, encoder, ordering, place of boundaries and measure; the methods and collections, or
    parts of them, of one encoder, ordering, measure and place are a family. Beside it stands where
    the method's mean lies among the draws' means: were its boundaries as good as any, each place
    would be as likely.

    ``draws`` is their number, ``lowest draw`` and ``highest draw`` are the outermost of their
    means, ``draws below`` is the fraction of draws whose mean is below the method's, and ``p_rank``
    the two-sided p of a place as far out among the draws as the method's.

    Args:
        questions: of :func:`tables`.
        draws: the same.
    """
    pairs, places = [], []
    for key, part in questions.groupby([*METHOD, "boundaries"], sort=False):
        keys = dict(zip((*METHOD, "boundaries"), key, strict=True))
        of_method = at(draws, **{name: keys[name] for name in METHOD})
        wide = part.set_index("query_id").dropna(axis=1, how="all")
        for measure in (one for one in MEASURES if f"method {one}" in wide):
            scores = wide[f"method {measure}"], wide[f"draws {measure}"], wide["document"]
            pairs.append(Pair({**keys, "measure": measure}, *scores))
            own = float(at(of_method, draw=0)[measure].iloc[0])
            places.append(_place(own, at(of_method, boundaries=keys["boundaries"])[measure]))
    found = differences(pairs, _family, "chosen", "random")
    return pd.concat([found, pd.DataFrame(places)], axis=1)


def _place(own: float, means: pd.Series) -> dict[str, float]:
    """Where a method's mean lies among those of the draws."""
    outer = min((means >= own).sum(), (means <= own).sum())
    return {
        "draws": len(means),
        "lowest draw": float(means.min()),
        "highest draw": float(means.max()),
        "draws below": float((means < own).mean()),
        "p_rank": min(1.0, float(2 * (outer + 1) / (len(means) + 1))),
    }


def _family(keys: Mapping[str, object]) -> str:
    ordering = "plain" if keys["ordering"] == PRE_EMBEDDING else "late"
    encoder = parse_encoder(str(keys["encoder"])).model
    part = f"{keys['boundaries']}, {keys['part']}"
    return f"random boundaries {part}, {keys['measure']}, {encoder}, {ordering}"
