"""The ledger lists every claim once, decides each by its predicate, and lets none be typed."""

from __future__ import annotations

import ast
import inspect
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.places import Places
from chunkstudy.published import official_code
from chunkstudy.published.claims import (
    chroma_computed,
    ledger,
    outcomes,
    taxonomy_computed,
    witnesses,
)
from chunkstudy.published.claims.evidence import MADE_WITH, Evidence, Sources, model
from chunkstudy.published.claims.ledger import CODE, OWN, PUBLISHED, fair, plain, strict
from chunkstudy.published.claims.outcomes import ClaimError, Outcome
from chunkstudy.published.claims.predicates import beyond, code, every, once
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.library import Library
from tests.claims_menu import functions_of

ROOT = Path(__file__).parents[1]
FOLDER = Path(ledger.__file__).parent
TABLES = {
    path.stem: pd.read_csv(path) if path.stat().st_size > 1 else pd.DataFrame()
    for path in (ROOT / "results" / "tables").glob("*.csv")
}
COMPARISON = pd.read_csv(ROOT / "results" / "comparison.csv", dtype={"published": str})
SOURCES = Sources(Library(Places(ROOT)), COMPARISON, TABLES)
CLAIMS = [claim for work in ledger.works() for claim in work.claims]


@pytest.fixture(scope="module")
def derived() -> pd.DataFrame:
    return ledger.derive(Library(Places(ROOT)), COMPARISON, TABLES)


def settled(decide: Any, models: Any = ("a/b",), sources: Sources = SOURCES) -> pd.DataFrame:
    """The rows of one claim that a function decides."""
    work = ledger.Work("chroma", models)
    work.claim("Z1", "Section 1", "claims")(decide)
    return ledger.settle([work], sources)


def mean(evidence: Evidence, above: float = 0) -> Outcome:
    """A predicate over published cells."""
    return every(evidence.cells("chroma/minilm", "chunker", measure="SpanRecall@5",
                                statistic="mean"), above=above)  # fmt: skip


def test_every_claim_of_the_list_stands_once_and_further_ones_have_their_own_ids() -> None:
    ids = [claim.id for claim in CLAIMS]
    listed = sorted(one for one in ids if one.startswith("C"))
    assert listed == sorted(f"C{number:02d}" for number in range(1, 140))
    assert len(ids) == len(set(ids))
    assert all(one[0] in "CX" for one in ids)


def test_a_source_is_one_that_a_reader_can_look_up(derived: pd.DataFrame) -> None:
    assert not derived["source"].str.contains(r"\bS\d\b").any()
    assert not derived["claim"].str.contains(r"\bS\d:|_|-\d+-\d").any()
    assert not derived["figures"].str.contains(r"\bS\d:").any()


def test_most_readings_are_decided_by_predicates_and_every_function_is_asked_for(
    derived: pd.DataFrame,
) -> None:
    assert (derived["predicate"] == "function").sum() < len(derived) / 4
    asked = {one for claim in CLAIMS for one in functions_of(claim.decide)}
    for module in (chroma_computed, taxonomy_computed, witnesses):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                assert function in asked, name
                assert inspect.getdoc(function), name


def test_no_verdict_is_typed_in_a_claim() -> None:
    for path in FOLDER.glob("*.py"):
        if path.stem in (*ledger.WORKS, "chroma_computed", "taxonomy_computed", "witnesses"):
            tree = ast.parse(path.read_text("utf-8"))
            constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            assert not constants & set(outcomes.VERDICTS), path


def test_a_claim_is_a_row_and_its_docstring_what_it_says() -> None:
    def decide(evidence: Evidence) -> ledger.Readings:
        """Something
        is so."""
        return plain(mean(evidence), PUBLISHED)

    row = settled(decide).iloc[0]
    assert list(row.index) == ledger.COLUMNS
    assert (row["verdict"], row["reading"], row["predicate"]) == ("holds", "plain", "every")
    assert (row["basis"], row["page"]) == ("published arithmetic", "claims")
    assert row["claim"] == "Something is so."


def test_a_claim_that_asks_for_what_is_not_there_is_refused_by_name() -> None:
    asks = {
        "chroma has no published table '9'": lambda e: e.cells("chroma/9"),
        "no derived table": lambda e: e.table("nothing", value="p"),
        "no column encoder; say": lambda e: e.table("labels_power", value="p"),
        "no fact of official code is": lambda e: e.code("a-b"),
    }
    for said, ask in asks.items():
        with pytest.raises(ClaimError, match=f"claim Z1: .*{said}"):
            settled(lambda e, ask=ask: plain(every(ask(e), above=0), PUBLISHED))


