"""Which of Chroma's released questions pass its two filters with another model, and how were their
excerpts located?

The filters are run with all-MiniLM-L6-v2 in place of text-embedding-3-large, which all of these
questions had passed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from chunkstudy.collections.chroma import QUESTIONS, joins_with_and
from chunkstudy.core import sources
from chunkstudy.core.spans import Collection
from chunkstudy.pipeline.conditions import MINILM
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.studies.generated_questions import filters

COLLECTIONS = ("chroma",)
PUBLISHED = {  # least similarity of an excerpt (report, Generation & Prefiltering, table)
    "state_of_the_union": 0.40,
    "wikitexts": 0.42,
    "chatlogs": 0.43,
    "finance": 0.42,
    "pubmed": 0.40,
}
GUIDE = 0.6
"""The threshold of two questions that the guide of the official package names."""
PASSED = 0.95
"""Share of Chroma's questions that a threshold of another model should keep."""


@experiment("generated-questions", collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``released``: a row per question. ``thresholds``: by corpus, how many of them would pass.
    ``places``: where the excerpts stand. ``counts``: one row over all questions.
    """
    chroma = context.collection(*collections)
    released = _released(chroma, context.store(MINILM))
    return {
        "released": released,
        "thresholds": thresholds(released),
        "places": places(chroma),
        "counts": counts(chroma, sources.rows(context.file(QUESTIONS).read_bytes())),
    }


def thresholds(released: pd.DataFrame) -> pd.DataFrame:
    """By corpus and over all: how many released questions keep what a filter asks for.

    ``reached by 95%``: the similarity that all but 5% of them reach.
    """
    least = released["least similar excerpt"]
    passing = released.assign(
        published=least >= released["part"].map(PUBLISHED), official=least >= filters.LEAST
    )
    parts = {part: passing[passing["part"] == part] for part in PUBLISHED} | {"all": passing}
    return pd.DataFrame(
        {
            "part": part,
            "questions": len(rows),
            "published threshold": PUBLISHED.get(part, float("nan")),
            "passing as published": int(rows["published"].sum()),
            "passing at 0.36": int(rows["official"].sum()),
            "reached by 95%": float(rows["least similar excerpt"].quantile(1 - PASSED)),
            "alike above 0.78": int(rows["alike above 0.78"].sum()),
            "alike above 0.6": int(rows["alike above 0.6"].sum()),
            "95% of questions below": float(rows["most similar earlier question"].quantile(PASSED)),
        }
        for part, rows in parts.items()
    )


def places(collection: Collection) -> pd.DataFrame:
    """One row: where the released excerpts stand, which shows how they were located.

    ``first of several``: of those whose text stands in the corpus more than once, how many are the
    first occurrence. ``before a full stop``: the next character of the corpus is one, as is left
    where the final full stop of a quotation is dropped.
    """
    source = {document.id: document.text for document in collection.documents}
    quoted = [(source[j.document], j.start, j.end) for j in collection.judgments]
    several = [(t, s, e) for t, s, e in quoted if t.find(t[s:e], t.find(t[s:e]) + 1) >= 0]
    return pd.DataFrame(
        [
            {
                "excerpts": len(quoted),
                "stand more than once": len(several),
                "first of several": sum(t.find(t[s:e]) == s for t, s, e in several),
                "end with a full stop": sum(t[e - 1] == "." for t, _, e in quoted),
                "before a full stop": sum(t[e : e + 1] == "." for t, _, e in quoted),
            }
        ]
    )


def counts(collection: Collection, released: Iterable[Mapping[str, str]]) -> pd.DataFrame:
    """One row: counts over all questions and excerpts.

    ``and outside of names``: an ``and`` that stands between two words, one of them in lower case.

    Args:
        collection: Chroma's.
        released: the rows of its file of questions.
    """
    texts = [query.text for query in collection.queries]
    excerpts = Counter(judgment.query for judgment in collection.judgments)
    source = {document.id: document.text for document in collection.documents}
    return pd.DataFrame(
        [
            {
                "questions": len(texts),
                "excerpts": len(collection.judgments),
                "excerpts that stand at their offsets": sum(
                    source[row["corpus_id"]][e["start_index"] : e["end_index"]] == e["content"]
                    for row in released
                    for e in json.loads(row["references"])
                ),
                "most excerpts of a question": max(excerpts.values()),
                "questions of one excerpt": sum(n == 1 for n in excerpts.values()),
                "questions with and outside of names": sum(map(joins_with_and, texts)),
            }
        ]
    )


def _released(collection: Collection, store: VectorStore) -> pd.DataFrame:
    """Chroma's questions as the filters see them, each corpus by itself, as the official code."""
    texts = {document.id: document.text for document in collection.documents}
    judged = collection.judgments_by_query()
    frames = []
    for part in PUBLISHED:
        queries = [query for query in collection.queries if collection.groups[query.id] == part]
        questions = [query.text for query in queries]
        excerpts = [[texts[part][j.start : j.end] for j in judged[query.id]] for query in queries]
        filtered = filters.apply(questions, excerpts, store.encode, -1.0, filters.MOST)
        columns = {
            "query_id": [query.id for query in queries],
            "part": part,
            **filtered[[filters.LEAST_SIMILAR, filters.MOST_SIMILAR]],
            "alike above 0.78": filtered["dropped"] != "",
            "alike above 0.6": filters.alike(store.encode(questions, "query"), GUIDE),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
