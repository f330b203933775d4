"""What do Chroma's scores change by, where every place of a repeated excerpt is judged?

The released file judges one place of each excerpt, the first of its corpus. The set for others to
use judges every place where a judged excerpt stands, as offsets and digests only: the texts are
Chroma's. ``results/chroma_corrected/README.md`` says what each column is and how the scores are
defined. Here the rows of the table of all-MiniLM-L6-v2 are scored by both, as published and
corrected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.core.project import Project
from chunkstudy.core.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.core.spans import Collection, text_digest
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.pipeline import facts, rankings, records, rescore
from chunkstudy.pipeline.conditions import MINILM, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.published.sources import chroma_minilm
from chunkstudy.studies.chroma.tables import MINILM_ROWS

COLLECTIONS = ("chroma",)
CHUNKERS = tuple(chroma_minilm(row).chunker for row in MINILM_ROWS)
CUT = 5
LEAST = 1e-9
"""A smaller change of a question's score is none."""

QUERY, DOCUMENT = "query-id", "corpus-id"
QRELS = "qrels"
DIGITS = 8
"""Of a question's digest, which tells 472 questions apart."""
MEASURES = ("SpanRecall", "SpanPrecision", "SpanIoU")


@experiment("chroma-all-occurrences", collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``changes``: a row per protocol, chunker and measure: the mean over questions where the
    first place is judged and where all are, fractions, the mean difference with its interval
    (paired, over questions), and of how many questions the score changes."""
    store, rows = context.store(MINILM), []
    for name in collections:
        collection = context.collection(name)
        qrels = judgments(collection)[QRELS]
        first = qrels[qrels["occurrence"] == 1]
        for protocol in (AS_PUBLISHED_CHROMA, CORRECTED):
            for slug in CHUNKERS:
                condition = Condition(name, slug, MINILM, PRE_EMBEDDING, protocol.name)
                context.say(f"every place of an excerpt: {condition}")
                ranking = retrieved(context, store, condition)
                released, every = (
                    scores(judged, collection, ranking, CUT) for judged in (first, qrels)
                )
                for measure in MEASURES:
                    change = every[measure] - released[measure]
                    (difference,) = statistics.mean_differences([change.to_numpy()])
                    changed = change.abs() > LEAST
                    rows.append(
                        {
                            "protocol": protocol.name,
                            "chunker": slug,
                            "measure": f"{measure}@{CUT}",
                            "first place": round(float(released[measure].mean()), 6),
                            "all places": round(float(every[measure].mean()), 6),
                            "difference": round(difference.mean, 6),
                            "low": round(difference.interval.low, 6),
                            "high": round(difference.interval.high, 6),
                            "questions changed": int(changed.sum()),
                        }
                    )
    return {"changes": pd.DataFrame(rows)}


def retrieved(context: Context, store: VectorStore, condition: Condition) -> pd.DataFrame:
    """The first chunks of every question: those kept beside the study's record, else searched."""
    runs = context.places.runs
    if records.complete(runs, condition):
        first_chunks = rescore.first_chunks(context.places, records.read(runs, condition).run)
        if first_chunks is not None:
            path = records.rankings_path(runs, condition)
            context.read(path, path.relative_to(context.places.results).as_posix())
            return first_chunks
    collection, chunks = context.collection(condition.collection), context.chunks(condition, store)
    queries = store.encode([query.text for query in collection.queries], "query")
    vectors = store.encode(chunks.texts(collection.documents), label=condition.chunker)
    return rankings.of_chunks(search(queries, vectors, CUT), chunks)


def judgments(collection: Collection) -> dict[str, pd.DataFrame]:
    """``corpus``, ``queries`` and ``qrels``, a row of which is one place of one excerpt.

    An excerpt stands wherever its characters do, exactly, in the document that it is judged in;
    places are numbered from 1 in the order of the text.
    """
    texts = {document.id: document.text for document in collection.documents}
    corpus = [(name, len(text), text_digest(text)) for name, text in texts.items()]
    queries = [(query.id, text_digest(query.text)[:DIGITS]) for query in collection.queries]
    qrels = []
    for query, judged in collection.judgments_by_query().items():
        for excerpt, judgment in enumerate(judged, start=1):
            text = texts[judgment.document]
            words = text[judgment.start : judgment.end]
            for occurrence, start in enumerate(_places(text, words), start=1):
                span = start, start + len(words)
                qrels.append((query, judgment.document, *span, excerpt, occurrence))
    return {
        "corpus": pd.DataFrame(corpus, columns=[DOCUMENT, "characters", "sha256"]),
        "queries": pd.DataFrame(queries, columns=[QUERY, "sha256"]),
        QRELS: pd.DataFrame(
            qrels, columns=[QUERY, DOCUMENT, "start", "end", "excerpt", "occurrence"]
        ),
    }


def places_of_excerpts(places: Project) -> pd.Series:
    """At how many places each excerpt stands, by question and excerpt, in the committed set."""
    qrels = pd.read_csv(places.results / "chroma_corrected" / f"{QRELS}.tsv", sep="\t")
    return qrels.groupby([QUERY, "excerpt"]).size()


def scores(
    qrels: pd.DataFrame, collection: Collection, ranking: pd.DataFrame, cut: int
) -> pd.DataFrame:
    """Recall, precision and IoU in characters, fractions, a row a question of the collection.

    An excerpt counts as found by as much as is retrieved of the one place of it that is covered
    best; text is relevant wherever it is in any place of any excerpt. Where every excerpt has one
    place, and none overlap, these are the published measures.

    Args:
        qrels: of :func:`judgments`, or those of its rows that count.
        collection: whose questions they are.
        ranking: ``query, document, start, end``, best first, indices into the collection.
        cut: how many chunks are read.
    """
    at = {query.id: i for i, query in enumerate(collection.queries)}
    places = qrels.assign(
        query=qrels[QUERY].map(at),
        document=qrels[DOCUMENT].map(collection.positions),
        judged=qrels["end"] - qrels["start"],
    )
    query, *spans = (places[span].to_numpy(np.int64) for span in facts.SPANS)
    of_all = JudgedSpans(len(at), query, *spans)
    precision = rescore.of_spans(of_all, ranking, "SpanPrecision", cut)

    each = np.arange(len(places))
    pairs = pd.DataFrame({"query": query, "place": each}).merge(ranking, on="query")
    of_each = pairs.drop(columns="query").rename(columns={"place": "query"})
    judged = JudgedSpans(len(each), each, *spans)
    covered = rescore.of_spans(judged, of_each, "SpanRecall", cut)
    places["found"] = covered * places["judged"]
    by_excerpt = places.groupby(["query", "excerpt"])[["found", "judged"]].max()
    best = by_excerpt.groupby("query").sum().reindex(range(len(at)), fill_value=0)

    top = ranking[ranking.groupby("query").cumcount() < cut]
    lengths = (top["end"] - top["start"]).groupby(top["query"]).sum()
    read_of = lengths.reindex(range(len(at)), fill_value=0).to_numpy()
    missed = best["judged"] - best["found"]
    values = (best["found"] / best["judged"], precision, precision * read_of / (read_of + missed))
    columns = (np.asarray(column) for column in values)
    return pd.DataFrame(dict(zip(MEASURES, columns, strict=True)), index=list(at))


def _places(text: str, words: str) -> list[int]:
    """Where words start, those that overlap the ones before included."""
    return [match.start() for match in re.finditer(f"(?={re.escape(words)})", text)]
