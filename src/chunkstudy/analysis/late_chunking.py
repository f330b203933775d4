"""Tables of ranked retrieval: contextualized against plain chunking, and what the papers leave
open.

Every model that has records is shown; where one was read at several windows, the widest stands for
it, and `windows` shows them all. Record and their differences are fractions.

Families of comparisons, each corrected by itself and for one protocol and encoder: late chunking
of chunks in corpora; of whole documents there; of chunks within Emma; on the built-in collection;
at one window of one collection; with short tails merged or dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.chunkers import catalogue
from chunkstudy.collections import covid_qa
from chunkstudy.grid import facts as collection_facts
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.grids import IELAB, JINA, LUMBERCHUNKER, OWN, TAILS
from chunkstudy.grid.library import Library, Record
from chunkstudy.places import Places

HEADLINE = {"in_corpus": "nDCG@10", "in_document": "DCG@10"}
EMMA, BUILTIN = "gutenqa-emma", "builtin-graded"
WITHIN = "chroma-within"
WITH_OWN_TABLES = (WITHIN, covid_qa.WITHIN)
PLACES_OF_TASK = {"in_corpus": "in corpora", "in_document": "within documents"}
WITH_TAILS = "fixed-256"
"""What `TAILS` are made of."""
Name = Callable[[Mapping[str, object]], str]


def gains(library: Library) -> pd.DataFrame:
    """Contextualized minus plain, the same chunker and protocol, at the model's widest window."""

    def family(keys: Mapping[str, object]) -> str:
        place = _place(keys)
        if keys["chunker"] == NONE:
            place = f"of whole documents {place}"
        elif keys["chunker"] in TAILS:
            place = f"without short tails {place}"
        return f"late chunking {place}, {keys['protocol']}, {keys['encoder']}"

    pairs = [
        (one, _plain(one))
        for one in _widest(_in_order(library))
        if one.collection not in WITH_OWN_TABLES
    ]
    return _differences(library, pairs, family, "contextualized", "plain")


def windows(library: Library) -> pd.DataFrame:
    """The gain of contextualized encoding at each window, where one model was read at several."""
    found: dict[tuple[str, ...], list[Condition]] = {}
    for one in _in_order(library):
        if one.collection not in WITH_OWN_TABLES:
            key = (one.collection, one.chunker, reading.model(one.encoder), one.protocol)
            found.setdefault(key, []).append(one)
    pairs = [
        (late, _plain(late))
        for group in found.values()
        if len(group) > 1
        for late in sorted(group, key=lambda one: reading.window(one.ordering))
        if library.get(_plain(late)) is not None
    ]

    def family(keys: Mapping[str, object]) -> str:
        what = "whole documents" if keys["chunker"] == NONE else "chunks"
        model, read = reading.model(str(keys["encoder"])), reading.window(str(keys["ordering"]))
        where = f"{keys['collection']}, {keys['protocol']}"
        return f"late chunking of {what}, {where}, {model} reading {read} tokens"

    table = _differences(library, pairs, family, "contextualized", "plain")
    if len(table):
        read = table.pop("ordering").map(reading.window)
        table.insert(2, "window", read)
        table.insert(3, "cut", [_cuts(library, one) for one, _ in pairs])
    return table


def tails(library: Library) -> pd.DataFrame:
    """What merging or dropping short tails does to fixed-size chunks under either ordering."""
    pairs = [(one, replace(one, chunker=WITH_TAILS)) for one in library if one.chunker in TAILS]

    def family(keys: Mapping[str, object]) -> str:
        ordering = str(keys["ordering"]).split("-")[0]
        return f"short tails, {ordering}, {keys['protocol']}, {keys['encoder']}"

    return _differences(library, pairs, family, "without short tails", WITH_TAILS)


