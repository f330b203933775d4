"""Names of collections, chunkers, encoders, orderings and protocols in a notebook's parameters.

A parameter is called after what it holds (:data:`KINDS`), and holds nothing else. Some hold several
kinds (:data:`MIXED`). In any other parameter a string that is almost a name is a misspelt name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import registry
from chunkstudy.core import models
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import MODELS
from chunkstudy.core.protocols import PROTOCOLS
from chunkstudy.pipeline.conditions import (
    CONTEXTUALIZED,
    ENCODER,
    EXAMPLES,
    NONE,
    PRE_EMBEDDING,
    EncoderName,
    parse_chunker,
    parse_method,
)

KINDS = {
    "collection": re.compile("collections?|corpora|books?|papers|layouts_of"),
    "chunker": re.compile(r"chunkers?|in_\w+|stated|found|others|clusters|released|longer|tails"),
    "encoder": re.compile("encoders?|measured|every_layout"),
    "ordering": re.compile("orderings?"),
    "protocol": re.compile("protocols?"),
}
"""By kind, the names of the parameters that hold nothing else."""
BY_COLLECTION = re.compile("measures|context_measures")
"""Parameters that are mappings from collections to something else, if they are mappings."""
MIXED = re.compile("drawn|by_both|whole_documents")
"""Parameters whose rows hold a collection, chunkers and an ordering."""
OWN_CHUNKERS = {"code_retrieval": ("guide", "blank-lines", "syntax")}
"""By notebook, chunkers that are defined for it alone."""
ANY_MODEL = ("your_own_data",)
"""Notebooks that take a folder, a file or a model of the hub, which only loading can check."""
CLOSE = 0.8
"""Similarity from which a string counts as a misspelt name."""
LISTS = {
    "chunker": "`chunkstudy chunkers` lists them",
    "encoder": "`chunkstudy models` lists them",
    "collection": f"use one of {', '.join(registry.COLLECTIONS)}",
    "ordering": f"use {PRE_EMBEDDING} or {CONTEXTUALIZED}-WINDOW",
    "protocol": f"use one of {', '.join(PROTOCOLS)}",
    "name": "use a collection, chunker, encoder or ordering",
}
"""By kind, what to do where no name is near."""


def find_unknown(notebook: str, parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each parameter that holds an unknown name, with a sentence that names the nearest."""
    for parameter, value in parameters.items():
        kind, names = _kind(notebook, parameter), value
        if isinstance(value, Mapping) and BY_COLLECTION.fullmatch(parameter):
            kind, names = "collection", [*value]
        for name in _strings(names):
            if fault := _fault(notebook, kind, name):
                yield parameter, fault


def encoder_slug(encoder: str, window: int | None = None) -> str:
    """Return an encoder as conditions name it.

    Args:
        encoder: a hub id, ended by a precision where it is not float32; or ``none``.
        window: tokens that it reads at once; its own if None.

    Raises:
        ResourceError: if it is not registered.
    """
    if encoder == NONE:
        return NONE
    named = ENCODER.fullmatch(encoder)
    model, dtype = (named["model"], named["dtype"]) if named else (encoder, None)
    return str(EncoderName(models.spec(model).id, window, dtype))


def _kind(notebook: str, parameter: str) -> str:
    """Return what a parameter holds; empty for anything."""
    if notebook in ANY_MODEL:
        return ""
    if MIXED.fullmatch(parameter):
        return "name"
    return next((kind for kind, names in KINDS.items() if names.fullmatch(parameter)), "")


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _strings([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)


def _fault(notebook: str, kind: str, name: str) -> str:
    """Return what is wrong with a name of a kind; empty if nothing is."""
    own = OWN_CHUNKERS.get(notebook, ())
    faults = {one: fault(name) for one, fault in FAULTS.items() if kind in (one, "name", "")}
    if name in own or "" in faults.values():
        return ""
    if not kind and not get_close_matches(name, _candidates(name), n=1, cutoff=CLOSE):
        return ""
    kind = kind or "name"
    if kind in KINDS and faults[kind] != UNKNOWN:
        return faults[kind]
    candidates = _candidates(name, *([kind] if kind in KINDS else ()))
    near = get_close_matches(name, [*own, *candidates], n=1)
    meant = f"did you mean {near[0]!r}?" if near else LISTS[kind]
    return f"unknown {kind} {name!r}; {meant}"


UNKNOWN = "unknown"


def _chunker_fault(name: str) -> str:
    """Return what is wrong with a chunker: UNKNOWN, impossible sizes, or another spelling."""
    try:
        canonical = str(parse_chunker(name))
    except (ValueError, ResourceError) as error:
        return UNKNOWN if str(error).startswith("unknown chunker") else str(error)
    return "" if canonical == name else f"{name!r} is another name of {canonical!r}; write that"


def _collection_fault(name: str) -> str:
    try:
        registry.find(name)
    except ResourceError:
        return UNKNOWN
    return ""


def _encoder_fault(name: str) -> str:
    try:
        encoder_slug(name)
    except ResourceError:
        return UNKNOWN
    return ""


def _ordering_fault(name: str) -> str:
    try:
        parse_method(name)
    except ValueError:
        return UNKNOWN
    return ""


def _protocol_fault(name: str) -> str:
    return "" if name in PROTOCOLS else UNKNOWN


FAULTS: dict[str, Callable[[str], str]] = {
    "collection": _collection_fault,
    "chunker": _chunker_fault,
    "encoder": _encoder_fault,
    "ordering": _ordering_fault,
    "protocol": _protocol_fault,
}


def _candidates(name: str, *kinds: str) -> list[str]:
    """Return the names of some kinds, or of all, that a misspelt name may have meant."""
    late = f"{CONTEXTUALIZED}{_sizes(name)}"
    known = {
        "collection": [*registry.COLLECTIONS],
        "chunker": _chunkers_like(name),
        "encoder": [*MODELS],
        "ordering": [PRE_EMBEDDING, *([] if _ordering_fault(late) else [late])],
        "protocol": [*PROTOCOLS],
    }
    return [one for kind in kinds or known for one in known[kind]]


def _chunkers_like(name: str) -> list[str]:
    """Return the chunkers without sizes, and those with the sizes of a name."""
    sized = (f"{one}{_sizes(name)}" for one in CHUNKERS)
    slugs = dict.fromkeys([*CHUNKERS, *sized, *EXAMPLES])
    return [slug for slug in slugs if not _chunker_fault(slug)]


def _sizes(name: str) -> str:
    """Return what follows the words of a name: ``-200-0`` of ``recursive-200-0``."""
    return re.sub(r"^[a-z]*(-[a-z]+)*", "", name)
