"""The ledger lists every claim once, binds each to a computation, and lets none be typed."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.claims import ledger, verdicts
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.pages import PAGES, with_pages
from chunkstudy.claims.verdicts import ClaimError, Finding
from chunkstudy.places import Places

ROOT = Path(__file__).parents[1]
TABLES = {
    path.stem: pd.read_csv(path) if path.stat().st_size > 1 else pd.DataFrame()
    for path in (ROOT / "results" / "tables").glob("*.csv")
}
COMPARISON = pd.read_csv(ROOT / "results" / "comparison.csv", dtype={"published": str})
EVIDENCE = Evidence(Places(ROOT), COMPARISON, TABLES)
NOTHING = EVIDENCE.tables | {name: table.head(0) for name, table in TABLES.items()}
CLAIM = ledger.Claim("Z1", "chroma", "S0:1", "Something is so.", "here.it_is")


@pytest.fixture(scope="module")
def derived() -> pd.DataFrame:
    return ledger.derive(Places(ROOT), COMPARISON, TABLES)


def settle(found: object, claim: ledger.Claim = CLAIM) -> pd.DataFrame:
    return ledger.settle([claim], {"here.it_is": lambda _: found}, EVIDENCE)  # type: ignore[dict-item, return-value]


def test_every_claim_of_the_list_stands_once_and_further_ones_have_their_own_ids() -> None:
    ids = [claim.id for claim in ledger.read_claims()]
    listed = sorted(one for one in ids if one.startswith("C"))
    assert listed == sorted(f"C{number:02d}" for number in range(1, 140))
    assert len(ids) == len(set(ids))
    assert all(one[0] in "CX" for one in ids)


def test_sources_belong_to_their_works() -> None:
    sources = {"chroma": ("S0",), "jina": ("S1", "S4"), "taxonomy": ("S2",), "tutorial": ("S3",)}
    for claim in ledger.read_claims():
        assert claim.where.startswith(sources[claim.work]), claim.id
        assert claim.where.split(":")[1][0].isdigit(), claim.id


def test_every_claim_names_a_computation_and_every_computation_is_named() -> None:
    known = ledger.computations()
    named = {claim.computation for claim in ledger.read_claims()}
    assert named == set(known)
    assert all(inspect.getdoc(function) for function in known.values())


def test_no_verdict_is_typed_in_the_data() -> None:
    for path in (ROOT / "src" / "chunkstudy" / "data" / "claims").glob("*.toml"):
        text = path.read_text(encoding="utf-8").lower()
        assert "verdict =" not in text
    for claim in ledger.read_claims():
        assert claim.claim.lower() not in verdicts.VERDICTS
        assert not set(vars(type(claim))["__slots__"]) & {"verdict", "figures", "reading"}


def test_no_computation_writes_a_verdict_down() -> None:
    for module in ledger.modules():
        tree = ast.parse(inspect.getsource(module))
        constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not constants & set(verdicts.VERDICTS), module.__name__
        made = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "Finding" not in made, module.__name__


def test_a_claim_without_a_computation_is_refused() -> None:
    with pytest.raises(ClaimError, match=r"Z1 names computation 'here\.it_is'"):
        ledger.settle([CLAIM], {}, EVIDENCE)
    with pytest.raises(ClaimError, match="lacks its computation"):
        ledger.Claim("Z1", "chroma", "S0:1", "Something is so.", " ")
    with pytest.raises(ClaimError, match="it needs exactly"):
        ledger._claim("chroma", {"id": "Z1", "where": "S0:1", "claim": "Something is so."})


def test_a_claim_with_a_typed_verdict_is_refused() -> None:
    entry: dict[str, object] = {
        "id": "Z1", "where": "S0:1", "claim": "So.", "computation": "a.b", "verdict": "holds",
    }  # fmt: skip
    with pytest.raises(ClaimError, match="it needs exactly"):
        ledger._claim("chroma", entry)


def test_a_computation_without_a_figure_is_refused() -> None:
    with pytest.raises(ClaimError, match="at least one number"):
        verdicts.decide(True, "certainly")
    with pytest.raises(ClaimError, match="at least one number"):
        verdicts.unanswered("a run", "")

    def bare(_: Evidence) -> Finding:
        return verdicts.decide(True, "")

    with pytest.raises(ClaimError, match=r"Z1, here\.it_is: a verdict rests on figures"):
        ledger.settle([CLAIM], {"here.it_is": bare}, EVIDENCE)


def test_an_unknown_verdict_is_refused() -> None:
    with pytest.raises(ClaimError, match="unknown verdict 'confirmed'"):
        Finding("confirmed", "1 of 1")


def test_an_open_claim_says_what_it_needs_and_no_other_does() -> None:
    with pytest.raises(ClaimError, match="says what it needs"):
        Finding("open", "0 records")
    with pytest.raises(ClaimError, match="says what it needs"):
        Finding("holds", "1 of 1", needs="more")


def test_readings_come_alone_or_as_strict_and_charitable() -> None:
    plain = verdicts.decide(True, "1")
    strict, charitable = verdicts.strict("all", plain), verdicts.charitable("some", plain)
    assert settle((strict, charitable))["reading"].tolist() == ["strict: all", "charitable: some"]
    for wrong in ((charitable, strict), (strict,), (plain, plain)):
        with pytest.raises(ClaimError, match="has readings"):
            settle(wrong)
    with pytest.raises(ClaimError, match="with a meaning"):
        Finding("holds", "1", reading="strict: ")


@given(st.lists(st.booleans(), min_size=1))
def test_counted_cases_hold_all_or_none_or_partly(cases: list[bool]) -> None:
    found = verdicts.counted(cases)
    expected = "holds" if all(cases) else "partly" if any(cases) else "contradicted"
    assert found.verdict == expected
    assert found.figures.startswith(f"{sum(cases)} of {len(cases)}")


def test_nothing_to_count_is_no_evidence() -> None:
    with pytest.raises(ClaimError, match="is open"):
        verdicts.counted([])


def test_a_witness_stands_beside_and_does_not_decide() -> None:
    found = verdicts.decide(True, "1 of 1")
    assert found.witnessed("-3.0").verdict == found.verdict
    assert "witness, all-MiniLM-L6-v2: -3.0" in found.witnessed("-3.0").figures
    assert found.witnessed("") == found


def test_the_ledger_is_the_same_bytes_each_time(derived: pd.DataFrame) -> None:
    again = ledger.derive(Places(ROOT), COMPARISON, TABLES)
    assert derived.to_csv(index=False) == again.to_csv(index=False)
    assert list(derived.columns) == ledger.COLUMNS


def test_the_ledger_needs_no_collection_at_hand(
    derived: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
    without = ledger.derive(Places(ROOT), COMPARISON, TABLES)
    assert derived.to_csv(index=False) == without.to_csv(index=False)


def test_every_row_reads_alone(derived: pd.DataFrame) -> None:
    assert set(derived["verdict"]) <= set(verdicts.VERDICTS)
    assert derived["figures"].str.contains(r"\d").all()
    assert not derived["figures"].str.contains(r"\bnan\b|None|\{").any()
    assert (derived["claim"].str.len() > 20).all()
    assert not derived["claim"].str.contains("\n").any()


def test_without_records_verdicts_are_open_or_rest_on_printed_cells(tmp_path: Path) -> None:
    for name in ("published",):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        for path in (ROOT / "results" / name).glob("*.csv"):
            (folder / path.name).write_bytes(path.read_bytes())
    bare = COMPARISON.assign(
        verdict="not_run", reproduced=None, corrected=None, difference=None, low=None, high=None,
        reason="open: run it",
    )  # fmt: skip
    tables = {**NOTHING, "chroma_collection": TABLES["chroma_collection"]}
    found = ledger.derive(Places(tmp_path), bare, tables)
    assert len(found["id"].unique()) == len(ledger.read_claims())
    verdict = found.set_index(["id", "reading"])["verdict"]
    assert verdict["C25"].eq("open").all()
    assert verdict["C02"].eq("open").all()
    assert verdict["C110"].eq("open").all()
    assert verdict["C94"].tolist() == ["holds"]


def test_every_module_of_computations_has_a_page_that_exists() -> None:
    folder = Path(ledger.__file__).parent
    holding = {
        path.stem
        for path in folder.glob("*.py")
        if "-> Readings:" in path.read_text(encoding="utf-8")
    }
    assert set(PAGES) == holding
    notebooks = {path.stem for path in (Path(__file__).parents[1] / "notebooks").glob("*.ipynb")}
    assert set(PAGES.values()) <= notebooks
    linked = with_pages(pd.DataFrame({"computation": ["tutorial.worked_example"]}))
    assert linked["see"][0].startswith('<a href="labels_1_precision_recall.ipynb">')
