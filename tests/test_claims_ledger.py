"""The ledger lists every claim once, decides each by its predicate, and lets none be typed."""

from __future__ import annotations

import ast
import inspect
import shutil
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.claims import ledger, predicates, verdicts
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.sources import MADE_WITH, Sources, model
from chunkstudy.claims.verdicts import ClaimError, Outcome
from chunkstudy.grid.conditions import MINILM
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import official_code

ROOT = Path(__file__).parents[1]
FOLDER = Path(ledger.__file__).parent
TABLES = {
    path.stem: pd.read_csv(path) if path.stat().st_size > 1 else pd.DataFrame()
    for path in (ROOT / "results" / "tables").glob("*.csv")
}
COMPARISON = pd.read_csv(ROOT / "results" / "comparison.csv", dtype={"published": str})
SOURCES = Sources(Library(Places(ROOT)), COMPARISON, TABLES)
CLAIM = """models = ["a/b"]
[[claim]]
id = "Z1"
source = "Section 1"
claim = "Something is so."
page = "claims"
[[claim.reading]]
basis = "published arithmetic"
by = { predicate = "every", values = { stated = { one = 1 } }, above = 0 }
"""
EVERY = 'predicate = "every", values = { stated = { one = 1 } }, above = 0'
WAITING = 'predicate = "open", needs = "a run", figures = "0 runs", beyond = "nobody runs it"'
READING = """
[[claim.reading]]
name = "{}"
meaning = "another"
basis = "published arithmetic"
"""


@pytest.fixture(scope="module")
def derived() -> pd.DataFrame:
    return ledger.derive(Library(Places(ROOT)), COMPARISON, TABLES)


def claims() -> list[ledger.Claim]:
    return [claim for work in ledger.read_works() for claim in work.claims]


def settled(text: str) -> pd.DataFrame:
    return ledger.settle([ledger.parsed("chroma", text)], SOURCES)


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
        ("stated = { one = 1 }", "table = 'labels_power', value = 'p'", "no column encoder; say"),
        (EVERY, 'predicate = "open", needs = "x", figures = "1"', "an open predicate has `by`"),
        (EVERY, 'predicate = "share", values = { stated = { one = 1 } }', "say how many"),
        (EVERY, 'predicate = "code", fact = "a-b", equals = "x"', "no fact of official code is"),
        (EVERY, 'predicate = "parts", parts = []', "reading.0.by.parts.parts"),
        (
            EVERY,
            'predicate = "function", function = "chroma.nothing"',
            "function 'chroma.nothing' does not exist",
        ),
        (
            EVERY,
            'predicate = "function", function = "chroma.leads"',
            "missing a required argument: 'rows'",
        ),
    ],
)  # fmt: skip
def test_a_claim_that_is_wrong_is_refused_by_name(old: str, new: str, said: str) -> None:
    assert old in CLAIM
    with pytest.raises(ClaimError) as found:
        settled(CLAIM.replace(old, new))
    assert said in str(found.value) and "Z1" in str(found.value)


def test_a_work_says_of_which_models_its_claims_speak() -> None:
    with pytest.raises(ClaimError, match="of which `models`"):
        settled(CLAIM.replace('models = ["a/b"]\n', ""))


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
def test_one_case_that_is_not_met_contradicts_and_the_figures_say_how_many(
    cases: list[bool],
) -> None:
    found = verdicts.counted(cases)
    assert found.verdict() == ("holds" if all(cases) else "contradicted")
    assert found.figures.startswith(f"{sum(cases)} of {len(cases)}")
    waiting = verdicts.counted(cases, missing="a run")
    assert waiting.verdict() == ("open" if all(cases) else "contradicted")


VERDICT = st.sampled_from(["holds", "contradicted", "open"])


def outcome(verdict: str) -> Outcome:
    if verdict == "open":
        return verdicts.unanswered("a run", "0 runs")
    return verdicts.decide(verdict == "holds", "1")


