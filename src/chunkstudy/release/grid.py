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
from pathlib import Path
from typing import Any

from chunkstudy.collections import registry
from chunkstudy.collections.registry import COLLECTIONS
from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project
from chunkstudy.notebook.parameter_cells import check_names, inspect_parameters
from chunkstudy.notebook.parameters import KINDS, encoder_slug
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import (
    CONTEXTUALIZED,
    MINILM,
    NONE,
    PRE_EMBEDDING,
    ChunkerSpec,
    Condition,
    get_protocol,
    parse_chunker,
    parse_encoder,
)
from chunkstudy.published.sources import published_grid

Parameters = Mapping[str, Any]


def conditions(places: Project) -> list[Condition]:
    """Every condition of the study, each once: the notebooks', the recorded, the published.

    Raises:
        FileNotFoundError: if there are no notebooks beside.
        StudyError: if a parameter names what does not exist, with the notebook.
    """
    notebooks = sorted(places.notebooks.glob("*.ipynb"))
    if not notebooks:
        raise FileNotFoundError(
            f"{places.root} has no notebooks, whose parameters say what is run; go to a checkout "
            "of the project, or name a condition as collection/chunker/encoder/ordering/protocol"
        )
    pages = [condition for source in notebooks for condition in _of_source(source)]
    return list(dict.fromkeys([*pages, *records.find(places.runs), *published_grid(places)]))


def of_small_model(places: Project) -> list[Condition]:
    """Those of them that two cores finish in hours: MiniLM's, and what reads no text by a model."""
    small = parse_encoder(MINILM).model
    return [c for c in conditions(places) if not c.model or c.model.model == small]


def _of_source(source: Path) -> list[Condition]:
    """Return the conditions of a notebook's parameter cell.

    Raises:
        StudyError: if the cell names what does not exist.
    """
    parameters = inspect_parameters(source)
    check_names(source, parameters)
    try:
        return list(of_notebook(parameters))
    except (ValueError, RuntimeError) as error:
        raise StudyError(f"the parameters of {source.name} name no condition: {error}") from error


def of_notebook(parameters: Parameters) -> Iterator[Condition]:
    """The conditions that a notebook's parameters name; none where they say no protocol.

    Raises:
        UserError, ResourceError, ValueError: if they name one that does not exist.
    """
    protocols = _given(parameters, "protocol")
    encoders = _given(parameters, "encoder")
    windows = _given(parameters, "window") or [None]
    for name, collections in _collections(parameters).items():
        chunkers = [*_given(parameters, "chunker"), *parameters.get(f"in_{name}", [])]
        for collection, chunker, encoder, window, protocol in product(
            collections, chunkers, encoders, windows, protocols
        ):
            if _is_left_out(collection, parse_chunker(chunker), protocol):
                continue
            slug = encoder_slug(encoder, window)
            for ordering in [NONE] if slug == NONE else _orderings(parameters, window):
                yield Condition(collection, chunker, slug, ordering, protocol)


def _is_left_out(collection: str, chunker: ChunkerSpec, protocol: str) -> bool:
    """Return whether a chunker or a protocol is not defined for a collection.

    Released boundaries are of one book. A protocol that looks for quotations in chunks cannot judge
    passages that are given as spans. A notebook that names such a pair uses each with its own.
    """
    entry = registry.find(collection)
    quoted = get_protocol(protocol).relevance == "substring"
    without_quotations = entry.task == "in_document" and entry.quotations is None
    segments = chunker.entry.segments
    return bool(segments and collection not in segments) or (quoted and without_quotations)


def _given(parameters: Parameters, name: str) -> list[Any]:
    """The values of a parameter of that name, or of its plural."""
    value = parameters.get(name, parameters.get(f"{name}s", []))
    return list(value) if isinstance(value, list) else [value]


def _collections(parameters: Parameters) -> dict[str, list[str]]:
    """Of each parameter that is a collection, or several, which."""
    searched = {}
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        is_registered = all(isinstance(one, str) and one in COLLECTIONS for one in values)
        if values and (is_registered or KINDS["collection"].fullmatch(name)):
            searched[name] = values
    return searched


def _orderings(parameters: Parameters, window: int | None) -> list[str]:
    """Plain chunks, and late ones as the parameters name them or by windows that are compared."""
    late = [f"{CONTEXTUALIZED}-{window}"] if "windows" in parameters else []
    return list(dict.fromkeys([PRE_EMBEDDING, *_given(parameters, "ordering"), *late]))
