"""No reading is unable to give another verdict: for each there are data under which it turns.

Whatever can be wrong by itself is tried alone, the parts of a sentence and the conditions of a
statement too. What is decided must turn, and what is open must be able to hold and to be
contradicted once there are records; a verdict that nothing turns is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest

from chunkstudy.claims import ledger
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.predicates import Open, Predicate, asked
from chunkstudy.claims.selection import Selector
from chunkstudy.claims.sources import Sources
from chunkstudy.claims.verdicts import ClaimError
from tests.claims_by_hand import BY_HAND
from tests.claims_menu import menu
from tests.claims_mutations import Mutated, Mutation, Source, leaves
from tests.test_claims_ledger import SOURCES

pytestmark = pytest.mark.slow

BOTH = {"holds", "contradicted"}
BEYOND = {
    *("C46", "C47", "C55", "C56"),
    *("C76", "C91", "C99", "C105", "C125", "C127", "C135", "C137"),
}
"""Claims that only a person, a vendor, a model outside of the study or what nobody published can
settle."""


@dataclass(frozen=True)
class Leaf:
    """One predicate of a reading that is tried."""

    work: ledger.Work
    claim: ledger.Claim
    name: str
    predicate: Predicate

    @property
    def models(self) -> frozenset[str] | None:
        return ledger.heard(self.work, self.claim)

    def verdict(self, sources: Sources) -> tuple[str, frozenset[Source]]:
        """What it says, and the sources it asked for."""
        evidence = Evidence(sources, self.models)
        found = asked(self.predicate, Selector(self.work.selections, evidence))
        return found.verdict(), frozenset(evidence.asked)

    def others(self, base: str, asked: frozenset[Source]) -> Iterator[Mutation]:
        """Data made for it, or the menu, with records as if they were of its models if it waits."""
        if self.name in BY_HAND:
            yield from BY_HAND[self.name]
            return
        waiting = base == "open" and self.models is not None
        for alias in sorted(self.models or ()) if waiting else [""]:
            there = Mutation(alias=alias.replace("/", "__"))
            yield there
            for one in menu(self.predicate, asked, Mutated(SOURCES, there, frozenset())):
                yield replace(one, alias=there.alias)


def every_leaf() -> Iterator[Leaf]:
    for work in ledger.read_works():
        for claim in work.claims:
            for reading in claim.reading:
                found = list(leaves(reading.decided))
                for number, predicate in enumerate(found, 1):
                    which = f" {number}" if len(found) > 1 else ""
                    yield Leaf(work, claim, f"{claim.id} {reading.name}{which}", predicate)


LEAVES = {leaf.name: leaf for leaf in every_leaf()}


def reached(leaf: Leaf) -> set[str]:
    """The verdicts that were found, until both decided ones are among them."""
    base, asked = leaf.verdict(SOURCES)
    found = {base}
    for other in leaf.others(base, asked):
        if found >= BOTH:
            break
        with suppress(ClaimError):  # data that no claim could be asked of
            found.add(leaf.verdict(Mutated(SOURCES, other, asked))[0])
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", LEAVES)
def test_other_data_turn_the_verdict(name: str) -> None:
    assert reached(LEAVES[name]) >= BOTH


def test_what_is_made_by_hand_is_made_for_a_claim() -> None:
    assert set(BY_HAND) <= set(LEAVES)


def test_what_no_data_can_decide_is_listed_with_its_reason() -> None:
    """What rests on a report, a vendor's document or a model that nothing here reads."""
    found = {
        claim.id: predicate.beyond
        for work in ledger.read_works()
        for claim in work.claims
        for reading in claim.reading
        for predicate in [reading.decided]
        if isinstance(predicate, Open) and predicate.beyond
    }
    assert set(found) == BEYOND
    assert all(len(reason) > 20 for reason in found.values())
