"""No reading is unable to give another verdict: for each there are data under which it turns.

Whatever can be wrong by itself is tried, the parts of a sentence and the conditions of a statement
too. What is decided must turn, and what is open must be able to hold and to be contradicted once
there are records; what no data can decide is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from chunkstudy.published.claims.ledger import Claim
from chunkstudy.published.claims.outcomes import ClaimError, Outcome
from tests.claims_by_hand import BY_HAND
from tests.claims_menu import functions_of, menu, words
from tests.claims_mutations import Deciding, Mutated, Mutation, Source
from tests.claims_settled import CLAIMS, SOURCES

BOTH = {"holds", "contradicted"}
BEYOND = {
    *("C46", "C47", "C55", "C56"),
    *("C76", "C91", "C99", "C105", "C125", "C127", "C135", "C137"),
}
"""Claims that only a person, a vendor, a model outside of the study or what nobody published can
settle."""
BY_ID = {claim.id: claim for claim in CLAIMS}
Leaves = dict[str, Outcome]


def leaves(claim: Claim, sources: Mutated) -> tuple[Leaves, frozenset[Source]]:
    """What can be wrong by itself, by reading and number, and the sources that were asked for."""
    evidence = Deciding(sources, claim.models)
    found = {
        f"{reading.name} {number}": leaf
        for reading in claim.decide(evidence)
        for number, leaf in enumerate(reading.outcome.leaves(), 1)
        if not leaf.beyond
    }
    return found, frozenset(evidence.asked)


def mutated(mutation: Mutation, asked: frozenset[Source] = frozenset()) -> Mutated:
    return Mutated(SOURCES, mutation, asked)


def others(claim: Claim, waiting: bool, asked: frozenset[Source]) -> Iterator[Mutation]:
    """Data made for it, then the menu, with records as if they were of its models if it waits."""
    yield from BY_HAND.get(claim.id, [])
    said = words(functions_of(claim.decide))
    for alias in ("", *sorted(claim.models or ())) if waiting else ("",):
        there = Mutation(alias=alias.replace("/", "__"))
        yield there
        for one in menu(said, asked, mutated(there)):
            yield replace(one, alias=there.alias)


def unturned(claim: Claim) -> dict[str, set[str]]:
    """The verdicts of every leaf that no data were found to turn."""
    base, asked = leaves(claim, mutated(Mutation()))
    found = defaultdict(set, {name: {leaf.verdict} for name, leaf in base.items()})
    waiting = claim.models is not None and any(leaf.verdict == "open" for leaf in base.values())
    for mutation in others(claim, waiting, asked):
        if all(found[name] >= BOTH for name in base):
            break
        with suppress(ClaimError):  # data that no claim could be asked of
            for name, leaf in leaves(claim, mutated(mutation, asked))[0].items():
                found[name].add(leaf.verdict)
    return {name: found[name] for name in base if not found[name] >= BOTH}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("id", BY_ID)
def test_other_data_turn_every_verdict(id: str) -> None:
    assert unturned(BY_ID[id]) == {}


def test_what_is_made_by_hand_is_made_for_a_claim() -> None:
    assert set(BY_HAND) <= set(BY_ID)


def test_what_no_data_can_decide_is_listed_with_its_reason() -> None:
    """What rests on a report, a vendor's document or a model that nothing here reads."""
    reasons = {
        claim.id: leaf.beyond
        for claim in CLAIMS
        for reading in claim.decide(Deciding(SOURCES, claim.models))
        for leaf in reading.outcome.leaves()
        if leaf.beyond
    }
    assert set(reasons) == BEYOND
    assert all(len(reason) > 20 for reason in reasons.values())
