"""Does overlap still pay, and which chunk size is best, where all hand over equally much text?

At equal k larger and overlapping chunks give the reader more text. Here retrieved chunks are read
in the order of their rank until a budget of tokens is spent, and the last one is cut there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.collections import covid_qa
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.core.tokens import TokenOffsets, cl100k_offsets
from chunkstudy.display import titles
from chunkstudy.display.drawing import COLORS, Color, intervals, one_legend, style, titled
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures.reading_budget import AGAIN, ONCE, budget_recall
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.evaluation.retrieval.chunks import Limit, Ranking
from chunkstudy.evaluation.statistics.differences import Keys, Pair, at, differences, mean_intervals
from chunkstudy.notebook.study import Study
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import (
    LATE_512,
    MINILM_512,
    PRE_EMBEDDING,
    Condition,
    parse_chunker,
)
from chunkstudy.pipeline.experiments import Context, experiment

FIVE = ("chroma", "chroma-within")
"""The same five corpora, searched together and each by itself."""
NAME = "equal-budget"
BUDGETS = (1_000, 2_000, 4_000)
"""cl100k tokens."""
CHUNKS, CUT = "chunks", 5
"""Beside the budgets, recall of the first five chunks, which is how it is usually reported."""
DECIMALS = 4
READ = ["collection", "encoder", "ordering", "counted", "budget"]
FIRST = [*READ, "query_id", "document"]
"""The columns of the table ``questions`` before the chunkers."""
MEASURE = "SpanRecall(unit=token)"
MEAN = "mean over chunkers"
READ_BY: list[Color] = ["0.55", *COLORS]
"""Colours of the first chunks and of the budgets."""
WHERE = "{collection}, {encoder}, {ordering}, counted {counted}"
"""Of every family: all budgets together, but that the best is chosen by budget."""


def conditions(
    collection: str, encoder: str, ordering: str, chunkers: Sequence[str]
) -> list[Condition]:
    """Chunkers on a collection under one encoder and embedding method: a comparison."""
    return [
        Condition(collection, chunker, encoder, ordering, CORRECTED.name) for chunker in chunkers
    ]


TO_400 = (
    *(f"recursive-{size}" for size in ("200-0", "250-0", "250-125", "400-0", "400-200")),
    *(f"token-{size}" for size in ("250-0", "250-125")),
    *("fixed-64", "sentence-5", "cluster-200"),
)
LONGER = (
    *(f"token-{size}" for size in ("200-0", "400-0", "400-200")),
    *(f"{name}-{size}" for name in ("recursive", "token") for size in ("800-0", "800-400")),
    *("fixed-256", "paragraph", "cluster-400"),
)
OF_PAPERS = ("paragraph", "sentence-5", "fixed-64", "fixed-256", "recursive-200-0")
COMPARED = (
    *(conditions(name, MINILM_512, PRE_EMBEDDING, TO_400) for name in FIVE),
    *(conditions(name, MINILM_512, LATE_512, (*TO_400, *LONGER)) for name in FIVE),
    conditions(covid_qa.WITHIN, MINILM_512, PRE_EMBEDDING, OF_PAPERS),
    conditions(covid_qa.WITHIN, MINILM_512, LATE_512, OF_PAPERS),
)
"""Chunks of 800 tokens are longer than any window, so that embedded by themselves they would be
cut: they are compared where documents are read first, which takes one reading for all chunkers.
The papers' chunkers are those of their records, whose vectors are at hand; none has overlap."""


def read(
    study: Study, compared: Sequence[Sequence[Condition]], budgets: Sequence[int], k: int
) -> dict[str, pd.DataFrame]:
    """Both tables of these comparisons and budgets, from the stored experiment where it has all."""
    asked, stored = ({*chain.from_iterable(some)} for some in (compared, COMPARED))
    kept = asked <= stored and k == CUT and {*budgets} <= {*BUDGETS}
    made = study.stored(NAME, lambda of: tables(of, (), compared, budgets, k), kept=kept)
    rows = made["questions"][made["questions"]["budget"].isin([k, *budgets])]
    parts = [
        at(rows, **_keys(some[0]))[[*FIRST, *(one.chunker for one in some)]] for some in compared
    ]
    return {"questions": pd.concat(parts, ignore_index=True), "chunkers": made["chunkers"]}


