"""What each baseline gains over vectors, and what it takes; what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    Pair,
    differences,
    documents_of,
)
from chunkstudy.runs import facts
from chunkstudy.runs.study_runs import Context
from chunkstudy.show.faults import StudyError
from chunkstudy.show.study import Study
from chunkstudy.studies.baselines import arms
from chunkstudy.studies.baselines.arms import (
    ARMS,
    BOTH,
    CHUNKER,
    ENCODERS,
    PLAN,
    TITLE,
    VECTORS,
    WORDS,
    Part,
)

Made = Mapping[str, pd.DataFrame]
"""The tables of :func:`arms.part`, of all parts."""
COMMAND = "chunkstudy study baselines --part '{}/*{}*'"


def make(context: Context, collections: Sequence[str], encoder: str) -> dict[str, pd.DataFrame]:
    """All arms of collections and a model, by its slug."""
    plan = [Part(one.collection, encoder, one.arm) for one in PLAN if one.encoder == ENCODERS[0]]
    found = [arms.part(context, one) for one in plan if one.collection in collections]
    return {name: pd.concat([one[name] for one in found], ignore_index=True) for name in found[0]}


def scores(made: Made, collection: str, encoder: str, measure: str) -> pd.DataFrame:
    """A row a question, a column an arm that was run.

    Raises:
        StudyError: if plain vectors were not run, with the command that runs them.
    """
    parts = made["parts"]
    own = parts[(parts["collection"] == collection) & (parts["encoder"] == encoder)]
    if VECTORS not in set(own["arm"]):
        raise StudyError(f"this was not run; `{COMMAND.format(collection, encoder)}` runs it")
    rows = made["scores"].merge(own[["part", "arm"]], on="part")
    wide = rows[rows["measure"] == measure].pivot(index="query_id", columns="arm", values="value")
    return wide[[one for one in ARMS if one in wide]].rename_axis(columns=None)


def gains(
    study: Study, made: Made, measures: Mapping[str, Sequence[str]], encoder: str
) -> pd.DataFrame:
    """Every arm minus vectors, a row each, Holm's correction within a collection."""
    return _compared(study, made, measures, encoder, [(one, VECTORS) for one in ARMS[1:]])


def over_words(
    study: Study, made: Made, measures: Mapping[str, Sequence[str]], encoder: str
) -> pd.DataFrame:
    """Both together minus BM25 alone."""
    return _compared(study, made, measures, encoder, [(BOTH, WORDS)])


def _compared(
    study: Study,
    made: Made,
    measures: Mapping[str, Sequence[str]],
    encoder: str,
    arms: Sequence[tuple[str, str]],
) -> pd.DataFrame:
    pairs = []
    for collection, names in measures.items():
        documents = documents_of(facts.read(study.places, collection))
        if documents is not None and documents.nunique() < FEWEST_DOCUMENTS:
            documents = None
        for measure in names:
            own = scores(made, collection, encoder, measure)
            pairs += [
                Pair(
                    {"collection": collection, "measure": measure, "arm": one, "against": other},
                    own[one],
                    own[other],
                    documents,
                )
                for one, other in arms
                if one in own and other in own
            ]
    against = " and ".join(dict.fromkeys(other for _, other in arms))
    return differences(pairs, f"baselines against {against}, {{collection}}", "score", "beside")


def as_recorded(
    study: Study, made: Made, measures: Mapping[str, Sequence[str]], encoder: str, slug: str
) -> pd.DataFrame:
    """Of each collection the chunks, those that a title is put before, how many questions there
    are, of how many plain vectors score what their record says, and what was not run.

    Args:
        encoder: the hub id of the model whose records are read, in windows of 512 tokens.
        slug: the same as the parts have it.
    """
    rows = []
    for collection, names in measures.items():
        every = made["parts"]
        parts = every[(every["collection"] == collection) & (every["encoder"] == slug)]
        parts = parts.set_index("arm")[["chunks", "titled"]]
        alike = []
        for measure in names:
            k = int(measure.partition("@")[2])
            record = study.runs(collection, [CHUNKER], encoder, 512).scores(k, [measure])
            own = scores(made, collection, slug, measure)[VECTORS]
            alike.append(own == record.of(CHUNKER, measure).reindex(own.index))
        planned = [one.arm for one in PLAN if one.collection == collection]
        left = [one for one in dict.fromkeys(planned) if one not in parts.index]
        rows.append(
            {
                "collection": collection,
                "chunks": int(parts["chunks"].max()),
                "with a title": parts["titled"].reindex([TITLE]).iloc[0],
                "n": len(alike[0]),
                "as recorded": int(np.logical_and.reduce(alike).sum()),
                "not run": ", ".join(left),
            }
        )
    return pd.DataFrame(rows)


def costs(made: Made, encoder: str) -> pd.DataFrame:
    """What each arm takes to index, to what vectors take, in all collections that ran both."""
    parts = made["parts"]
    own = parts[parts["encoder"] == encoder].set_index("collection")
    taken = {arm: own.loc[own["arm"] == arm, ["vectors", "tokens"]] for arm in ARMS}
    rows: list[dict[str, object]] = []
    for arm, some in taken.items():
        both = taken[VECTORS].index.intersection(some.index)
        times = some.loc[both].sum() / taken[VECTORS].loc[both].sum()
        rows.append({"arm": arm, "collections": len(both), **times})
    return pd.DataFrame(rows)
