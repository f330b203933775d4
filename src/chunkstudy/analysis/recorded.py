"""Which records fill a table of the papers: every encoder that has them, under each protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.chunkers import catalogue
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.library import Library
from chunkstudy.protocols import (
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    AS_PUBLISHED_LUMBERCHUNKER,
    CORRECTED,
)
from chunkstudy.published.sources import IN_CORPUS

MEASURE = {"in_corpus": "nDCG@10", "in_document": "DCG@10"}
IN_DOCUMENT = ("gutenqa", "gutenqa-emma")
UNCHUNKED = "none"
IELAB, JINA, OWN = AS_PUBLISHED_IELAB.name, AS_PUBLISHED_JINA.name, CORRECTED.name
Key = tuple[str, str]
"""A method and a collection."""


@dataclass(frozen=True)
class Layout:
    """The records that fill a table.

    Attributes:
        collections: the columns, in their order.
        methods: a row's name to the chunkers that are this method; the first recorded is taken.
        protocols: those that records may be under.
    """

    collections: tuple[str, ...]
    methods: Mapping[str, tuple[str, ...]]
    protocols: tuple[str, ...]


METHODS = {
    UNCHUNKED: ("none",),
    "paragraph": ("paragraph",),
    "sentence-5": ("sentence-5",),
    "fixed-256": ("fixed-256",),
    "semantic": ("semantic",),
    "lumberchunker": ("lumberchunker", "lumberchunker-released"),
    "proposition": ("proposition", "proposition-released"),
}
"""The taxonomy's six, and no chunking, which it leaves out."""
TAXONOMY = Layout((*IN_DOCUMENT, *IN_CORPUS), METHODS, (IELAB, OWN))
BUILTIN_CHUNKERS = (
    UNCHUNKED, "paragraph", "sentence-5", "fixed-64", "semantic", "lumberchunker-handmade",
    "proposition-sentences",
)  # fmt: skip
"""The built-in documents are short, so that fixed-size chunks are of 64 tokens. No LLM takes part:
its boundaries were set by hand, its propositions are sentences, and both are named so."""
BUILTIN = Layout(("builtin-graded",), {name: (name,) for name in BUILTIN_CHUNKERS}, (OWN,))
REPRODUCED = {
    "1": Layout(
        IN_DOCUMENT,
        {
            "paragraph": ("paragraph",),
            "semantic": ("semantic", "semantic-released"),
            "proposition": METHODS["proposition"],
            "lumberchunker": METHODS["lumberchunker"],
        },
        (AS_PUBLISHED_LUMBERCHUNKER.name, IELAB),
    ),
    "2": Layout(
        ("scifact", "nfcorpus", "fiqa", "trec-covid"),
        {name: METHODS[name] for name in ("fixed-256", "sentence-5", "semantic")},
        (JINA, IELAB),
    ),
}
"""The taxonomy's tables of its own reproduction: the protocol under which the quoted cells were
made, then its own."""


@dataclass(frozen=True)
class Block:
    """The records of one encoder under one protocol: scores per query, by method and collection in
    the layout's order. Each series bears the name of its chunker.

    ``ordering`` is the slug of contextualized encoding with the encoder's widest window there, and
    ``late`` its scores; both are empty where there are none.
    """

    encoder: str
    protocol: str
    plain: Mapping[Key, pd.Series]
    late: Mapping[Key, pd.Series]
    ordering: str

    def arm(self, late: bool) -> tuple[str, Mapping[Key, pd.Series]]:
        """The slug of an ordering and its scores."""
        return (self.ordering, self.late) if late else (PRE_EMBEDDING, self.plain)


def blocks(library: Library, layout: Layout = TAXONOMY) -> list[Block]:
    """Every encoder and protocol with plain records of two methods."""
    ranked = {
        chunker: (at, method)
        for method, chunkers in layout.methods.items()
        for at, chunker in enumerate(chunkers)
    }
    found: dict[Key, dict[str, dict[Key, tuple[int, Condition]]]] = {}
    for one in library:
        known = ranked.get(_method(one.chunker))
        wanted = one.collection in layout.collections and one.protocol in layout.protocols
        if known is None or not wanted or one.encoder == NONE:
            continue
        orderings = found.setdefault((one.encoder, one.protocol), {})
        cells = orderings.setdefault(one.ordering, {})
        key = (known[1], one.collection)
        cells[key] = min(cells.get(key, (known[0], one)), (known[0], one))
    made = []
    for (encoder, protocol), orderings in sorted(found.items()):
        plain = _scores(library, layout, orderings.get(PRE_EMBEDDING, {}))
        if len({method for method, _ in plain}) > 1:
            ordering = max(filter(_window, orderings), key=_window, default="")
            late = _scores(library, layout, orderings.get(ordering, {}))
            made.append(Block(encoder, protocol, plain, late, ordering))
    return made


def _method(chunker: str) -> str:
    """The chunker whichever encoder draws its boundaries; another language model than the paper's
    makes it another method."""
    spec = catalogue.parse(chunker)
    return chunker if spec.entry.llm else str(replace(spec, by=""))


def _window(ordering: str) -> int:
    """The window of contextualized encoding as it is by default, 0 of any other ordering."""
    window = parse_ordering(ordering).window
    return window if ordering == f"{CONTEXTUALIZED}-{window}" else 0


def _scores(
    library: Library, layout: Layout, found: Mapping[Key, tuple[int, Condition]]
) -> dict[Key, pd.Series]:
    made = {}
    for key in ((method, name) for method in layout.methods for name in layout.collections):
        condition = found[key][1] if key in found else None
        record = library.get(condition) if condition else None
        if condition is not None and record is not None:
            made[key] = record.wide[MEASURE[condition.task]].dropna().rename(condition.chunker)
    return made