@experiment(NAME, collections=(*FIVE, covid_qa.WITHIN))
def tables(
    context: Context,
    _: Sequence[str] = (),
    compared: Sequence[Sequence[Condition]] = (),
    budgets: Sequence[int] = BUDGETS,
    k: int = CUT,
) -> dict[str, pd.DataFrame]:
    """``questions``: a row per collection, encoder, ordering, budget, way of counting and question,
    a column per chunker: the fraction of the judged tokens that is read. ``chunkers``: of each
    collection how many chunks there are, and their mean tokens.

    Args:
        context: hands out collections and models.
        compared: other comparisons than those that are stored.
        budgets: cl100k tokens.
        k: chunks, beside the budgets.
    """
    questions, chunkers = [], []
    for some in compared or COMPARED:
        keys = _keys(some[0])
        collection, store = context.collection(keys["collection"]), context.store(keys["encoder"])
        offsets = [cl100k_offsets(document.text) for document in collection.documents]
        recalls = {}
        for condition in some:
            context.say(f"tokens read of {condition}")
            chunks = context.chunks(condition, store)
            vectors = engine.encode(collection, chunks, store, embedding=condition.ordering)
            ranking, slug = ranked(collection, chunks, vectors), condition.chunker
            recalls[slug], tokens = at_budgets(collection, chunks, ranking, offsets, budgets, k)
            chunkers.append({**keys, "chunker": slug, "chunks": len(chunks), "tokens": tokens})
        rows = pd.DataFrame(recalls).reset_index()
        document = {query.id: query.document or "" for query in collection.queries}
        questions.append(rows.assign(document=rows["query_id"].map(document), **keys))
    together = pd.concat(questions, ignore_index=True)
    columns = [*FIRST, *(name for name in together if name not in FIRST)]
    return {"questions": together[columns], "chunkers": pd.DataFrame(chunkers)}


def ranked(collection: Collection, chunks: Chunks, vectors: engine.Vectors) -> Ranking:
    """All chunks that a query may search, one rank more than any may: every row ends in padding, or
    in the last chunk there is."""
    limit = Limit.of(collection, chunks)
    within = limit.query_document.min() >= 0
    most = int(np.bincount(chunks.document).max()) + 1 if within else len(chunks)
    return engine.search(vectors, most, allowed=limit)


def at_budgets(
    collection: Collection,
    chunks: Chunks,
    ranking: Ranking,
    offsets: Sequence[TokenOffsets],
    budgets: Sequence[int],
    k: int,
) -> tuple[pd.Series, float]:
    """Recall by way of counting, budget and query, and the mean tokens of a chunk.

    Args:
        offsets: the characters of each document's cl100k tokens.
    """
    judged, in_tokens = to_tokens(JudgedSpans.of(collection), chunks, offsets)
    few = ranking.chunk[:, :k]
    few = np.pad(few, ((0, 0), (0, k - few.shape[1])), constant_values=retrieval.NO_CHUNK)
    recall = {(CHUNKS, k): TokenOverlap(judged, in_tokens, "overlap").at(few, k)["SpanRecall"]}
    for counted, budget in product((AGAIN, ONCE), budgets):
        recall[counted, budget] = budget_recall(judged, in_tokens, ranking.chunk, budget, counted)
    wide = pd.DataFrame(recall, index=[query.id for query in collection.queries])
    long = pd.Series(wide.round(DECIMALS).unstack())
    long = long.rename_axis(["counted", "budget", "query_id"])
    return long, float(in_tokens.lengths.mean())


def overlaps(questions: pd.DataFrame) -> pd.DataFrame:
    """Every chunker with overlap minus the same without, by budget and way of counting, and each
    question's mean over those chunkers.

    Args:
        questions: of :func:`tables`.
    """
    pairs = []
    for keys, recalls, document in _read(questions):
        plain = {
            slug: other for slug in map(str, recalls) if (other := without_overlap(slug)) in recalls
        }
        for chunker, other in plain.items():
            of_pair = {**keys, "chunker": chunker, "other": other, "measure": MEASURE}
            pairs.append(Pair(of_pair, recalls[chunker], recalls[other], document))
        if plain:
            of_mean = {**keys, "chunker": MEAN, "other": "", "measure": MEASURE}
            with_it = recalls[list(plain)].mean(axis=1)
            without = recalls[list(plain.values())].mean(axis=1)
            pairs.append(Pair(of_mean, with_it, without, document))

    def family(keys: Keys) -> str:
        of = MEAN if keys["chunker"] == MEAN else "the chunkers"
        return f"overlap, {of}, {WHERE}".format_map(keys)

    return differences(pairs, family, "with overlap", "without")


