"""How large are the chunks that a query could be answered from?

The experiment ``chunk-sizes`` measures them, for Figure 2 of the taxonomy: the size of chunks
against the scores of queries. The taxonomy's text and its code correlate different things.
``text``: a point per query, the mean size of the chunks that touch its relevant document or passage
against its score. ``code`` (published/chunk_size.py): a query's size is the mean over its relevant
documents, outliers are left out, and the logarithm is taken. ``within``: the logarithm of the
text's size, both axes less their means in each collection, so that differences between collections
play no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chunkstudy.chunkers.user_chunker import checked
from chunkstudy.collections import beir
from chunkstudy.collections.registry import load_collection
from chunkstudy.core import tokens
from chunkstudy.core.errors import StudyError
from chunkstudy.core.protocols import AS_PUBLISHED_IELAB, CORRECTED
from chunkstudy.core.spans import Chunks, Collection, chunk_documents
from chunkstudy.core.tokens import TextTokens
from chunkstudy.display import drawing, titles
from chunkstudy.display.formats import Column, Columns, tenths
from chunkstudy.notebook.runs import RunCache, Runs, RunScores
from chunkstudy.pipeline import experiment_tables, records
from chunkstudy.pipeline.chunking import cut
from chunkstudy.pipeline.conditions import CONTEXTUALIZED, MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.records import Run
from chunkstudy.pipeline.vector_store import VectorStore, load_store
from chunkstudy.published.chunk_size import (
    ARMS,
    BEFORE_ENCODER,
    BOOKS,
    CHANGE,
    by_code,
    correlate,
    kept,
    scored,
    with_scores,
)
from chunkstudy.published.papers import TAXONOMY_COLLECTIONS, WINDOWS, slug
from chunkstudy.studies.taxonomy.tables import METHOD_OF

COLLECTIONS = tuple(
    dict.fromkeys((*beir.LAPTOP, "builtin-graded", "gutenqa-emma", *TAXONOMY_COLLECTIONS))
)
PAPERS = tuple(map(slug, WINDOWS))
"""The taxonomy's models, whose own tokens its code counts (plot_chunkcount_vs_performance.py)."""
POOLED = "in-corpus, pooled"
SIZES: Columns = {
    "relevant": Column("tokens per relevant chunk", tenths),
    "document": Column("tokens per chunk of the relevant documents", tenths),
}
SPREAD = ("published lowest r", "published highest r")
TITLES = {PRE_EMBEDDING: "plain", CONTEXTUALIZED: "late", CHANGE: CHANGE}
WORDS = {"text": "ours, as the words define it", "code": "ours, as the code does it"}


