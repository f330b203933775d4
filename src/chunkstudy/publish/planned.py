"""What is run: the conditions that notebooks name in their parameter cells, those that have a
record, and those of published cells.

A notebook names conditions where its parameters say a protocol: ``protocol``, ``chunker``,
``encoder``, ``window`` and ``ordering``, or the same in the plural, are what ``Study.runs`` calls
them, and every parameter that is a collection or several is searched. Chunkers of a parameter
``in_books`` are for the collections of ``books`` alone. Where several windows are compared, each is
read plain and late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from chunkstudy.base.places import Places
from chunkstudy.collections.registry import COLLECTIONS
from chunkstudy.published.sources import published_grid
from chunkstudy.runs import records
from chunkstudy.runs.conditions import (
    CONTEXTUALIZED,
    MINILM,
    PRE_EMBEDDING,
    Condition,
    EncoderName,
    parse_encoder,
)
from chunkstudy.study.notebook import inspect_parameters

Parameters = Mapping[str, Any]


def conditions(places: Places) -> list[Condition]:
    """Every condition of the study, each once: the notebooks', the recorded, the published.

    Raises:
        FileNotFoundError: if there are no notebooks beside.
    """
    notebooks = sorted(places.notebooks.glob("*.ipynb"))
    if not notebooks:
        raise FileNotFoundError(
            f"{places.root} has no notebooks, whose parameters say what is run; go to a checkout "
            "of the project, or name a condition as collection/chunker/encoder/ordering/protocol"
        )
    pages = [
        condition for source in notebooks for condition in of_notebook(inspect_parameters(source))
    ]
    return list(dict.fromkeys([*pages, *records.find(places.runs), *published_grid(places)]))


def of_small_model(places: Places) -> list[Condition]:
    """Those of them that two cores finish in hours: MiniLM's, and what reads no text by a model."""
    small = parse_encoder(MINILM).model
    return [c for c in conditions(places) if not c.model or c.model.model == small]


def of_notebook(parameters: Parameters) -> Iterator[Condition]:
    """The conditions that a notebook's parameters name; none where they say no protocol."""
    protocols = _given(parameters, "protocol")
    encoders = _given(parameters, "encoder")
    windows = _given(parameters, "window") or [None]
    for name, collections in _collections(parameters).items():
        chunkers = [*_given(parameters, "chunker"), *parameters.get(f"in_{name}", [])]
        for collection, chunker, encoder, window, protocol in product(
            collections, chunkers, encoders, windows, protocols
        ):
            for ordering in _orderings(parameters, window):
                try:
                    slug = str(EncoderName(encoder, window))
                    condition = Condition(collection, chunker, slug, ordering, protocol)
                except (ValueError, RuntimeError):  # a page's own name, or what nobody can combine
                    continue
                known = condition.chunking.entry.segments
                if not known or collection in known:
                    yield condition


def _given(parameters: Parameters, name: str) -> list[Any]:
    """The values of a parameter of that name, or of its plural."""
    value = parameters.get(name, parameters.get(f"{name}s", []))
    return list(value) if isinstance(value, list) else [value]


def _collections(parameters: Parameters) -> dict[str, list[str]]:
    """Of each parameter that is a collection, or several, which."""
    searched = {}
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        if values and all(isinstance(name, str) and name in COLLECTIONS for name in values):
            searched[name] = values
    return searched


def _orderings(parameters: Parameters, window: int | None) -> list[str]:
    """Plain chunks, and late ones as the parameters name them or by windows that are compared."""
    late = [f"{CONTEXTUALIZED}-{window}"] if "windows" in parameters else []
    return list(dict.fromkeys([PRE_EMBEDDING, *_given(parameters, "ordering"), *late]))