@given(st.lists(VERDICT, min_size=1))
def test_only_a_sentence_of_several_parts_holds_partly(found: list[str]) -> None:
    parts = verdicts.in_parts({f"part {n}": outcome(one) for n, one in enumerate(found)})
    expected = "open" if "open" in found else "partly" if len(set(found)) > 1 else found[0]
    assert parts.verdict() == expected
    assert all(f"part {n}: {one}" in parts.figures for n, one in enumerate(found))


@given(st.lists(VERDICT, min_size=1))
def test_a_condition_that_fails_contradicts_whatever_is_still_to_be_run(found: list[str]) -> None:
    expected = "contradicted" if "contradicted" in found else "open" if "open" in found else "holds"
    assert verdicts.jointly(map(outcome, found)).verdict() == expected


def test_a_charitable_reading_never_falls_below_the_strict_one() -> None:
    strict = '[[claim.reading]]\nname = "strict"\nmeaning = "one"'
    both = CLAIM.replace("[[claim.reading]]", strict)
    both += READING.format("charitable") + f"by = {{ {EVERY} }}\n"
    assert settled(both)["verdict"].tolist() == ["holds", "holds"]
    with pytest.raises(ClaimError, match="a fair reader never takes less"):
        settled(both[: both.rindex("above = 0")] + "above = 1 }\n")
    unknown = both[: both.rindex("by =")] + f"by = {{ {WAITING} }}\n"
    assert settled(unknown)["verdict"].tolist() == ["holds", "open"]


def scored(models: str, protocol: str = "as_published-chroma") -> str:
    """A claim about a recall that only all-MiniLM-L6-v2 has a record of."""
    keys = f'part = "all", chunker = "token-250-0", protocol = "{protocol}"'
    where = f'{{ measure = "SpanRecall@5", encoder = "{MINILM}", {keys} }}'
    values = f'{{ table = "chroma_scores", value = "mean", where = {where} }}'
    text = CLAIM.replace("published arithmetic", "own data").replace('["a/b"]', models)
    return text.replace(EVERY, f'predicate = "every", values = {values}, above = 0')


def test_no_record_of_another_model_decides() -> None:
    own, other, both, any_model = (
        settled(scored(models))["verdict"].item()
        for models in (f'["{model(MINILM)}"]', '["a/b"]', f'["a/b", "{model(MINILM)}"]', '"any"')
    )
    assert (own, other, both, any_model) == ("holds", "open", "holds", "holds")
    of_claim = scored('["a/b"]').replace('id = "Z1"', f'id = "Z1"\nmodels = ["{model(MINILM)}"]')
    assert settled(of_claim)["verdict"].item() == "holds"


def test_evidence_of_a_model_has_no_rows_of_another() -> None:
    every, none = Evidence(SOURCES), Evidence(SOURCES, frozenset({"a/b"}))
    for name, table in TABLES.items():
        if "encoder" in table:
            assert set(none.table(name)["encoder"]) <= {"none"}, name
    assert len(every.study("berlin")) and none.study("berlin").empty
    condition = next(one for one in SOURCES.conditions() if one.encoder == MINILM)
    assert every.record(condition) is not None and none.record(condition) is None
    assert none.asked >= {("study", "berlin"), ("records", condition.collection)}


def test_who_made_a_table_is_known_or_asked_for() -> None:
    with pytest.raises(ClaimError, match="say in MADE_WITH who made it"):
        Evidence(SOURCES, frozenset({"a/b"})).table("labels_power_curve")
    for place in MADE_WITH:
        kind, _, name = place.partition("/")
        found = Evidence(SOURCES).frame("table" if kind == "table" else "study", name)
        assert len(found) and "encoder" not in found