def tail_gains(library: Library) -> pd.DataFrame:
    """How much of the gain of contextualized encoding is left once short tails are gone.

    Per collection, protocol and remedy: the gain with tails, the gain without, and their paired
    difference over the queries.
    """

    def gain(late: Condition) -> pd.Series | None:
        arms = [library.get(one) for one in (late, replace(late, ordering=PRE_EMBEDDING))]
        if arms[0] is None or arms[1] is None:
            return None
        measure = HEADLINE[late.task]
        return arms[0].wide[measure] - arms[1].wide[measure]

    pairs = []
    for late in _in_order(library):
        if late.chunker not in TAILS:
            continue
        before, after = gain(replace(late, chunker=WITH_TAILS)), gain(late)
        if before is not None and after is not None:
            keys = {name: _keys(late)[name] for name in ("collection", "protocol", "encoder")}
            pairs.append(Pair({**keys, "remedy": late.chunker}, before, after))
    return differences(
        pairs,
        lambda keys: f"gain lost with short tails, {keys['protocol']}, {keys['encoder']}",
        "gain",
        "gain without short tails",
    )


def propositions(library: Library) -> pd.DataFrame:
    """Propositions judged by their parents' text, as the taxonomy's code does, and by their own."""
    parents = (
        one
        for one in library
        if one.collection == EMMA
        and (one.chunker, one.ordering) == ("proposition-released", PRE_EMBEDDING)
        and one.protocol == IELAB
    )
    pairs = [(one, replace(one, protocol=LUMBERCHUNKER)) for one in parents]

    def family(keys: Mapping[str, object]) -> str:
        return f"what a proposition is judged by, {keys['encoder']}"

    return _differences(library, pairs, family, "parents judged", "own text judged")


def facts(places: Places) -> pd.DataFrame:
    """What decides how each collection's documents are read, a row per collection."""
    names = sorted(path.stem for path in (places.results / "facts").glob("*_facts.csv"))
    found = [collection_facts.read(places, name) for name in names]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def _differences(
    library: Library,
    pairs: Iterable[tuple[Condition, Condition]],
    family: Name,
    first: str,
    second: str,
) -> pd.DataFrame:
    """Pairs of conditions that both have records, by their task's headline measure."""
    found = []
    for one, other in pairs:
        left, right = library.get(one), library.get(other)
        measure = HEADLINE.get(one.task)
        if left is not None and right is not None and measure:
            keys = {**_keys(one), "measure": measure}
            found.append(Pair(keys, left.wide[measure], right.wide[measure]))
    return differences(found, family, first, second)


def _ranked(library: Library) -> Iterator[tuple[Condition, Record]]:
    """Ranked, without controls of chunking, which have tables of their own."""
    for condition in library:
        record = library.get(condition)
        control = catalogue.parse(condition.chunker).entry.control
        if condition.task in HEADLINE and record is not None and not control:
            yield condition, record


def _in_order(library: Library) -> Iterator[Condition]:
    """Ranked and contextualized, windows and positions as they come."""
    for condition, _ in _ranked(library):
        if reading.contextualized(condition):
            yield condition


def _cuts(library: Library, one: Condition) -> str:
    """Whether the window cuts a chunk that is embedded by itself."""
    record = library.get(one)
    return "yes" if record and reading.cuts(record, reading.window(one.ordering)) else "no"


def _plain(late: Condition) -> Condition:
    protocol = late.protocol
    if late.chunker == NONE and protocol == JINA:
        protocol = OWN  # plain documents are the same under both
    return replace(late, ordering=PRE_EMBEDDING, protocol=protocol)


def _widest(conditions: Iterable[Condition]) -> list[Condition]:
    """Of each collection, chunker, protocol and model those with the widest reading encoder."""
    found = list(conditions)
    widest: dict[tuple[str, ...], int] = {}
    for one in found:
        key = _without_window(one)
        widest[key] = max(widest.get(key, 0), reading.reach(one.encoder))
    return [one for one in found if reading.reach(one.encoder) == widest[_without_window(one)]]


def _without_window(one: Condition) -> tuple[str, ...]:
    return one.collection, one.chunker, one.protocol, reading.model(one.encoder)


def _place(keys: Mapping[str, object]) -> str:
    """Where the rows that answer one question are searched."""
    collection = str(keys["collection"])
    if collection == BUILTIN:
        return "on the built-in collection"
    if collection == EMMA:
        return "within Emma"
    return next(PLACES_OF_TASK[task] for task, m in HEADLINE.items() if m == keys["measure"])


def _keys(condition: Condition) -> dict[str, object]:
    return {
        "collection": condition.collection,
        "chunker": condition.chunker,
        "ordering": condition.ordering,
        "protocol": condition.protocol,
        "encoder": condition.encoder,
    }
