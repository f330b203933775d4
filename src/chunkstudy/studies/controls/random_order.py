"""What DCG@10 does a ranking in random order have, by chunker?

Larger chunks are fewer and more of them hit the answer, so chance alone scores higher. DCG@10 can
compare chunkers of different sizes only next to this number. It is computed exactly, for the
chunkers with records within documents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.evaluation.measures.first_hit import dcg_of_random_order, relevant_chunks
from chunkstudy.evaluation.retrieval.chunks import Limit
from chunkstudy.evaluation.retrieval.small_to_large import returned
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import NONE, Condition, parse_encoder
from chunkstudy.pipeline.experiments import Context, Tables, experiment
from chunkstudy.pipeline.scoring import judged_by

NAME = "random-order"
SCORE = "DCG@10"
WINDOW = 512


@experiment(NAME)
def tables(context: Context, _: Sequence[str] = ()) -> Tables:
    """Compute the score of a random order for every recorded set of chunks.

    Returns:
        ``random_order``: per collection, protocol, chunker and the encoder that places its
        boundaries (``none`` if no model does) the number of queries and the mean score, a fraction.
    """
    rows = []
    for condition in chunked_once(records.find(context.places.runs)):
        context.say(f"{NAME}: {condition}")
        scores = random_order(context, condition)
        keys = {
            "collection": condition.collection,
            "protocol": condition.protocol,
            "chunker": condition.chunker,
            "encoder": condition.encoder if condition.chunking.needs_encoder else NONE,
        }
        rows.append(keys | {"n": len(scores), SCORE: float(scores.mean())})
    columns = ["collection", "protocol", "chunker", "encoder", "n", SCORE]
    return {"random_order": pd.DataFrame(rows, columns=columns)}


def chunked_once(recorded: Sequence[Condition]) -> list[Condition]:
    """Return one condition for each set of chunks that is searched within documents.

    Boundaries that a model places count only in windows of 512 tokens, since each window costs
    several readings of the collection.
    """
    found: dict[tuple[str, str, str, str], Condition] = {}
    for condition in recorded:
        if condition.task == "in_document" and condition.encoder != NONE:
            needs_model = condition.chunking.needs_encoder
            if needs_model and parse_encoder(condition.encoder).reach != WINDOW:
                continue
            drawn_by = condition.encoder if needs_model else NONE
            key = (condition.collection, condition.protocol, condition.chunker, drawn_by)
            found.setdefault(key, condition)
    return [found[key] for key in sorted(found)]


def random_order(context: Context, condition: Condition) -> pd.Series:
    """Return the expected DCG@10 of a random order by query id."""
    collection = context.collection(condition.collection)
    store = context.store(condition.encoder) if condition.chunking.needs_encoder else None
    chunks = context.chunks(condition, store)
    rules = condition.rules
    gold, by_parent = judged_by(condition.collection, rules, condition.chunking.entry.rewrites)
    if by_parent:
        chunks, _ = returned(chunks)
    texts = chunks.texts(collection.documents)
    relevant = relevant_chunks(collection, chunks, texts, rules.relevance, gold)
    of_document = np.bincount(chunks.document, minlength=len(collection.documents))
    searched = of_document[Limit.of(collection, chunks).query_document]
    scores = dcg_of_random_order([len(hits) for hits in relevant], searched)
    by_query = pd.Series(scores, [query.id for query in collection.queries])
    if rules.relevance == "overlap":
        by_query = by_query[by_query.index.isin({one.query for one in collection.judgments})]
    return by_query