@pytest.mark.parametrize(
    ("basis", "by", "asks"),
    [
        ("published arithmetic", 'study = "questions/counts", value = "questions"', "study"),
        ("own data", "stated = { one = 1 }", "nothing"),
        ("official code", "stated = { one = 1 }", "nothing"),
    ],
)
def test_a_verdict_rests_on_the_basis_that_it_names(basis: str, by: str, asks: str) -> None:
    text = CLAIM.replace("published arithmetic", basis).replace("stated = { one = 1 }", by)
    with pytest.raises(ClaimError, match=f"its basis is {basis}, and it asks for {asks}"):
        settled(text)


def test_a_witness_stands_beside_and_never_decides() -> None:
    found = verdicts.decide(True, "1 of 1")
    assert found.witnessed("-3.0").verdict() == found.verdict()
    assert found.witnessed("-3.0").figures == "1 of 1; witness: -3.0"
    assert found.witnessed("") == found
    with pytest.raises(ClaimError, match="Input should be 'own data'"):
        settled(CLAIM.replace("published arithmetic", "witness"))
    other = 'witness = { values = { stated = { "another model" = 2 } } }\n'
    assert settled(CLAIM + other)["basis"].item() == "published arithmetic"
    row = settled(CLAIM.replace(EVERY, WAITING) + other).iloc[0]
    assert (row["verdict"], row["basis"]) == ("open", "witness")
    assert row["figures"] == "0 runs; witness: another model (2)"


def test_what_is_open_closes_as_soon_as_what_it_waits_for_is_there() -> None:
    there = f'predicate = "open", needs = "a run", figures = "0 runs", by = {{ {EVERY} }}'
    assert settled(CLAIM.replace(EVERY, there))["verdict"].item() == "holds"


def test_every_fact_of_official_code_is_one_a_reader_can_look_up_and_a_claim_needs() -> None:
    known = official_code.read(Places(ROOT))
    protocols = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    for fact in known.values():
        listed = f"| `{fact.repository}` | `{fact.commit}` |" in protocols
        assert listed or len(fact.commit) == 40, fact.place
    files = [*FOLDER.glob("*.toml"), *FOLDER.glob("*.py")]
    texts = "".join(path.read_text(encoding="utf-8") for path in files)
    assert {name for name in known if f'"{name}"' not in texts} == set()


def test_the_ledger_needs_no_collection_at_hand_and_is_the_same_bytes(
    derived: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
    without = ledger.derive(Library(Places(ROOT)), COMPARISON, TABLES)
    assert derived.to_csv(index=False) == without.to_csv(index=False)


def test_every_row_reads_alone(derived: pd.DataFrame) -> None:
    assert set(derived["verdict"]) <= set(verdicts.VERDICTS)
    assert derived["figures"].str.contains(r"\d").all()
    assert not derived["figures"].str.contains(r"\bnan\b|None|\{").any()
    slug = r"\b(?:recursive|token|cluster|fixed|sentence|kamradt-modified)-\d"
    assert not derived["figures"].str.contains(slug).any()
    assert (derived["claim"].str.len() > 20).all()
    assert not derived["claim"].str.contains("\n").any()


def test_without_records_verdicts_are_open_or_rest_on_published_cells(tmp_path: Path) -> None:
    published = Path("results", "published")
    shutil.copytree(ROOT / published, tmp_path / published)
    bare = COMPARISON.assign(
        verdict="not_run", reproduced=None, corrected=None, difference=None, low=None, high=None,
        reason="open: run it",
    )  # fmt: skip
    tables = {name: table.head(0) for name, table in TABLES.items()}
    found = ledger.derive(Library(Places(tmp_path)), bare, tables)
    assert set(found["id"]) == {claim.id for claim in claims()}
    own = found[found["basis"].isin(["own data", "witness"])]
    assert set(own["verdict"]) == {"open", "contradicted"}
    # A promise that its own table breaks needs no record.
    assert set(own.loc[own["verdict"] == "contradicted", "id"]) == {"C22"}
    assert found.set_index("id")["verdict"]["C94"] == "holds"


def test_every_page_exists(derived: pd.DataFrame) -> None:
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert set(derived["page"]) <= notebooks