def test_a_claim_has_a_plain_reading_or_a_fair_and_a_strict_one() -> None:
    def only_strict(e: Evidence) -> Any:
        return (strict("word for word", mean(e), PUBLISHED),)

    def strict_first(e: Evidence) -> Any:
        return strict("word for word", mean(e), PUBLISHED), fair("so", mean(e), PUBLISHED)

    for decide in (only_strict, strict_first, lambda _: ()):
        with pytest.raises(ClaimError, match="claim Z1: return one plain reading"):
            settled(decide)


def test_an_id_that_stands_twice_is_refused() -> None:
    work = ledger.Work("chroma", "any")
    work.claim("C01", "here", "claims")
    work.claim("C01", "here", "claims")(lambda _: ())
    with pytest.raises(ClaimError, match="C01 stands twice"):
        work.claim("C01", "there", "claims")


def test_a_verdict_rests_on_figures_and_an_open_one_says_what_it_needs() -> None:
    with pytest.raises(ClaimError, match="at least one number"):
        outcomes.decide(True, "certainly")
    with pytest.raises(ClaimError, match="at least one number"):
        outcomes.unanswered("a run", "")
    with pytest.raises(ClaimError, match="what is needed"):
        Outcome({}, "0 records")
    with pytest.raises(ClaimError, match="what is needed"):
        Outcome({"": True}, "1", needed="more")
    with pytest.raises(ClaimError, match="what is needed"):
        outcomes.counted([])


@given(st.lists(st.booleans(), min_size=1))
def test_one_case_that_is_not_met_contradicts_and_the_figures_say_how_many(
    cases: list[bool],
) -> None:
    found = outcomes.counted(cases)
    assert found.verdict == ("holds" if all(cases) else "contradicted")
    assert found.figures.startswith(f"{sum(cases)} of {len(cases)}")
    waiting = outcomes.counted(cases, missing="a run")
    assert waiting.verdict == ("open" if all(cases) else "contradicted")


VERDICT = st.sampled_from(["holds", "contradicted", "open"])


def outcome(verdict: str) -> Outcome:
    if verdict == "open":
        return outcomes.unanswered("a run", "0 runs")
    return outcomes.decide(verdict == "holds", "1")


@given(st.lists(VERDICT, min_size=1))
def test_only_a_sentence_of_several_parts_holds_partly(found: list[str]) -> None:
    parts = outcomes.in_parts({f"part {n}": outcome(one) for n, one in enumerate(found)})
    expected = "open" if "open" in found else "partly" if len(set(found)) > 1 else found[0]
    assert parts.verdict == expected and bool(parts.needs) == (expected == "open")
    assert all(f"part {n}: {one}" in parts.figures for n, one in enumerate(found))


@given(st.lists(VERDICT, min_size=1))
def test_a_condition_that_fails_contradicts_whatever_is_still_to_be_run(found: list[str]) -> None:
    expected = "contradicted" if "contradicted" in found else "open" if "open" in found else "holds"
    assert outcomes.jointly(*map(outcome, found)).verdict == expected


def test_a_fair_reading_never_falls_below_the_strict_one() -> None:
    def both(fairly: float) -> pd.DataFrame:
        return settled(
            lambda e: (
                fair("so", mean(e, fairly), PUBLISHED), strict("word", mean(e), PUBLISHED),
            )
        )  # fmt: skip

    assert both(0)["verdict"].tolist() == ["holds", "holds"]
    with pytest.raises(ClaimError, match="the fair reading grants it less"):
        both(99)
    waiting = beyond("a run", "0 runs", "nobody runs it")
    rows = settled(lambda e: (fair("so", waiting, OWN), strict("word", mean(e), PUBLISHED)))
    assert rows["verdict"].tolist() == ["open", "holds"]


def recall(evidence: Evidence) -> Outcome:
    """A recall that only all-MiniLM-L6-v2 has a record of."""
    keys = {"measure": "SpanRecall@5", "part": "all", "protocol": "as_published-chroma"}
    keys |= {"chunker": "token-250-0", "encoder": MINILM}
    return every(evidence.table("chroma_scores", value="mean", **keys), above=0)


def test_no_record_of_another_model_decides() -> None:
    def verdict(models: Any) -> str:
        return str(settled(lambda e: plain(recall(e), OWN), models)["verdict"].item())

    own = model(MINILM)
    assert [verdict(one) for one in ((own,), ("a/b",), ("a/b", own), "any")] == [
        "holds", "open", "holds", "holds",
    ]  # fmt: skip


def test_evidence_of_a_model_has_no_rows_of_another() -> None:
    every_model, none = Evidence(SOURCES), Evidence(SOURCES, frozenset({"a/b"}))
    for name, table in TABLES.items():
        if "encoder" in table:
            assert set(none.frame("table", name)["encoder"]) <= {"none"}, name
    assert len(every_model.frame("study", "berlin")) and none.frame("study", "berlin").empty
    condition = next(one for one in SOURCES.conditions() if one.encoder == MINILM)
    assert every_model.record(condition) is not None and none.record(condition) is None
    assert none.asked >= {("study", "berlin"), ("records", condition.collection)}


