"""What each baseline gains over vectors, and what it takes; what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.encoders import models
from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    Pair,
    differences,
    documents_of,
)
from chunkstudy.runs import facts
from chunkstudy.runs.grids import WIDE
from chunkstudy.runs.names import EncoderName
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


def make(context: Context, collections: Sequence[str], encoder: str) -> dict[str, pd.DataFrame]:
    """All arms of collections and a model, by its hub id."""
    plan = [Part(one.collection, run_as(encoder), one.arm) for one in PLAN if one.encoder == WIDE]
    found = [arms.part(context, one) for one in plan if one.collection in collections]
    return {name: pd.concat([one[name] for one in found], ignore_index=True) for name in found[0]}


def scores(made: Made, collection: str, encoder: str, measure: str) -> pd.DataFrame:
    """A row a question, a column an arm.

    Raises:
        StudyError: if vectors and another were not run, with the command that runs them.
    """
    run = _run(made, collection, encoder)
    if VECTORS not in set(run["arm"]) or len(run) == 1:
        command = COMMAND.format(collection, str(EncoderName(models.spec(encoder).id)))
        raise StudyError(f"this was not run; `{command}` runs it")
    rows = made["scores"].merge(run[["part", "arm"]], on="part")
    rows = rows[rows["measure"] == measure]
    wide = rows.pivot(index="query_id", columns="arm", values="value")
    return wide[[one for one in ARMS if one in wide]].rename_axis(columns=None)


def _run(made: Made, collection: str, encoder: str) -> pd.DataFrame:
    """The parts that were run of a collection and a model."""
    parts = made["parts"]
    return parts[(parts["collection"] == collection) & (parts["encoder"] == run_as(encoder))]


def gains(study: Study, made: Made, measures: Measures, encoder: str) -> pd.DataFrame:
    """Every arm minus vectors, a row each, Holm's correction within a collection."""
    return _compared(study, made, measures, encoder, ARMS[1:], VECTORS)


def over_words(study: Study, made: Made, measures: Measures, encoder: str) -> pd.DataFrame:
    """Both together minus BM25 alone."""
    return _compared(study, made, measures, encoder, [BOTH], WORDS)


def _compared(
    study: Study,
    made: Made,
    measures: Measures,
    encoder: str,
    arms: Sequence[str],
    against: str,
) -> pd.DataFrame:
    pairs = []
    for collection, names in measures.items():
        documents = _documents(study, collection)
        for measure in names:
            own = scores(made, collection, encoder, measure)
            pairs += [
                Pair(
                    {"collection": collection, "measure": measure, "arm": arm},
                    own[arm],
                    own[against],
                    documents,
                )
                for arm in arms
                if arm in own and against in own
            ]
    family = f"baselines against {against}, {{collection}}, {{measure}}"
    return differences(pairs, family, "score", f"score of {against}")


def _documents(study: Study, collection: str) -> pd.Series | None:
    """The document of each question, where there are enough to draw from."""
    documents = documents_of(facts.read(study.places, collection))
    few = documents is not None and documents.nunique() < FEWEST_DOCUMENTS
    return None if few else documents


def digits(study: Study, made: Made, measures: Measures, encoder: str) -> pd.DataFrame:
    """Vectors as they were run minus their record in float32, by the measures of collections."""
    pairs = []
    for collection, names in measures.items():
        documents = _documents(study, collection)
        for measure in names:
            keys = {"collection": collection, "measure": measure}
            own = scores(made, collection, encoder, measure)[VECTORS]
            record = _record(study, collection, encoder, measure)
            pairs.append(
                Pair(keys | {"questions equal": (own == record).sum()}, own, record, documents)
            )
    return differences(pairs, "half of the digits", run_as(encoder).rpartition("-")[2], "float32")


def _record(study: Study, collection: str, encoder: str, measure: str) -> pd.Series:
    k = int(measure.partition("@")[2])
    runs = study.runs(collection, [CHUNKER], encoder, WINDOW)
    return runs.scores(k, [measure]).of(CHUNKER, measure)


def what_was_run(study: Study, made: Made, measures: Measures, encoder: str) -> pd.DataFrame:
    """Of each collection its chunks, those that a title is put before, its questions, and of how
    many plain vectors that were computed anew score what their record says."""
    rows = []
    for collection, names in measures.items():
        run = _run(made, collection, encoder).set_index("arm")
        row: dict[str, object] = {
            "collection": collection,
            "chunks": int(run["chunks"].max()),
            "with a title": run["titled"].reindex([TITLE]).iloc[0],
        }
        for measure in names:
            own = scores(made, collection, encoder, measure)[VECTORS]
            same = own == _record(study, collection, encoder, measure).reindex(own.index)
            row |= {"n": len(own), "as recorded": int(same.sum())}
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


def first_measure(rows: pd.DataFrame, arm: str) -> pd.DataFrame:
    """An arm's rows by the first measure of each collection."""
    return rows[rows["arm"] == arm].drop_duplicates("collection").set_index("collection")
