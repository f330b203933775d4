"""The ledger lists every claim once, decides each by its predicate, and lets none be typed."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.places import Places
from chunkstudy.published import cells
from chunkstudy.published.claims import ledger, outcomes
from chunkstudy.published.claims.evidence import MADE_WITH, Evidence, Sources, model
from chunkstudy.published.claims.ledger import fair, plain, strict
from chunkstudy.published.claims.outcomes import ClaimError, Outcome
from chunkstudy.published.claims.predicates import beyond, code, every, once
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.library import Library
from chunkstudy.runs.needs import Need
from tests.claims_settled import CLAIMS, COMPARISON, ROOT, SOURCES, TABLES, made

FOLDER = Path(ledger.__file__).parent


@pytest.fixture(scope="module")
def settled() -> pd.DataFrame:
    return ledger.settle(ledger.works(), SOURCES)


def mean(evidence: Evidence, above: float = 0) -> Outcome:
    """A predicate over published cells."""
    keys = {"measure": "SpanRecall@5", "statistic": "mean"}
    return every(evidence.cells("chroma/minilm", "chunker", **keys), above=above)


def test_every_claim_of_the_list_stands_once_in_its_own_words() -> None:
    ids = [claim.id for claim in CLAIMS]
    assert len(ids) == len(set(ids)) and all(one[0] in "CX" for one in ids)
    listed = sorted(one for one in ids if one.startswith("C"))
    assert listed == sorted(f"C{number:02d}" for number in range(1, 140))
    said = [(work.name, claim.says) for work in ledger.works() for claim in work.claims]
    assert len(said) == len(set(said))


def test_no_verdict_is_typed_in_a_claim() -> None:
    for path in FOLDER.glob("*.py"):
        if path.stem != "outcomes" and path.stem != "ledger" and path.stem != "predicates":
            tree = ast.parse(path.read_text("utf-8"))
            constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            assert not constants & set(outcomes.VERDICTS), path


def test_every_row_reads_alone(settled: pd.DataFrame) -> None:
    assert set(settled["page"]) <= {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert settled["figures"].str.contains(r"\d").all()
    assert not settled["figures"].str.contains(r"\bnan\b|None|\{").any()
    slug = r"\b(?:recursive|token|cluster|fixed|sentence|kamradt-modified)-\d"
    assert not settled["figures"].str.contains(slug).any()


def test_a_claim_is_a_row_and_its_docstring_what_it_says() -> None:
    def decide(evidence: Evidence) -> ledger.Readings:
        """Something
        is so."""
        yield plain(mean(evidence))

    row = made(decide).iloc[0]
    assert list(row.index) == ledger.COLUMNS
    assert (row["verdict"], row["reading"], row["predicate"]) == ("holds", "plain", "every")
    assert (row["basis"], row["page"]) == ("published arithmetic", "claims")
    assert row["claim"] == "Something is so."


@pytest.mark.parametrize(
    ("said", "ask"),
    [
        ("chroma has no published table '9'", lambda e: e.cells("chroma/9")),
        ("no derived table", lambda e: e.table("nothing", value="p")),
        ("no column encoder; say", lambda e: e.table("labels_power", value="p")),
        ("no fact of official code is", lambda e: e.code("a-b")),
    ],
)
def test_a_claim_that_asks_for_what_is_not_there_is_refused_by_name(said: str, ask: Any) -> None:
    with pytest.raises(ClaimError, match=f"claim Z1: .*{said}"):
        made(lambda e: [plain(every(ask(e), above=0))])


def test_a_claim_has_a_plain_reading_or_a_fair_and_a_strict_one() -> None:
    for decide in (
        lambda e: [strict("word for word", mean(e))],
        lambda e: [strict("word for word", mean(e)), fair("so", mean(e))],
        lambda _: [],
    ):
        with pytest.raises(ClaimError, match="claim Z1: yield one plain reading"):
            made(decide)


def test_each_claim_has_its_own_id_and_speaks_of_models_by_their_hub_ids() -> None:
    claims = [one for work in ledger.works() for one in work.claims]
    assert len({one.id for one in claims}) == len(claims)
    named = {one for claim in claims for one in claim.models or ()}
    assert named == {model(one) for one in named}


def test_a_verdict_rests_on_figures_and_an_open_one_says_what_it_needs() -> None:
    with pytest.raises(ClaimError, match="at least one number"):
        outcomes.decide(True, "certainly")
    for given_, figures, needed in (({}, "0 records", ""), ({"": True}, "1", "more")):
        with pytest.raises(ClaimError, match="what is needed"):
            Outcome(given_, figures, needed)


@given(st.lists(st.booleans(), min_size=1))
def test_one_case_that_is_not_met_contradicts_and_the_figures_say_how_many(
    cases: list[bool],
) -> None:
    found = outcomes.counted(cases)
    assert found.verdict == ("holds" if all(cases) else "contradicted")
    assert found.figures.startswith(f"{sum(cases)} of {len(cases)}")
    waiting = outcomes.counted(cases, missing="a run")
    assert waiting.verdict == ("open" if all(cases) else "contradicted")


def outcome(verdict: str) -> Outcome:
    if verdict == "open":
        return outcomes.unanswered("a run", "0 runs")
    return outcomes.decide(verdict == "holds", "1")


@given(st.lists(st.sampled_from(["holds", "contradicted", "open"]), min_size=1))
def test_parts_are_decided_one_by_one_and_conditions_together(found: list[str]) -> None:
    parts = outcomes.in_parts({f"part {n}": outcome(one) for n, one in enumerate(found)})
    expected = "open" if "open" in found else "partly" if len(set(found)) > 1 else found[0]
    assert parts.verdict == expected and bool(parts.needs) == (expected == "open")
    assert all(f"part {n}: {one}" in parts.figures for n, one in enumerate(found))
    expected = "contradicted" if "contradicted" in found else "open" if "open" in found else "holds"
    assert outcomes.jointly(*map(outcome, found)).verdict == expected


def test_a_fair_reading_never_falls_below_the_strict_one() -> None:
    def verdicts(fairly: Any) -> list[str]:
        rows = made(lambda e: [fair("so", fairly(e)), strict("word", mean(e))])
        return list(rows["verdict"])

    assert verdicts(mean) == ["holds", "holds"]
    assert verdicts(lambda _: beyond("a run", "0 runs", "nobody runs it")) == ["open", "holds"]
    with pytest.raises(ClaimError, match="the fair reading grants it less"):
        verdicts(lambda e: mean(e, 99))


def recall(evidence: Evidence) -> Outcome:
    """A recall that only all-MiniLM-L6-v2 has a record of."""
    keys = {"measure": "SpanRecall@5", "part": "all", "protocol": "as_published-chroma"}
    keys |= {"chunker": "token-250-0", "encoder": MINILM}
    return every(evidence.table("chroma_scores", value="mean", **keys), above=0)


def test_no_record_of_another_model_decides() -> None:
    def verdict(models: Any) -> str:
        return str(made(lambda e: [plain(recall(e))], models)["verdict"].item())

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


def test_what_is_said_of_who_made_a_table_is_of_tables_that_do_not_say_it() -> None:
    for place in MADE_WITH:
        kind, _, name = place.partition("/")
        found = Evidence(SOURCES).frame("table" if kind == "table" else "study", name)
        assert len(found) and "encoder" not in found


def test_a_basis_is_what_was_asked_for_until_a_reading_is_yielded() -> None:
    def decide(e: Evidence) -> ledger.Readings:
        """Both."""
        e.beside.study("questions/counts", value="questions")
        yield fair("in print", mean(e), witness=recall(e.of_any_model).figures)
        yield strict("counted", every(e.study("questions/counts", value="questions"), above=0))

    assert list(made(decide)["basis"]) == ["published arithmetic", "own data"]

    def basis(found: Any, **beside: str) -> str:
        return str(made(lambda e: [plain(found(e), **beside)])["basis"].item())

    fact = "chroma-earlier-questions"
    nobody = beyond("a run", "0 runs", "nobody runs it")
    assert basis(lambda e: code(e, "chroma-unit", "token")) == "official code"
    assert basis(lambda e: every(e.code_number(fact), above=0)) == "official code"
    assert basis(lambda _: nobody) == "none"
    assert basis(lambda _: nobody, witness="1 run of another") == "witness"


def test_what_is_open_closes_as_soon_as_what_it_waits_for_is_there() -> None:
    row = made(lambda e: [plain(once(mean(e), "a run", "0 runs"), "2 more", witness="3")]).iloc[0]
    assert (row["verdict"], row["predicate"]) == ("holds", "open")
    assert row["figures"].endswith("; 2 more; witness: 3")


def test_every_fact_of_official_code_is_one_a_reader_can_look_up_and_a_claim_needs() -> None:
    known = cells.facts(Places(ROOT))
    protocols = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    for fact in known.values():
        listed = f"| `{fact.repository}` | `{fact.commit}` |" in protocols
        assert listed or len(fact.commit) == 40, fact.place
    asked = set()
    for claim in CLAIMS:
        evidence = Evidence(SOURCES, claim.models)
        list(claim.decide(evidence))
        asked |= {name for kind, name in evidence.asked if kind == "code"}
    assert set(known) == asked


def test_without_records_verdicts_are_open_or_rest_on_published_cells(tmp_path: Path) -> None:
    published = Path("results", "published")
    shutil.copytree(ROOT / published, tmp_path / published)
    bare = COMPARISON.assign(
        verdict="not_run", reproduced=None, corrected=None, difference=None, low=None, high=None,
        needs=str(Need("run", "it")),
    )  # fmt: skip
    tables = {name: table.head(0) for name, table in TABLES.items()}
    found = ledger.settle(ledger.works(), Sources(Library(Places(tmp_path)), bare, tables))
    assert set(found["id"]) == {claim.id for claim in CLAIMS}
    own = found[found["basis"].isin(["own data", "witness"])]
    assert set(own["verdict"]) == {"open", "contradicted"}
    # A promise that its own table breaks needs no record.
    assert set(own.loc[own["verdict"] == "contradicted", "id"]) == {"C22"}
    assert found.set_index("id")["verdict"]["C94"] == "holds"


def test_without_records_of_other_models_every_verdict_is_the_same(settled: pd.DataFrame) -> None:
    """What all-MiniLM-L6-v2 shows stands beside the claims of Jina and the taxonomy."""
    without = {
        name: table[~table["encoder"].str.contains("MiniLM")] if "encoder" in table else table
        for name, table in TABLES.items()
    }
    bare = ledger.settle(ledger.works()[1:3], Sources(SOURCES.library, COMPARISON, without))
    of = settled[settled["work"].isin(["jina", "taxonomy"])].reset_index(drop=True)
    pd.testing.assert_series_equal(of["verdict"], bare["verdict"])
    shown, left = (one["figures"].str.contains("; witness: ").sum() for one in (of, bare))
    assert shown > left
