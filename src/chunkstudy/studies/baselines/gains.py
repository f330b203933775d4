"""What each baseline gains over vectors, and what it takes; what was run."""

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
from chunkstudy.show.study import Study
from chunkstudy.studies.baselines import arms
from chunkstudy.studies.baselines.arms import (
    ARMS,
    BOTH,
    CHUNKER,
    PLAN,
    TITLE,
    VECTORS,
    WINDOW,
    WORDS,
    Part,
    run_as,
)

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
    run = _run(made, collection, encoder)
    rows = made["scores"].merge(run[["part", "arm"]], on="part")
    rows = rows[rows["measure"] == measure]
    wide = rows.pivot(index="query_id", columns="arm", values="value")
    return wide[[one for one in ARMS if one in wide]].rename_axis(columns=None)


def _run(made: Made, collection: str, encoder: str) -> pd.DataFrame:
    """The parts that were run of a collection and a model."""
    parts = made["parts"]
    return parts[(parts["collection"] == collection) & (parts["encoder"] == run_as(encoder))]


def _was_run(made: Made, collection: str, encoder: str) -> bool:
    """Whether vectors and another arm were."""
    run = set(_run(made, collection, encoder)["arm"])
    return VECTORS in run and len(run) > 1


def _which(made: Made, measures: Measures, encoders: Sequence[str]) -> list[tuple[str, str]]:
    """Models and collections that were run; all are asked for where a model has none."""
    asked = [(encoder, collection) for encoder in encoders for collection in measures]
    run = [(encoder, name) for encoder, name in asked if _was_run(made, name, encoder)]
    lacking = set(encoders) - {encoder for encoder, _ in run}
    return [one for one in asked if one in run or one[0] in lacking]


def gains(study: Study, made: Made, measures: Measures, encoders: Sequence[str]) -> pd.DataFrame:
    """Every arm minus vectors, a row each, Holm's correction within a collection, a measure and a
    model; of a model the collections that were run."""
    return _compared(study, made, measures, encoders, ARMS[1:], VECTORS)


def over_words(
    study: Study, made: Made, measures: Measures, encoders: Sequence[str]
) -> pd.DataFrame:
    """Both together minus BM25 alone."""
    return _compared(study, made, measures, encoders, [BOTH], WORDS)


def _compared(
    study: Study,
    made: Made,
    measures: Measures,
    encoders: Sequence[str],
    arms: Sequence[str],
    against: str,
) -> pd.DataFrame:
    pairs = []
    for encoder, collection in _which(made, measures, encoders):
        documents = _documents(study, collection)
        for measure in measures[collection]:
            own = scores(made, collection, encoder, measure)
            keys = {"model": encoder, "collection": collection, "measure": measure}
            pairs += [
                Pair(keys | {"arm": arm}, own[arm], own[against], documents)
                for arm in arms
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
        for measure in names:
            own = scores(made, collection, encoder, measure)[VECTORS]
            record = _record(study, collection, encoder, measure).reindex(own.index)
            same = int((own == record).sum())
            keys = {"model": encoder, "collection": collection, "measure": measure, "same": same}
            pairs.append(Pair(keys, own, record, _documents(study, collection)))
    return differences(pairs, "half precision, {model}, {measure}", "half precision", "float32")


def _record(study: Study, collection: str, encoder: str, measure: str) -> pd.Series:
    k = int(measure.partition("@")[2])
    runs = study.runs(collection, [CHUNKER], encoder, WINDOW)
    return runs.scores(k, [measure]).of(CHUNKER, measure)


def what_was_run(made: Made, measures: Measures, encoders: Sequence[str]) -> pd.DataFrame:
    """Of each model and collection its chunks, those that a title is put before, and questions."""
    rows = []
    for encoder, collection in _which(made, measures, encoders):
        run = _run(made, collection, encoder).set_index("arm")
        asked = scores(made, collection, encoder, measures[collection][0])
        row = {"model": encoder, "collection": collection, "chunks": int(run["chunks"].max())}
        row |= {"with a title": run["titled"].reindex([TITLE]).iloc[0], "n": len(asked)}
        rows.append(row)
    return pd.DataFrame(rows)


def costs(made: Made, encoder: str) -> pd.DataFrame:
    """What each arm takes to index, to what vectors take, in the collections that ran both."""
    parts = made["parts"]
    own = parts[parts["encoder"] == run_as(encoder)].set_index("collection")
    taken = {arm: own.loc[own["arm"] == arm, ["vectors", "tokens"]] for arm in ARMS}
    rows: list[dict[str, object]] = []
    for arm, some in taken.items():
        both = taken[VECTORS].index.intersection(some.index)
        times = some.loc[both].sum() / taken[VECTORS].loc[both].sum()
        rows.append({"arm": arm, "collections": len(both), **times})
    return pd.DataFrame(rows)


def first_measure(rows: pd.DataFrame, arm: str, model: str) -> pd.DataFrame:
    """A model's rows of an arm by the first measure of each collection."""
    own = at(rows, arm=arm, model=model)
    return own.drop_duplicates("collection").set_index("collection")
