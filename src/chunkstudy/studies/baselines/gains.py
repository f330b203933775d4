"""What each baseline gains over vectors, and what a context before each chunk gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import product

import pandas as pd

from chunkstudy.core.errors import NoRecordError, StudyError
from chunkstudy.evaluation.statistics.differences import Pair, at, differences, documents_of
from chunkstudy.notebook.study import Study
from chunkstudy.pipeline import facts
from chunkstudy.pipeline.conditions import PRE_EMBEDDING, PREPENDED
from chunkstudy.studies.baselines.systems import SYSTEMS, VECTORS, run_as


def gains(
    study: Study,
    made: Mapping[str, pd.DataFrame],
    measures: Mapping[str, Sequence[str]],
    encoders: Sequence[str],
    compared: Sequence[str] = SYSTEMS[1:],
    against: str = VECTORS,
) -> pd.DataFrame:
    """Every system compared minus another, a row each, Holm's correction within a collection, a
    measure and a model.

    Args:
        study: the notebook's.
        made: the tables of :func:`systems.read`.
        measures: by collection, with their cut-offs.
        encoders: hub ids.
        compared: of ``SYSTEMS``; those that a collection lacks are left out.
        against: another.
    """
    scores = made["scores"].merge(made["parts"], on="part")
    pairs = []
    for encoder, (collection, names) in product(encoders, measures.items()):
        documents = documents_of(facts.read(study.places, collection))
        for measure in names:
            rows = at(scores, collection=collection, encoder=run_as(encoder), measure=measure)
            wide = rows.pivot(index="query_id", columns="arm", values="value")
            keys = {"model": encoder, "collection": collection, "measure": measure}
            pairs += [
                Pair(keys | {"arm": system}, wide[system], wide[against], documents)
                for system in compared
                if system in wide
            ]
    family = f"baselines against {against}, {{model}}, {{collection}}, {{measure}}"
    return differences(pairs, family, "score", f"score of {against}")


def first_measure(rows: pd.DataFrame, system: str, model: str) -> pd.DataFrame:
    """A model's rows of a system by the first measure of each collection."""
    return at(rows, arm=system, model=model).drop_duplicates("collection").set_index("collection")


def context_gains(
    study: Study,
    measures: Mapping[str, str],
    encoders: Sequence[str],
    chunkers: Sequence[Sequence[str]],
    sources: Sequence[str],
    window: int,
) -> pd.DataFrame:
    """Every context by every model minus plain chunks, a row each, over each set of chunkers. Where
    nothing may be computed, what has no record is left out.

    Args:
        study: runs them.
        measures: by collection, with its cut-off.
        encoders: hub ids.
        chunkers: sets of them; a question's score is its mean over one.
        sources: of contexts, as orderings name them.
        window: tokens read at once, a chunk with its context.

    Raises:
        StudyError: if nothing at all is there.
    """
    pairs: list[Pair] = []
    for (collection, measure), encoder, some in product(measures.items(), encoders, chunkers):
        for source in sources:
            runs = partial(study.runs, collection, tuple(some), encoder, window)
            with suppress(NoRecordError):
                both = [
                    runs(ordering=way).by(measure)
                    for way in (f"{PREPENDED}-{source}", PRE_EMBEDDING)
                ]
                first, second = (scores.wide(measure).mean(axis=1).sort_index() for scores in both)
                keys = {"measure": measure, "collection": collection, "model": encoder,
                        "context": source, "chunkers": len(some)}  # fmt: skip
                pairs.append(Pair(keys, first, second, both[0].documents))
    if not pairs:
        raise StudyError('nothing of this has a record; compute="missing" runs it')
    family = "contexts, {collection}, {model}, {chunkers} chunkers"
    return differences(pairs, family, "with context", "plain")
