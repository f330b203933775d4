"""Any two records of a collection against each other, computed where the page is run."""

from __future__ import annotations

from IPython.display import HTML

from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.analysis.papers import with_papers
from chunkstudy.collections import covid_qa
from chunkstudy.grid import facts, records
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.grids import OWN
from chunkstudy.grid.library import Record
from chunkstudy.places import Places
from chunkstudy.render import notebook


class NoRecordError(LookupError):
    """A record that a page asks for is not there; the message names those that are."""


def compare(
    places: Places, collection: str, encoder: str, first: str, second: str, protocol: str = OWN
) -> HTML:
    """The first minus the second by every measure that both have, over the same queries.

    Args:
        places: the checkout.
        collection: whose queries; encoder: the model and its window, as `chunkstudy list` says.
        first: chunker and ordering joined by a slash, such as ``semantic/contextualized-512``.
        second: likewise.
        protocol: how both were scored.

    Raises:
        NoRecordError: if one of them was not run.
    """
    one, other = (_record(places, collection, encoder, arm, protocol) for arm in (first, second))
    measures = [name for name in one.wide if name in other.wide]
    pairs = [
        Pair({"collection": collection, "measure": name}, one.wide[name], other.wide[name])
        for name in measures
    ]
    papers = facts.read(places, covid_qa.WITHIN)
    table = differences(
        with_papers(pairs, papers), "these two, by every measure", "first", "second"
    )
    return notebook.show(table.drop(columns="collection"))


def _record(places: Places, collection: str, encoder: str, arm: str, protocol: str) -> Record:
    chunker, _, ordering = arm.partition("/")
    condition = Condition(collection, chunker, encoder, ordering, protocol)
    folder = places.runs / condition.path
    if not records.complete(folder):
        found = sorted((places.runs / collection).glob(f"*/{encoder}/*/{protocol}/run.json"))
        known = ", ".join(f"{p.parents[3].name}/{p.parents[1].name}" for p in found)
        raise NoRecordError(
            f"there is no record of {condition}, which `chunkstudy run --only '{condition}'` "
            f"makes; of {collection} and {encoder} there are: {known or 'none'}"
        )
    return Record(records.read_run(folder), folder)
