"""What each baseline gains over vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    Pair,
    at,
    differences,
    documents_of,
)
from chunkstudy.runs import facts
from chunkstudy.studies.baselines.systems import SYSTEMS, VECTORS, run_as
from chunkstudy.study.study import Study

Made = Mapping[str, pd.DataFrame]
"""The tables of :func:`systems.read`."""
Measures = Mapping[str, Sequence[str]]
"""By collection, with their cut-offs."""


def scores(made: Made, collection: str, encoder: str, measure: str) -> pd.DataFrame:
    """A row a question, a column a system."""
    parts = at(made["parts"], collection=collection, encoder=run_as(encoder))
    rows = at(made["scores"].merge(parts[["part", "arm"]], on="part"), measure=measure)
    wide = rows.pivot(index="query_id", columns="arm", values="value")
    return wide[[system for system in SYSTEMS if system in wide]].rename_axis(columns=None)


def gains(
    study: Study,
    made: Made,
    measures: Measures,
    encoders: Sequence[str],
    compared: Sequence[str] = SYSTEMS[1:],
    against: str = VECTORS,
) -> pd.DataFrame:
    """Every system compared minus another, a row each, Holm's correction within a collection, a
    measure and a model."""
    pairs = []
    for encoder in encoders:
        for collection, names in measures.items():
            documents = documents_of(facts.read(study.places, collection))
            if documents is not None and documents.nunique() < FEWEST_DOCUMENTS:
                documents = None  # too few to draw from
            for measure in names:
                wide = scores(made, collection, encoder, measure)
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