def test_who_made_a_table_is_known_or_asked_for() -> None:
    with pytest.raises(ClaimError, match="say in MADE_WITH who made it"):
        Evidence(SOURCES, frozenset({"a/b"})).frame("table", "labels_power")
    for place in MADE_WITH:
        kind, _, name = place.partition("/")
        found = Evidence(SOURCES).frame("table" if kind == "table" else "study", name)
        assert len(found) and "encoder" not in found


@pytest.mark.parametrize(
    ("basis", "ask"),
    [
        (PUBLISHED, lambda e: every(e.study("questions/counts", value="questions"), above=0)),
        (OWN, mean),
        (CODE, mean),
        (PUBLISHED, lambda e: code(e, "chroma-unit", "token")),
    ],
)
def test_a_verdict_rests_on_the_basis_that_it_names(basis: Any, ask: Any) -> None:
    with pytest.raises(ClaimError, match=f"claim Z1: its basis is {basis}, and it asks for"):
        settled(lambda e: plain(ask(e), basis))


def test_numbers_beside_and_witnesses_are_no_basis_and_never_decide() -> None:
    def decide(e: Evidence, found: Outcome) -> Any:
        e.beside.study("questions/counts", value="questions")
        return plain(found, PUBLISHED, "2 more", witness=recall(e.of_any_model).figures)

    row = settled(lambda e: decide(e, mean(e))).iloc[0]
    assert row["basis"] == "published arithmetic" and "; 2 more; witness: " in row["figures"]
    row = settled(lambda e: decide(e, beyond("a run", "0 runs", "nobody runs it"))).iloc[0]
    assert (row["verdict"], row["basis"]) == ("open", "witness")
    assert row["figures"].startswith("0 runs; 2 more; witness: ")


def test_what_is_open_closes_as_soon_as_what_it_waits_for_is_there() -> None:
    row = settled(lambda e: plain(once(mean(e), "a run", "0 runs"), PUBLISHED)).iloc[0]
    assert (row["verdict"], row["predicate"]) == ("holds", "open")


def test_every_fact_of_official_code_is_one_a_reader_can_look_up_and_a_claim_needs() -> None:
    known = official_code.read(Places(ROOT))
    protocols = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    for fact in known.values():
        listed = f"| `{fact.repository}` | `{fact.commit}` |" in protocols
        assert listed or len(fact.commit) == 40, fact.place
    asked = set()
    for claim in CLAIMS:
        evidence = Evidence(SOURCES, claim.models)
        claim.decide(evidence)
        asked |= {name for kind, name in evidence.asked if kind == "code"}
    assert set(known) == asked


def test_the_ledger_needs_no_collection_at_hand_and_is_the_same_bytes(
    derived: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
    without = ledger.derive(Library(Places(ROOT)), COMPARISON, TABLES)
    assert derived.to_csv(index=False) == without.to_csv(index=False)


def test_every_row_reads_alone(derived: pd.DataFrame) -> None:
    assert set(derived["verdict"]) <= set(outcomes.VERDICTS)
    assert derived["figures"].str.contains(r"\d").all()
    assert not derived["figures"].str.contains(r"\bnan\b|None|\{").any()
    slug = r"\b(?:recursive|token|cluster|fixed|sentence|kamradt-modified)-\d"
    assert not derived["figures"].str.contains(slug).any()
    assert (derived["claim"].str.len() > 20).all()


def test_without_records_verdicts_are_open_or_rest_on_published_cells(tmp_path: Path) -> None:
    published = Path("results", "published")
    shutil.copytree(ROOT / published, tmp_path / published)
    bare = COMPARISON.assign(
        verdict="not_run", reproduced=None, corrected=None, difference=None, low=None, high=None,
        reason="open: run it",
    )  # fmt: skip
    tables = {name: table.head(0) for name, table in TABLES.items()}
    found = ledger.derive(Library(Places(tmp_path)), bare, tables)
    assert set(found["id"]) == {claim.id for claim in CLAIMS}
    own = found[found["basis"].isin(["own data", "witness"])]
    assert set(own["verdict"]) == {"open", "contradicted"}
    # A promise that its own table breaks needs no record.
    assert set(own.loc[own["verdict"] == "contradicted", "id"]) == {"C22"}
    assert found.set_index("id")["verdict"]["C94"] == "holds"


def test_every_page_exists(derived: pd.DataFrame) -> None:
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert set(derived["page"]) <= notebooks