def sizes(questions: pd.DataFrame, chunkers: pd.DataFrame) -> pd.DataFrame:
    """Every chunker by budget and way of counting, against the best of them, which is chosen by the
    same scores, so that being behind it is shown a little too easily.

    ``recall`` with its interval ``recall low`` to ``recall high``, over documents where there are
    enough of them; the rest compares it with the best, whose own row has no comparison. ``tokens``
    is the mean of its chunks.

    Args:
        questions: of :func:`tables`.
        chunkers: the same.
    """
    pairs, rows = [], []
    for keys, wide, document in _read(questions):
        best = str(wide.mean().idxmax())
        ends = mean_intervals([wide[chunker] for chunker in wide], document)
        for chunker, interval in zip(wide, ends, strict=True):
            of_chunker = {**keys, "chunker": chunker}
            recall = statistics.with_interval("recall", wide[chunker].mean(), interval)
            rows.append(of_chunker | recall | {"best chunker": best})
            if chunker != best:
                compared = (wide[chunker], wide[best], document)
                pairs.append(Pair({**of_chunker, "measure": MEASURE}, *compared))
    behind = differences(
        pairs, f"against the best, {WHERE}, {{budget}}", "mean", "mean of the best"
    )
    behind = behind.drop(columns=["measure", "mean", "mean of the best"])
    together = pd.DataFrame(rows).merge(behind, how="left", on=[*READ, "chunker"])
    keys_of_tokens = [*READ[:3], "chunker"]
    return together.merge(chunkers[[*keys_of_tokens, "tokens"]], how="left", on=keys_of_tokens)


@style()
def figure_sizes(rows: pd.DataFrame) -> Figure:
    """Recall by mean chunk size, for chunkers without overlap, a panel per ordering: five chunks,
    then by budget, what two chunks share counted again; of the first collection."""
    rows = rows[rows["collection"] == rows["collection"].iloc[0]]
    rows = rows[rows["counted"].isin((CHUNKS, "again"))]
    rows = rows[rows["chunker"].str.match(r"(recursive|token)-\d+-0$")]
    budgets = list(dict.fromkeys(zip(rows["counted"] == CHUNKS, rows["budget"], strict=True)))
    groups = list(rows.groupby("ordering", sort=False))
    figure, panels = plt.subplots(
        1, len(groups), figsize=(8.3, 4.0), squeeze=False, sharex=True, sharey=True,
    )  # fmt: skip
    for axes, (ordering, own) in zip(panels[0], groups, strict=True):
        for color, (by_chunks, budget) in zip(READ_BY, budgets, strict=False):
            read = f"first {budget} chunks" if by_chunks else f"{budget:,} tokens"
            matching = own[((own["counted"] == CHUNKS) == by_chunks) & (own["budget"] == budget)]
            for family, line in (("recursive", "-"), ("token", ":")):
                some = matching[matching["chunker"].str.startswith(family)].sort_values("tokens")
                ends = ("recall low", "recall high")
                intervals(axes, some, some["tokens"], color, None, "recall", ends, upright=True)
                label = read if family == "recursive" else None
                axes.plot(some["tokens"], 100 * some["recall"], line, color=color, label=label)
        axes.set_title(titles.ordering(str(ordering)), loc="left")
        axes.set_xlabel("mean tokens per chunk")
    panels[0][0].set_ylabel("recall of excerpts (%), 95% interval")
    one_legend(figure, panels[0], columns=4)
    where = titles.collection(str(rows["collection"].iloc[0]))
    best = rows.loc[rows.groupby(["counted", "budget"], sort=False)["recall"].idxmax()]
    ways = [
        f"{budget} chunks" if counted == CHUNKS else f"{budget:,} tokens"
        for counted, budget in best[["counted", "budget"]].values
    ]
    sizes = (f"{size:.0f} for {way}" for size, way in zip(best["tokens"], ways, strict=True))
    titled(
        figure,
        f"{where}: tokens a chunk at which most is found, {', '.join(sizes)}; solid: recursive, "
        "dotted: token windows",
    )
    return figure


def without_overlap(chunker: str) -> str:
    """The slug of the same chunker without overlap; empty where it has none."""
    spec = parse_chunker(chunker)
    if not spec.entry.takes("overlap") or not spec.sizes[1]:
        return ""
    return str(replace(spec, sizes=(spec.sizes[0], 0)))


def _keys(condition: Condition) -> dict[str, str]:
    """What the conditions of a comparison share: its columns in both tables."""
    return {
        "collection": condition.collection,
        "encoder": condition.encoder,
        "ordering": condition.ordering,
    }


def _read(
    questions: pd.DataFrame,
) -> Iterator[tuple[dict[str, object], pd.DataFrame, pd.Series]]:
    """The keys, recall by query id with a column a chunker, and each question's document."""
    for key, part in questions.groupby(READ, sort=False):
        wide = part.set_index("query_id")
        recalls = wide.drop(columns=[*READ, "document"]).dropna(axis=1, how="all")
        yield dict(zip(READ, key, strict=True)), recalls, wide["document"]
