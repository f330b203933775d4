"""What do Chroma's way of generating questions and its two filters keep, and what do they let pass?

The filters are run with all-MiniLM-L6-v2 in place of text-embedding-3-large: on the questions that
Chroma released, which had passed them, and on questions written by hand on the built-in collection,
some of them flawed on purpose. A small language model is asked for questions as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.base.spans import Collection, Document
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Ask
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.generated_questions import by_hand, filters, prompts, replies
from chunkstudy.studies.generated_questions.by_hand import APPROXIMATE, EXACT, SMALL
from chunkstudy.studies.generated_questions.generate import (
    Candidate,
    Generated,
    ask_about,
    generate,
)
from chunkstudy.studies.generated_questions.prompts import Settings

NAME = "generated-questions"
COLLECTIONS = ("builtin", "chroma")
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
RUNS = {"by hand": EXACT, "by hand, approximate": APPROXIMATE, "SmolLM2-135M-Instruct": SMALL}


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``requests``: a row per request. ``candidates``: a row per question on the built-in
    collection, with what the filters say. ``released``: a row per question of Chroma's.
    ``thresholds``: by corpus, how many of them would pass. ``places``: where Chroma's excerpts
    stand. ``shifted``: by excerpt of the approximate variant, how far the official code shifts it.

    Raises:
        ValueError: if asked of other collections.
    """
    if tuple(collections) != COLLECTIONS:
        raise ValueError("this study is of builtin and chroma together; leave --collection out")
    store = context.store(MINILM)
    documents = context.collection("builtin").documents
    context.read(context.places.llm / "authored" / f"{EXACT.model.partition('/')[2]}.jsonl")
    with Asker("replay", context.places.llm) as asker:
        made = {name: generate(documents, one, asker.ask) for name, one in RUNS.items()}
        moved = shifted(documents, APPROXIMATE, made["by hand, approximate"], asker.ask)
    released = _released(context.collection("chroma"), store)
    return {
        "requests": pd.concat(
            [requests(name, one) for name, one in made.items()], ignore_index=True
        ),
        "candidates": pd.concat(
            [
                candidates(name, one, documents, store)
                for name, one in made.items()
                if one.candidates
            ],
            ignore_index=True,
        ),
        "released": released,
        "thresholds": thresholds(released),
        "places": places(context.collection("chroma")),
        "shifted": moved,
    }


def requests(name: str, made: Generated) -> pd.DataFrame:
    """A row per request: the model, the document, and why the reply was rejected, if it was."""
    asked = pd.DataFrame(made.asked).rename(columns=lambda one: one.replace("_", " "))
    asked.insert(0, "replies", name)
    return asked


def candidates(
    name: str, made: Generated, documents: Sequence[Document], store: VectorStore
) -> pd.DataFrame:
    """A row per question, in order; ``meant`` is empty where nobody wrote it by hand."""
    texts = {document.id: document.text for document in documents}
    found = filters.apply(made.candidates, texts, store.encode)
    settings = RUNS[name]
    intended = {}
    if settings.model.startswith("authored/"):
        pairs = by_hand.meant(made, settings.variant)
        intended = {asked.number: one.meant for asked, one in pairs if not asked.rejected}
    return pd.DataFrame(
        {
            "replies": name,
            "number": [one.number for one in made.candidates],
            "document": [one.document for one in made.candidates],
            "question": [one.question for one in made.candidates],
            "excerpts": [len(one.excerpts) for one in made.candidates],
            "meant": [intended.get(one.number, "") for one in made.candidates],
            "least similar excerpt": found.least,
            "most similar earlier question": found.most,
            "dropped": list(found.dropped),
            "oath": [one.oath for one in made.candidates],
            "joins with and": [one.joins for one in made.candidates],
        }
    )


def thresholds(released: pd.DataFrame) -> pd.DataFrame:
    """By corpus and over all: how many released questions keep what a filter asks for.

    ``reached by 95%``: the similarity that all but 5% of them reach.
    """
    rows = []
    for part in (*PUBLISHED, "all"):
        of = released if part == "all" else released[released["part"] == part]
        least = of["least similar excerpt"]
        at = of["part"].map(PUBLISHED)
        rows.append(
            {
                "part": part,
                "questions": len(of),
                "published threshold": PUBLISHED.get(part, float("nan")),
                "passing as published": int((least >= at).sum()),
                "passing at 0.36": int((least >= filters.LEAST).sum()),
                "reached by 95%": float(least.quantile(1 - PASSED)),
                "alike above 0.78": int(of["alike above 0.78"].sum()),
                "alike above 0.6": int(of["alike above 0.6"].sum()),
                "95% of questions below": float(
                    of["most similar earlier question"].quantile(PASSED)
                ),
            }
        )
    return pd.DataFrame(rows)


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


def shifted(
    documents: Sequence[Document], settings: Settings, made: Generated, ask: Ask
) -> pd.DataFrame:
    """Each excerpt of the approximate variant, where it stands and where the official code puts it.

    ``shared``: the share of its characters that the official place holds.
    """
    texts = {document.id: document for document in documents}
    rows = []
    done: list[Candidate] = []
    for one in made.asked:
        passage, request = ask_about(texts[one.document], settings, one.number, one.attempt, done)
        if one.rejected:
            continue
        true = made.candidates[len(done)]
        references = replies.read(ask(request)).references
        named = [replies.numbers(reference) for reference in references]
        cut = prompts.pieces(passage.text)
        official = list(replies.accumulated(named, cut, passage.start))
        done.append(true)
        for at, (mine, its) in enumerate(zip(true.excerpts, official, strict=True), start=1):
            shared = max(0, min(mine[1], its[1]) - max(mine[0], its[0]))
            rows.append(
                {
                    "number": one.number,
                    "excerpt": at,
                    "start": mine[0],
                    "official start": its[0],
                    "end": mine[1],
                    "official end": its[1],
                    "shared": shared / (mine[1] - mine[0]),
                }
            )
    return pd.DataFrame(rows)


def _released(collection: Collection, store: VectorStore) -> pd.DataFrame:
    """Chroma's questions as the filters see them, each corpus by itself, as the official code."""
    texts = {document.id: document.text for document in collection.documents}
    judged = collection.judgments_by_query()
    found = []
    for part in PUBLISHED:
        of = [query for query in collection.queries if collection.groups[query.id] == part]
        asked = [
            Candidate(number, query.text, part, tuple((j.start, j.end) for j in judged[query.id]))
            for number, query in enumerate(of, start=1)
        ]
        filtered = filters.apply(asked, texts, store.encode, -1.0, filters.MOST)
        vectors = store.encode([query.text for query in of], "query")
        everyone = np.ones(len(of), dtype=np.bool_)
        found.append(
            pd.DataFrame(
                {
                    "query_id": [query.id for query in of],
                    "part": part,
                    "least similar excerpt": filtered.least,
                    "most similar earlier question": filtered.most,
                    "alike above 0.78": [bool(why) for why in filtered.dropped],
                    "alike above 0.6": np.array(filters.alike(vectors, GUIDE, everyone)) >= 0,
                }
            )
        )
    return pd.concat(found, ignore_index=True)
