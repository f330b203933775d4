"""What asking a language model costs beside chunkers that ask nobody: dollars, and time.

Dollars are estimates from dated prices; what a model thinks before it answers is not counted.
Documents a second are measured on one core. Those of a language model that runs here follow from
the seconds of its recorded replies, and those of hosted models stand as printed, since nothing here
could give them again.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.llm.prices import PRICES
from chunkstudy.runs import records
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING, Condition, parse_chunker
from chunkstudy.runs.estimate import Segmentation, segmentations
from chunkstudy.runs.library import Library
from chunkstudy.runs.published_grid import published_grid
from chunkstudy.studies.language_models.answers import EMMA as ABOUT_EMMA
from chunkstudy.studies.language_models.emma import EMMA
from chunkstudy.studies.language_models.window_answers import RELEASED, SMALL

ON_EMMA = {
    "paragraph": "paragraph",
    "sentence-5": "sentence-5",
    "fixed-256": "fixed-256",
    "recursive-400-0": "recursive-released",
    "token-400-0": "",
    "lumberchunker-last": "lumberchunker-last",
    "semantic": "semantic",
    "cluster-200": "",
    "kamradt": "",
    SMALL: SMALL,
    "lumberchunker": RELEASED,
    "proposition": "proposition-released",
}
"""A chunker, and the one whose score on Emma stands beside its cost: of recursive chunks, of
LumberChunker and of propositions what their authors released. Those left empty were not run."""


def prices(places: Places) -> pd.DataFrame:
    """A row per collection whose boundaries a work let a language model draw, and per method."""
    rows = [_price(one, places) for one in segmentations(published_grid())]
    return pd.DataFrame(rows).sort_values(["chunker", "collection"], ignore_index=True)


def beside_score(
    library: Library,
    places: Places,
    measured: pd.DataFrame,
    answers: pd.DataFrame,
) -> pd.DataFrame:
    """A row per chunker: documents and tokens a second, documents a second as printed, dollars for
    Emma, and DCG@10 on Emma with plain chunking.

    Args:
        measured: of the study ``chunking-speed``; may be empty.
        answers: the small model's, whose seconds are its time.
    """
    said = published_speeds(places)
    rows = []
    for chunker, on_emma in ON_EMMA.items():
        row: dict[str, object] = {"chunker": chunker}
        row |= _measured(chunker, measured) or _of_answers(chunker, library, answers)
        row["printed a second"] = said.get(chunker, np.nan)
        row["US dollars, Emma"] = _dollars(chunker, places)
        row |= _score(library, on_emma)
        rows.append(row)
    return pd.DataFrame(rows)


def published_speeds(places: Places) -> dict[str, float]:
    """Documents a second that the taxonomy says a chunker cuts. A speed hangs on the machine and on
    who is asked: it is no published cell and gets no verdict."""
    path = places.published / "speeds" / "taxonomy.csv"
    if not path.exists():
        return {}
    rows = pd.read_csv(path, thousands=",")
    return dict(zip(rows["chunker"], rows["published"].astype(float), strict=True))


def _price(one: Segmentation, places: Places) -> dict[str, object]:
    estimate, basis = one.takes(places)
    name = one.model.partition("/")[2]
    row: dict[str, object] = {"collection": one.collection, "chunker": one.chunker}
    row["language model"] = name
    if estimate is None:
        return row | {"basis": basis}
    return row | {
        "requests": estimate.requests,
        "million tokens in": estimate.input_tokens / 1e6,
        "million tokens out": estimate.output_tokens / 1e6,
        "US dollars": estimate.dollars,
        "price as of": PRICES[name].date,
        "basis": basis,
    }


def _measured(chunker: str, measured: pd.DataFrame) -> dict[str, object]:
    if measured.empty or chunker not in set(measured["chunker"]):
        return {}
    (row,) = measured[measured["chunker"] == chunker].to_dict("records")
    return {
        "measured on": row["collection"],
        "documents": row["documents"],
        "documents a second": row["documents"] / row["seconds"],
        "tokens a second": row["tokens"] / row["seconds"],
    }


def _of_answers(chunker: str, library: Library, answers: pd.DataFrame) -> dict[str, object]:
    """The language model's own time on Emma, a book, once all of it is chunked."""
    record = (
        library.get(Condition(EMMA, chunker, MINILM_512, PRE_EMBEDDING, CORRECTED.name))
        if chunker == SMALL
        else None
    )
    seconds = float(answers.loc[answers["text"] == ABOUT_EMMA, "seconds"].sum())
    if record is None or not seconds:
        return {}
    return {
        "measured on": EMMA,
        "documents": record.run.counts.documents,
        "documents a second": record.run.counts.documents / seconds,
        "tokens a second": records.read_timing(record.folder)["collection_tokens"] / seconds,
    }


def _dollars(chunker: str, places: Places) -> float:
    spec = parse_chunker(chunker)
    if not spec.llm:
        return 0.0
    estimate, _ = Segmentation(EMMA, spec.name, spec.llm).takes(places)
    return np.nan if estimate is None or estimate.dollars is None else estimate.dollars


def _score(library: Library, chunker: str) -> dict[str, object]:
    record = (
        library.get(Condition(EMMA, chunker, MINILM_512, PRE_EMBEDDING, CORRECTED.name))
        if chunker
        else None
    )
    if record is None:
        return {}
    values = record.wide["DCG@10"].dropna()
    low, high = statistics.bootstrap_interval(values)
    return {"DCG@10": statistics.mean(values), "low": low, "high": high, "n": len(values)}
