"""No reading is unable to give another verdict: for each there are data under which it turns.

Whatever can be wrong by itself is tried alone, the parts of a sentence and the conditions of a
statement too. What is decided must turn, and what is open must be able to hold and to be
contradicted once there are records; a verdict that nothing turns is named.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from chunkstudy.claims import ledger
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.predicates import Open, Predicate, asked
from chunkstudy.claims.selection import Selector
from chunkstudy.claims.sources import Sources
from chunkstudy.claims.verdicts import ClaimError
from tests.claims_by_hand import BY_HAND
from tests.claims_mutations import Mutated, Mutation, leaves, menu
from tests.test_claims_ledger import SOURCES


@dataclass(frozen=True)
class Leaf:
    """One predicate of a reading that is tried."""

    work: ledger.Work
    claim: ledger.Claim
    name: str
    predicate: Predicate

    def verdict(self, sources: Sources) -> tuple[str, frozenset[tuple[str, str]]]:
        """What it says, and the sources it asked for."""
        models = self.claim.models or self.work.models
        evidence = Evidence(sources, None if models == "any" else frozenset(models))
        found = asked(self.predicate, Selector(self.work.selections, evidence))
        return found.verdict(), frozenset(evidence.asked)

    def models(self) -> list[str]:
        """The models to take records as if they were of, none first."""
        models = self.claim.models or self.work.models
        return ["", *(one.replace("/", "__") for one in models)] if models != "any" else [""]


def every_leaf() -> dict[str, Leaf]:
    found = {}
    for work in ledger.read_works():
        for claim in work.claims:
            for reading in claim.reading:
                tried = list(leaves(reading.decided))
                for n, predicate in enumerate(tried, 1):
                    name = f"{claim.id} {reading.name}" + (f" {n}" if len(tried) > 1 else "")
                    found[name] = Leaf(work, claim, name, predicate)
    return found


LEAVES = every_leaf()


def reached(leaf: Leaf) -> set[str]:
    """The verdicts found, until both decided ones are among them."""
    base, sources = leaf.verdict(SOURCES)
    found = {base}
    for mutation in tried(leaf, base, sources):
        if {"holds", "contradicted"} <= found:
            break
        try:
            found.add(leaf.verdict(Mutated(SOURCES, mutation, sources))[0])
        except ClaimError:
            continue
    return found


def tried(leaf: Leaf, base: str, sources: frozenset[tuple[str, str]]):
    """Data made for this leaf, or the menu; where records are wanting, with others in their place."""
    if leaf.name in BY_HAND:
        return BY_HAND[leaf.name]
    return (
        Mutation(one.change, one.scores, one.size, alias)
        for alias in (leaf.models() if base == "open" else [""])
        for one in menu(
            leaf.predicate, sources, Mutated(SOURCES, Mutation(alias=alias), frozenset())
        )
    )


@pytest.mark.parametrize("name", LEAVES)
def test_other_data_turn_the_verdict(name: str) -> None:
    assert {"holds", "contradicted"} <= reached(LEAVES[name])
