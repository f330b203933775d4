"""The ledger lists every claim once, decides each by its predicate, and lets none be typed."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.claims import ledger, predicates, verdicts
from chunkstudy.claims.sources import Sources
from chunkstudy.claims.verdicts import ClaimError, Outcome
from chunkstudy.places import Places

ROOT = Path(__file__).parents[1]
FOLDER = Path(ledger.__file__).parent
TABLES = {
    path.stem: pd.read_csv(path) if path.stat().st_size > 1 else pd.DataFrame()
    for path in (ROOT / "results" / "tables").glob("*.csv")
}
COMPARISON = pd.read_csv(ROOT / "results" / "comparison.csv", dtype={"published": str})
SOURCES = Sources(Places(ROOT), COMPARISON, TABLES)
CHANGED_ON_PURPOSE: dict[tuple[str, str], str] = {}
"""(id, reading) to why its verdict is another than before claims were data."""
NEW = {"X31", "X32", "X33", "X34", "X35", "X36"}
"""Sentences that only the audit of the printed tables judged before."""
CLAIM = """
[[claim]]
id = "Z1"
source = "Section 1"
claim = "Something is so."
page = "claims"
[[claim.reading]]
basis = "published arithmetic"
by = { predicate = "every", values = { stated = { one = 1 } }, above = 0 }
"""


@pytest.fixture(scope="module")
def derived() -> pd.DataFrame:
    return ledger.derive(Places(ROOT), COMPARISON, TABLES)


def claims() -> list[ledger.Claim]:
    return [claim for work in ledger.read_works() for claim in work.claims]


def settled(text: str) -> pd.DataFrame:
    return ledger.settle([ledger.parsed("chroma", text)], SOURCES)


def test_no_verdict_changed_but_those_that_are_named(derived: pd.DataFrame) -> None:
    before = pd.read_csv(ROOT / "tests" / "data" / "claims_before.csv")
    keys = zip(before["id"], before["reading"], strict=True)
    old = dict(zip(keys, before["verdict"], strict=True))
    names = derived["reading"].str.partition(":")[0]
    new = dict(zip(zip(derived["id"], names, strict=True), derived["verdict"], strict=True))
    assert {key for key in new if key not in old} == {(one, "plain") for one in NEW}
    changed = {key: (old[key], new.get(key)) for key in old if old[key] != new.get(key)}
    assert set(changed) == set(CHANGED_ON_PURPOSE), changed


def test_every_claim_of_the_list_stands_once_and_further_ones_have_their_own_ids() -> None:
    ids = [claim.id for claim in claims()]
    listed = sorted(one for one in ids if one.startswith("C"))
    assert listed == sorted(f"C{number:02d}" for number in range(1, 140))
    assert len(ids) == len(set(ids))
    assert all(one[0] in "CX" for one in ids)


def test_a_source_is_one_that_a_reader_can_look_up(derived: pd.DataFrame) -> None:
    assert not derived["source"].str.contains(r"\bS\d\b").any()
    assert not derived["claim"].str.contains(r"\bS\d:|_|-\d+-\d").any()
    assert not derived["figures"].str.contains(r"\bS\d:").any()


def test_most_readings_are_decided_by_data_and_every_function_is_asked_for() -> None:
    works = ledger.read_works()
    readings = [reading for work in works for claim in work.claims for reading in claim.reading]
    own = [reading for reading in readings if reading.decided.predicate == "function"]
    assert len(own) < len(readings) / 4
    texts = [(FOLDER / f"{work.name}.toml").read_text(encoding="utf-8") for work in works]
    unused = {name for name in predicates.functions() if not any(f'"{name}"' in t for t in texts)}
    assert not unused
    assert all(inspect.getdoc(function) for function in predicates.functions().values())


def test_no_verdict_is_typed_in_the_data_or_in_a_function() -> None:
    for path in FOLDER.glob("*.toml"):
        assert "verdict =" not in path.read_text(encoding="utf-8").lower()
    for name in predicates.MODULES:
        tree = ast.parse(inspect.getsource(import_module(f"chunkstudy.claims.{name}")))
        constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not constants & set(verdicts.VERDICTS), name


def test_a_claim_of_one_predicate_is_a_row() -> None:
    row = settled(CLAIM).iloc[0]
    assert list(settled(CLAIM).columns) == ledger.COLUMNS
    assert (row["verdict"], row["reading"], row["predicate"]) == ("holds", "plain", "every")
    assert (row["basis"], row["page"]) == ("published arithmetic", "claims")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('source = "Section 1"\n', "", "claim Z1 of chroma, source: Field required"),
        ('page = "claims"\n', 'page = "claims"\nverdict = "holds"\n', "Extra inputs"),
        ('"every"', '"always"', "claim Z1 of chroma, reading.0.by: Input tag 'always'"),
        ("above = 0", "abov = 0", "reading.0.by.every.abov: Extra inputs"),
        ('basis = "published arithmetic"', 'basis = "hearsay"', "reading.0.basis"),
        ("stated = { one = 1 }", "stated = { one = 1 }, cells = 'a/b'", "a selection has one of"),
        ("stated = { one = 1 }", "stated = { one = 1 }, mean = [], rank = []", "mean, median"),
        ("stated = { one = 1 }", "of = 'nowhere'", "claim Z1, plain: no selection is called"),
        ("stated = { one = 1 }", "cells = 'chroma/9'", "chroma has no published table '9'"),
        ("stated = { one = 1 }", "cells = 'chroma/main', keys = ['chunker']", "several cells"),
        ("stated = { one = 1 }", "stated = { one = 1 }, where = { town = 'x' }", "no column town"),
        ("stated = { one = 1 }", "stated = { one = 1 }, mean = ['town']", "no key town"),
        ('[[claim.reading]]\n', '[[claim.reading]]\nname = "strict"\n', "has a meaning"),
        ('[[claim.reading]]\n', '[[claim.reading]]\nname = "strict"\nmeaning = "x"\n', "give one"),
        (
            'predicate = "every", values = { stated = { one = 1 } }, above = 0',
            'predicate = "function", function = "chroma.nothing"',
            "function 'chroma.nothing' does not exist",
        ),
        (
            'predicate = "every", values = { stated = { one = 1 } }, above = 0',
            'predicate = "function", function = "chroma.leads_with_minilm"',
            "missing a required argument: 'row'",
        ),
    ],
)  # fmt: skip
def test_a_claim_that_is_wrong_is_refused_by_name(old: str, new: str, said: str) -> None:
    assert old in CLAIM
    with pytest.raises(ClaimError) as found:
        settled(CLAIM.replace(old, new))
    assert said in str(found.value) and "Z1" in str(found.value)


def test_an_id_that_stands_twice_is_refused() -> None:
    with pytest.raises(ClaimError, match="C01"):
        ledger.read_works(["chroma", "chroma"])


def test_a_verdict_rests_on_figures_and_an_open_one_says_what_it_needs() -> None:
    with pytest.raises(ClaimError, match="at least one number"):
        verdicts.decide(True, "certainly")
    with pytest.raises(ClaimError, match="at least one number"):
        verdicts.unanswered("a run", "")
    with pytest.raises(ClaimError, match="what is needed"):
        Outcome({}, "0 records")
    with pytest.raises(ClaimError, match="what is needed"):
        Outcome({"": True}, "1", needs="more")
    with pytest.raises(ClaimError, match="what is needed"):
        verdicts.counted([])


@given(st.lists(st.booleans(), min_size=1))
def test_counted_cases_hold_all_or_none_or_partly(cases: list[bool]) -> None:
    found = verdicts.counted(cases)
    expected = "holds" if all(cases) else "partly" if any(cases) else "contradicted"
    assert found.verdict() == expected
    assert found.verdict(whole=True) == ("holds" if all(cases) else "contradicted")
    assert found.figures.startswith(f"{sum(cases)} of {len(cases)}")


def test_parts_are_as_many_cases_and_open_if_one_is() -> None:
    yes, no = verdicts.counted({"a": True, "b": True}), verdicts.decide(False, "0 of it")
    both = verdicts.together([yes, no])
    assert (both.verdict(), both.verdict(whole=True), len(both.cases)) == (
        "partly", "contradicted", 3,
    )  # fmt: skip
    unknown = verdicts.together([yes, verdicts.unanswered("a run", "0 runs")])
    assert (unknown.verdict(), unknown.needs) == ("open", "a run")


def test_a_witness_stands_beside_and_does_not_decide() -> None:
    found = verdicts.decide(True, "1 of 1")
    assert found.witnessed("-3.0").verdict() == found.verdict()
    assert "witness, all-MiniLM-L6-v2: -3.0" in found.witnessed("-3.0").figures
    assert found.witnessed("") == found


def test_the_ledger_needs_no_collection_at_hand_and_is_the_same_bytes(
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


def test_without_records_verdicts_are_open_or_rest_on_published_cells(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "published"
    folder.mkdir(parents=True)
    for path in (ROOT / "results" / "published").glob("*.csv"):
        (folder / path.name).write_bytes(path.read_bytes())
    bare = COMPARISON.assign(
        verdict="not_run", reproduced=None, corrected=None, difference=None, low=None, high=None,
        reason="open: run it",
    )  # fmt: skip
    tables = {name: table.head(0) for name, table in TABLES.items()}
    found = ledger.derive(Places(tmp_path), bare, tables)
    assert set(found["id"]) == {claim.id for claim in claims()}
    own = found[(found["basis"] == "own data") | (found["basis"] == "witness")]
    assert set(own["verdict"]) == {"open"}
    assert found.set_index("id")["verdict"]["C94"] == "holds"


def test_every_page_exists(derived: pd.DataFrame) -> None:
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert set(derived["page"]) <= notebooks
