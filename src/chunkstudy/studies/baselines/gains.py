"""What each baseline gains over vectors, of those that were run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.encoders import models
from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    Pair,
    at,
    differences,
    documents_of,
)
from chunkstudy.runs import facts
from chunkstudy.runs.conditions import MINILM_512, EncoderName
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.baselines import arms
from chunkstudy.studies.baselines.arms import ARMS, CHUNKER, PLAN, VECTORS, WINDOW, Part, run_as
from chunkstudy.study.study import Study

Made = Mapping[str, pd.DataFrame]
"""The tables of :func:`arms.part`, of all parts."""
Measures = Mapping[str, Sequence[str]]
"""By collection, with their cut-offs."""
COMMAND = "chunkstudy study baselines --part '{}/*{}*'"


def make(
    context: Context, collections: Sequence[str], encoders: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """All arms of collections and models, by their hub ids."""
    found = [
        arms.part(context, Part(one.collection, run_as(encoder), one.arm))
        for encoder in encoders
        for one in PLAN
        if one.encoder == MINILM_512 and one.collection in collections
    ]
    return {name: pd.concat([one[name] for one in found], ignore_index=True) for name in found[0]}


def scores(made: Made, collection: str, encoder: str, measure: str) -> pd.DataFrame:
    """A row a question, a column an arm.

    Raises:
        StudyError: if vectors and another were not run, with the command that runs them.
    """
    if not _was_run(made, collection, encoder):
        command = COMMAND.format(collection, str(EncoderName(models.spec(encoder).id)))
        raise StudyError(f"this was not run; `{command}` runs it")
    run = at(made["parts"], collection=collection, encoder=run_as(encoder))
    rows = made["scores"].merge(run[["part", "arm"]], on="part")
    wide = at(rows, measure=measure).pivot(index="query_id", columns="arm", values="value")
    return wide[[one for one in ARMS if one in wide]].rename_axis(columns=None)


def _was_run(made: Made, collection: str, encoder: str) -> bool:
    """Whether vectors and another arm were."""
    run = set(at(made["parts"], collection=collection, encoder=run_as(encoder)).get("arm", ()))
    return VECTORS in run and len(run) > 1


def gains(
    study: Study,
    made: Made,
    measures: Measures,
    encoders: Sequence[str],
    compared: Sequence[str] = ARMS[1:],
    against: str = VECTORS,
) -> pd.DataFrame:
    """Every arm compared minus another, a row each, Holm's correction within a collection, a
    measure and a model; of a model the collections that were run, all where it has none."""
    pairs = []
    for encoder in encoders:
        run = [one for one in measures if _was_run(made, one, encoder)]
        for collection in run or measures:
            documents = _documents(study, collection)
            for measure in measures[collection]:
                own = scores(made, collection, encoder, measure)
                keys = {"model": encoder, "collection": collection, "measure": measure}
                pairs += [
                    Pair(keys | {"arm": arm}, own[arm], own[against], documents)
                    for arm in compared
                    if arm in own and against in own
                ]
    family = f"baselines against {against}, {{model}}, {{collection}}, {{measure}}"
    return differences(pairs, family, "score", f"score of {against}")


def _documents(study: Study, collection: str) -> pd.Series | None:
    """The document of each question, where there are enough to draw from."""
    documents = documents_of(facts.read(study.places, collection))
    few = documents is not None and documents.nunique() < FEWEST_DOCUMENTS
    return None if few else documents


def beside_records(study: Study, made: Made, measures: Measures, encoder: str) -> pd.DataFrame:
    """Vectors as they were run, in half precision for one, minus their record in float32."""
    pairs = []
    for collection, names in measures.items():
        runs = study.runs(collection, [CHUNKER], encoder, WINDOW)
        for measure in names:
            own = scores(made, collection, encoder, measure)[VECTORS]
            record = runs.by(measure).of(CHUNKER, measure).reindex(own.index)
            same = int((own == record).sum())
            keys = {"model": encoder, "collection": collection, "measure": measure, "same": same}
            pairs.append(Pair(keys, own, record, _documents(study, collection)))
    return differences(pairs, "half precision, {model}, {measure}", "half precision", "float32")


def first_measure(rows: pd.DataFrame, arm: str, model: str) -> pd.DataFrame:
    """A model's rows of an arm by the first measure of each collection."""
    own = at(rows, arm=arm, model=model)
    return own.drop_duplicates("collection").set_index("collection")