@experiment("chunk-sizes", collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """A table per collection, of every chunker recorded with MiniLM, and one per collection and
    model of the taxonomy's, named ``<collection>--<encoder>``, where these have records.

    A row per chunker, protocol and query: the mean size in the encoder's own tokens of the chunks
    that touch what is judged relevant (the whole document, or the passage), and the mean over the
    relevant documents of the mean size of all their chunks. Queries without a judgment at hand have
    no row.

    Raises:
        StudyError: if chunks are not those that a record was made with.
        RuntimeError: if there is no record.
    """
    made = {}
    recorded = records.find(context.places.runs)
    for name in collections:
        for encoder in (MINILM_512, *PAPERS):
            measured_here = [
                condition
                for condition in recorded
                if (condition.collection, condition.encoder, condition.ordering)
                == (name, encoder, PRE_EMBEDDING)
                and condition.protocol in (AS_PUBLISHED_IELAB.name, CORRECTED.name)
            ]
            if rows := [_measured(context, condition) for condition in measured_here]:
                table = name if encoder == MINILM_512 else f"{name}{BEFORE_ENCODER}{encoder}"
                made[table] = pd.concat(rows, ignore_index=True)
    if not made:
        raise RuntimeError("there is no record to measure; run the conditions first")
    return made


def _measured(context: Context, condition: Condition) -> pd.DataFrame:
    """The rows of a recorded condition."""
    context.say(f"chunk sizes of {condition}")
    collection, store = context.collection(condition.collection), context.store(condition.encoder)
    if condition.chunking.encoder:
        context.store(condition.chunking.encoder)  # notes who draws the boundaries
    run = records.read(context.places.runs, condition).run
    return measured(condition, run, collection, context.chunks(condition, store), store)


def measured(
    condition: Condition, run: Run, collection: Collection, chunks: Chunks, store: VectorStore
) -> pd.DataFrame:
    """``chunker, protocol`` and what :func:`per_query` finds of a run's chunks.

    Raises:
        StudyError: if these are other chunks.
    """
    if chunks.digest() != run.chunks_sha256:
        raise StudyError(f"{condition} has other chunks than its record; run it again")
    texts = chunks.texts(collection.documents)
    if condition.encoder == MINILM_512:
        sizes = tokens.counter("wordpiece").count_many(texts)
    else:
        sizes = [len(ids) for ids, _ in cast(TextTokens, store.encoder).content(texts)]
    table = per_query(collection, chunks, np.asarray(sizes, dtype=np.float64))
    table.insert(0, "chunker", condition.chunker)
    table.insert(1, "protocol", condition.protocol)
    return table


def per_query(collection: Collection, chunks: Chunks, sizes: NDArray[np.float64]) -> pd.DataFrame:
    """``query_id, relevant, document``: mean sizes of the chunks of what is relevant, those of a
    document averaged before documents are (plot_chunkcount_vs_performance.py:292-319).

    Args:
        collection: whose judgments say what is relevant (grade above 0).
        chunks: of the collection.
        sizes: shape (chunks,), the size of each.
    """
    places = collection.positions
    order = np.argsort(chunks.document, kind="stable")
    starts = np.searchsorted(chunks.document[order], np.arange(len(collection.documents) + 1))
    rows = []
    for query, judgments in collection.judgments_by_query().items():
        touched: set[int] = set()
        documents: dict[int, float] = {}
        for judgment in judgments:
            if judgment.grade <= 0 or judgment.document not in places:
                continue
            document = places[judgment.document]
            members = order[starts[document] : starts[document + 1]]
            inside = (chunks.start[members] < judgment.end) & (chunks.end[members] > judgment.start)
            touched.update(members[inside].tolist())
            if len(members):
                documents[document] = float(sizes[members].mean())
        if touched:
            rows.append(
                {
                    "query_id": query,
                    "relevant": float(sizes[sorted(touched)].mean()),
                    "document": float(np.mean(list(documents.values()))),
                }
            )
    return pd.DataFrame(rows, columns=["query_id", "relevant", "document"])


def points(plain: Sequence[Runs], late: Sequence[Runs], k: int) -> pd.DataFrame:
    """What is correlated: a row a collection, chunker and query.

    Args:
        plain: the runs of a collection each.
        late: the same chunkers under late chunking.
        k: how many documents or chunks are retrieved.

    Returns:
        ``collection, chunker, query_id``, two sizes in tokens, ``relevant`` of the chunks that
        touch what is judged relevant and ``document`` of all chunks of the relevant documents, and
        the scores ``plain`` and ``late``.

    Raises:
        StudyError: if sizes are not stored and nothing may be computed.
    """
    frames = []
    for before, after in zip(plain, late, strict=True):
        of_plain, of_late = before.scores(k), after.scores(k)
        measure = of_plain.measures[0]
        for name, scored_run in before.found.items():
            scores = of_plain.of(name, measure).dropna(), of_late.of(name, measure).dropna()
            own = with_scores(_sizes(scored_run, before.computing), *scores)
            frames.append(own.assign(collection=before.collection, chunker=name))
    keys = ["collection", "chunker", "query_id"]
    return pd.concat(frames, ignore_index=True)[[*keys, "relevant", "document", "plain", "late"]]


def correlations(points: pd.DataFrame, figure: pd.DataFrame) -> pd.DataFrame:
    """r by chunker, arm, collection and definition, with its interval, and the lowest and highest
    of the four published.

    Args:
        points: as :func:`points` gives them.
        figure: the published cells of Figure 2.
    """
    rows = []
    for keys, own in _groups(points):
        text = by_text(own, keys["ordering"])
        definitions = {
            "text": correlate(text),
            "code": correlate(by_code(own, keys["ordering"]), as_coded=True),
        }
        if own["collection"].nunique() > 1:
            # the logarithm of the size and the score, less their means in the point's collection
            sides = text[["size", "score"]].assign(size=np.log10(text["size"]))
            means = sides.groupby(text["collection"]).transform("mean")
            definitions["within"] = correlate(sides - means)
        rows += [{**keys, "definition": name, **row} for name, row in definitions.items()]
    table = pd.DataFrame(rows)
    where = pd.DataFrame(
        {
            "column": table["collection"].isin(BOOKS).map({True: "gutenqa", False: "beir"}),
            "method": table["chunker"].replace(METHOD_OF),
            "ordering": table["ordering"],
        }
    )
    spread = published(figure).groupby(["collection", "method", "ordering"])["r"]
    ends = spread.agg(["min", "max"]).reindex(pd.MultiIndex.from_frame(where))
    table[list(SPREAD)] = ends.to_numpy()
    return table


def side_by_side(correlated: pd.DataFrame) -> pd.DataFrame:
    """The same with a row a chunker, arm and collection: r by the words with its interval, by the
    code, and within collections."""
    keys = ["chunker", "collection", "ordering"]
    wide = correlated.set_index([*keys, "definition"])["r"].unstack("definition")
    own = correlated[correlated["definition"] == "text"].set_index(keys)
    others = {f"r, {name}": wide[name] for name in ("code", "within") if name in wide}
    both = own[["n", "r", "low", "high", "p"]].assign(**others).join(own[list(SPREAD)])
    return both.reset_index()


def by_text(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """``size, score, collection`` of the queries, as the taxonomy's text defines them."""
    return scored(points.rename(columns={"relevant": "size"}), arm)


def published(cells: pd.DataFrame) -> pd.DataFrame:
    """``encoder, collection, method, ordering`` and the published ``r``: what the text quotes is in
    the images too, which decide where both differ.

    Args:
        cells: of Figure 2, of the text before those of the images.
    """
    printed = cells[cells["statistic"] == "r"]
    printed = printed.drop_duplicates(["collection", "chunker", "encoder", "ordering"], keep="last")
    return printed.rename(columns={"chunker": "method", "value": "r"})


@drawing.style()
def figure_correlations(correlated: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Correlation of chunk size with the score, arm by arm, in the layout of Figure 2.

    Args:
        correlated: our r by chunker, collection, arm and definition, with intervals.
        printed: the published r: ``collection, method, ordering, r``.
    """
    chunkers = list(dict.fromkeys(correlated["chunker"]))
    methods = [METHOD_OF.get(chunker, chunker) for chunker in chunkers]
    books = [name for name in dict.fromkeys(correlated["collection"]) if name in BOOKS]
    rest = list(dict.fromkeys(correlated["collection"][~correlated["collection"].isin(BOOKS)]))
    sides = {"within books": ("gutenqa", books), "in corpora": ("beir", rest[-1:])}
    figure, panels = plt.subplots(
        len(TITLES), 2, figsize=(8.3, 1.1 * len(chunkers) + 1.6), sharex="col", sharey=True
    )
    for (arm, title), row in zip(TITLES.items(), panels, strict=True):
        for axes, (side, (column, ours)) in zip(row, sides.items(), strict=True):
            old = printed[(printed["collection"] == column) & (printed["ordering"] == arm)]
            old = old[old["method"].isin(methods)]
            at = [methods.index(method) - 0.22 for method in old["method"]]
            axes.plot(old["r"], at, "|", color="0.5", ms=8, mew=2,
                      label="published, four models")  # fmt: skip
            own = correlated[correlated["collection"].isin(ours) & (correlated["ordering"] == arm)]
            for offset, (definition, label) in enumerate(WORDS.items()):
                part = own[(own["definition"] == definition) & own["r"].notna()]
                up = [chunkers.index(c) + 0.1 + 0.22 * offset for c in part["chunker"]]
                drawing.intervals(axes, part, up, drawing.COLORS[offset], label, "r", scale=1)
            drawing.zero(axes)
            axes.set_title(f"{side}, {title}", loc="left")
        drawing.rows_named(row[0], [titles.chunker(chunker) for chunker in chunkers])
    for axes in panels[-1]:
        axes.set_xlabel("Pearson's r of chunk size and score")
    drawing.one_legend(figure, panels.flat, columns=3)
    drawn = correlated[correlated["collection"].isin([*books, *rest[-1:]])]
    known = drawn[(drawn["definition"] == "text") & drawn["r"].notna()]
    above, below = int((known["low"] > 0).sum()), int((known["high"] < 0).sum())
    drawing.titled(figure, f"Of our {len(known)} correlations by the paper's words {above} have an "
                   f"interval above zero and {below} one below")  # fmt: skip
    return figure


def _groups(points: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The points of each method under each arm: of every collection, and of several in-corpus ones
    pooled."""
    for (chunker, of_method), arm in product(points.groupby("chunker", sort=False), ARMS):
        groups = of_method.groupby("collection", sort=False)
        groups_of = {str(name): group for name, group in groups if len(scored(group, arm))}
        inside = [group for name, group in groups_of.items() if name not in BOOKS]
        if len(inside) > 1:
            groups_of[POOLED] = pd.concat(inside, ignore_index=True)
        for name, own in groups_of.items():
            yield {"chunker": str(chunker), "collection": name, "ordering": arm}, own


def _sizes(run: RunScores, computing: RunCache) -> pd.DataFrame:
    """The sizes of a run's chunks by query: as the study keeps them, or measured."""
    condition, own = run.variant.condition, run.variant.function
    if own is None and computing.compute != "fresh":
        stored = experiment_tables.tables(computing.places, "chunk-sizes")
        sizes = kept(stored, condition)
        if len(sizes):
            return sizes
    if computing.compute == "stored":
        raise StudyError(
            f"the sizes of the chunks of {condition} are not stored; "
            'compute="missing" measures them'
        )
    collection, vectors = load_collection(condition.collection), computing.vectors
    store = load_store(condition.encoder, vectors, condition.rules.newlines)
    if own:
        chunks = chunk_documents(checked(own, collection.documents), collection.documents)
    else:
        chunks = cut(collection, condition.chunking, condition.rules, store)
    return measured(condition, run.run, collection, chunks, store)
