"""A claim is judged by what is handed in and turns with what it rests on, its words are data, and
the ledger sets what the pages judged beside what is listed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from chunkstudy.core.errors import UserError
from chunkstudy.core.project import Project
from chunkstudy.notebook import claims
from chunkstudy.notebook.claims import Claim, rows, verdict
from chunkstudy.notebook.runs import Runs
from chunkstudy.pipeline import experiment_tables, facts
from chunkstudy.published import cells
from chunkstudy.published.cells import Fact, Statement
from chunkstudy.published.sources import WORKS
from chunkstudy.studies.chroma import claims as chroma
from chunkstudy.studies.chroma.tables import counts_beside_published
from chunkstudy.studies.jina import bidirectionality
from chunkstudy.studies.jina import claims as jina
from chunkstudy.studies.taxonomy import claims as taxonomy

ROOT = Project(Path(__file__).parents[1])
HEADER = "id,work,place,sentence,fair,strict,numbers,basis,needs,page"
PLAIN = "C02,chroma,Summary,It is.,,,{} of 4,own data,,"
TWICE_READ = 'C03,jina,Summary,It is so.,a; b,always,"{:.1f}, {}",published,,'
OPEN = "C04,jina,Table,It was.,,,,own data,a model,jina_1"


def listed(folder: Path, *rows: str) -> Project:
    path = folder / "results" / "published" / "claims.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return Project(folder)


def statement(row: str, folder: Path) -> Statement:
    (found,) = cells.statements(listed(folder, row)).values()
    return found


def judged(places: Project, page: str, *given_: Claim) -> None:
    """A page's claims, as it keeps them."""
    path = places.results / "answers" / f"{page}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"answers": [], "claims": claims.judged(places, given_, [])}
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([True], "holds"),
        ([False], "contradicted"),
        ([None], "open"),
        ([True, True], "holds"),
        ([True, False], "partly"),
        ([False, False], "contradicted"),
        ([False, None], "open"),
        ([pd.Series([True, True])], "holds"),
        ([pd.DataFrame({"a": [True], "b": [False]})], "contradicted"),
        ([pd.Series([True, False]), True], "partly"),
    ],
)
def test_the_verdict_follows_from_the_parts_each_true_if_it_is_in_every_case(
    parts: list[Any], expected: str
) -> None:
    assert verdict(*parts) == expected


@pytest.mark.parametrize(
    ("row", "numbers", "readings", "message"),
    [
        (PLAIN, [3], {}, "`needs` in claims.csv says"),
        (PLAIN, [3], {"fair": True, "strict": True}, "no strict reading in claims.csv"),
        (PLAIN, [], {"fair": True}, "names 1 numbers in claims.csv and is given 0"),
        (PLAIN.replace("{} of 4", ""), [], {"fair": True}, "without a number"),
        (PLAIN, [3], {"fair": [True, True]}, "parts: 1 in claims.csv, 2 here"),
        (TWICE_READ, [1.25, 2], {"fair": True, "strict": False}, "parts: 2 in claims.csv, 1 here"),
        (TWICE_READ, [1.25, 2], {"fair": [True, True]}, "`needs` in claims.csv says"),
        (TWICE_READ, [1.25, 2], {"fair": [True, False], "strict": True}, "grants it more"),
        (OPEN, [], {"fair": True}, "`needs` in claims.csv says"),
    ],
)
def test_a_claim_that_breaks_a_rule_is_named(
    tmp_path: Path, row: str, numbers: list[float], readings: dict[str, Any], message: str
) -> None:
    of_row = statement(row, tmp_path)
    with pytest.raises(UserError, match=f"^claim {of_row.id}.*{message}"):
        claims.rows(of_row, Claim(of_row.id, *numbers, **readings))


def test_a_claim_that_is_not_listed_or_judged_before_is_refused(tmp_path: Path) -> None:
    places, known = listed(tmp_path, PLAIN), Claim("C02", 3, fair=True)
    with pytest.raises(UserError, match=r"^claim C99 is not in results/published/claims\.csv; add"):
        claims.judged(places, [Claim("C99", 3, fair=True)], [])
    before = claims.judged(places, [known], [])
    for given_, earlier in (([known, known], []), ([known], before)):
        with pytest.raises(UserError, match="C02 is judged twice on this page"):
            claims.judged(places, given_, earlier)
    with pytest.raises(UserError, match="decided by no case"):
        verdict(True, pd.Series([], dtype=bool))


def test_a_claim_listed_twice_or_of_no_basis_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"claims\.csv, line 3 has the key of another row \(C02\)"):
        cells.statements(listed(tmp_path, PLAIN, PLAIN))
    with pytest.raises(UserError, match=r"claims\.csv, line 2: basis"):
        cells.statements(listed(tmp_path, PLAIN.replace("own data", "hearsay")))


def test_the_ledger_is_what_is_listed_in_its_order_with_what_no_page_judges_open(
    tmp_path: Path,
) -> None:
    other = PLAIN.replace("C02", "C05")
    places = listed(tmp_path, PLAIN, TWICE_READ, OPEN, other, PLAIN.replace("C02", "C06"))
    judged(places, "jina_1", Claim("C03", 1, 2, fair=[True, True], strict=False))
    judged(places, "chroma_1", Claim("C05", 2, fair=False), Claim("C02", 3, fair=True))
    kept = json.loads((places.results / "answers" / "chroma_1.json").read_text("utf-8"))
    assert [row["id"] for row in kept["claims"]] == ["C02", "C05"]
    found = claims.collect(places)
    assert list(found.columns) == claims.COLUMNS
    rows = found[["id", "work", "verdict", "needs", "page"]].values.tolist()
    assert rows == [
        ["C02", "chroma", "holds", "", "chroma_1"],
        ["C03", "jina", "holds", "", "jina_1"],
        ["C03", "jina", "contradicted", "", "jina_1"],
        ["C04", "jina", "open", "a model", "jina_1"],
        ["C05", "chroma", "contradicted", "", "chroma_1"],
    ]
    counted = claims.counts(found).set_index(["work", "read"])
    assert counted["claims"].tolist() == [2, 2, 2, 2]
    assert counted.loc["jina", ["holds", "contradicted", "open"]].values.tolist() == [
        [1, 0, 1],
        [0, 1, 1],
    ]


def test_a_claim_of_two_pages_or_of_none_that_is_listed_is_refused(tmp_path: Path) -> None:
    places = listed(tmp_path, PLAIN)
    judged(places, "chroma_1", Claim("C02", 3, fair=True))
    judged(places, "chroma_2", Claim("C02", 3, fair=True))
    with pytest.raises(UserError, match="C02 is judged in chroma_1 and in chroma_2"):
        claims.collect(places)
    (places.results / "answers" / "chroma_2.json").unlink()
    listed(tmp_path, OPEN)
    with pytest.raises(UserError, match=r"claims\.csv lacks C02 of chroma_1"):
        claims.collect(places)


def test_every_listed_claim_is_judged_once_or_open_and_no_other_is_judged() -> None:
    every, judged_or_open = cells.statements(ROOT), claims.collect(ROOT)
    assert set(judged_or_open["id"]) == set(every), "listed, neither judged nor open on a page"
    assert all(row.needs for row in every.values() if row.page), "open without what it needs"
    assert {row.work for row in every.values()} <= {*WORKS}
    naming = {row.page for row in every.values() if row.page}
    for page in naming:
        text = (ROOT.notebooks / f"{page}.ipynb").read_text("utf-8")
        assert "study.open_claims()" in text, f"{page} does not show the claims that name it"


LISTED = cells.statements(ROOT)
PUBLISHED = cells.frame(cell for cell in cells.read(ROOT) if cell.work != "mteb")
CODE = cells.facts(ROOT)
LENGTHS = experiment_tables.read(ROOT, "document-lengths", "characters")
LEDGER = pd.read_csv(ROOT.results / "tables" / "claims.csv").groupby("id")["verdict"].agg(" ".join)
CORPORA = facts.read(ROOT, "chroma_counts")
MADE = experiment_tables.tables(ROOT, "generated-questions")
QUESTIONS = {"counts": MADE["counts"], "similarity": MADE["released"]}
Code = Mapping[str, Fact]


def table(published: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Published tables, each ``work/table``."""
    return published[(published["work"] + "/" + published["table"]).isin(names)]


def of_chroma(published: pd.DataFrame, code: Code) -> Iterable[Claim]:
    printed = table(published, "chroma/main", "chroma/minilm", "chroma/appendix")
    return chroma.printed(printed, code)


def of_jina(published: pd.DataFrame, code: Code) -> Iterable[Claim]:
    beir = table(published, "jina/beir")
    yield from jina.first_post(beir, table(published, "jina/berlin"))
    yield from jina.of_texts(beir, LENGTHS, code)
    yield from jina.second_post(
        table(published, "jina/combinations"), table(published, "taxonomy/4")
    )


def of_taxonomy(published: pd.DataFrame, code: Code) -> Iterable[Claim]:
    printed = published[published["work"].isin(["taxonomy", "jina"])]
    yield from taxonomy.on_reproductions(printed, code)
    yield from taxonomy.on_corpora(printed)
    yield from taxonomy.on_documents(printed, code)
    yield from taxonomy.on_contextualized(printed)
    yield from taxonomy.on_chunk_size(printed, code)


CLAIMS_OF: dict[str, Callable[[pd.DataFrame, Code], Iterable[Claim]]]
CLAIMS_OF = {"chroma": of_chroma, "jina": of_jina, "taxonomy": of_taxonomy}


def judged_as(claims: Iterable[Claim]) -> dict[str, str]:
    """By id the verdicts of each reading, the fair one's first."""
    return {
        claim.id: " ".join(row["verdict"] for row in rows(LISTED[claim.id], claim))
        for claim in claims
    }


def verdicts(work: str, published: pd.DataFrame = PUBLISHED, code: Code = CODE) -> dict[str, str]:
    return judged_as(CLAIMS_OF[work](published, code))


def test_as_printed_every_claim_stands_in_the_ledger_as_it_is_judged_here() -> None:
    for work in CLAIMS_OF:
        found = verdicts(work)
        assert found == LEDGER[[*found]].to_dict()


def values_elsewhere(seed: int) -> pd.DataFrame:
    """Of every table the same numbers, in other cells."""
    draw = np.random.default_rng(seed)
    values = PUBLISHED.groupby(["work", "table"])["value"]
    return PUBLISHED.assign(value=values.transform(lambda one: draw.permutation(one.to_numpy())))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_with_other_printed_numbers_every_claim_that_rests_on_them_turns() -> None:
    """Open ones have nothing that could turn; one appendix is compared cell by cell, see below."""
    left = {claim for work in CLAIMS_OF for claim in verdicts(work)}
    for published in (*map(values_elsewhere, (0, 4, 9)), PUBLISHED.assign(value=0.0)):
        for claim in (
            one for claims_of in CLAIMS_OF.values() for one in claims_of(published, CODE)
        ):
            with suppress(UserError):  # such numbers grant the strict reading more
                if judged_as([claim])[claim.id] != LEDGER[claim.id]:
                    left.discard(claim.id)
    on_code = {"C22", *(claim for claim, *_ in OTHER_CODE)}
    assert {claim for claim in left if LEDGER[claim] != "open"} == {*on_code, "X05"}


def test_a_mark_that_is_printed_or_not_turns_what_rests_on_it() -> None:
    without, with_it = (verdicts("taxonomy", PUBLISHED.assign(marks=m)) for m in ("", "bold+a"))
    for claim, changed in (("C72", without), ("C120", without), ("C127", with_it)):
        assert changed[claim] != LEDGER[claim]


OTHER_CODE = [
    ("C35", "contradicted", "chroma-iou-denominator", "union"),
    ("C38", "holds holds", "chroma-unit", "token"),
    ("C40", "holds", "chroma-earlier-questions", "50"),
    ("C41", "contradicted", "chroma-and-forbidden", "allowed"),
    ("C65", "holds", "jina-fixed-boundaries", "a regular expression"),
    ("C126", "contradicted contradicted", "taxonomy-sentences", "6"),
    ("C124", "holds", "taxonomy-gutenqa-relevant-chunk", "overlaps the judged text"),
    ("C117", "contradicted", "taxonomy-figure-2-corpus-point", "a collection"),
    ("C118", "contradicted", "taxonomy-figure-2-tokenizer-jina-v3", "that of another model"),
]


@pytest.mark.parametrize(("claim", "after", "fact", "value"), OTHER_CODE)
def test_other_code_turns_the_claim_that_rests_on_it(
    claim: str, after: str, fact: str, value: str
) -> None:
    code = {**CODE, fact: CODE[fact].model_copy(update={"value": value})}
    assert LEDGER[claim] != after
    assert verdicts(LISTED[claim].work, code=code)[claim] == after


def test_only_an_appendix_that_repeats_the_tables_holds_them() -> None:
    keys = ["encoder", "chunker", "measure", "statistic"]
    of_work = PUBLISHED[PUBLISHED["work"] == "chroma"]
    first = of_work[of_work["table"] != "appendix"].drop_duplicates(keys).set_index(keys)
    again = of_work[(of_work["table"] == "appendix") & (of_work["part"] == "all")]
    printed = first["published"].reindex(pd.MultiIndex.from_frame(again[keys])).to_numpy()
    repeated = PUBLISHED.copy()
    repeated.loc[again.index, "published"] = printed
    assert verdicts("chroma", repeated)["X05"] == "holds"


def test_counts_of_corpora_are_the_published_ones_but_for_a_caption() -> None:
    expected = {"C04": "holds", "C06": "holds", "C05": "holds", "C07": "contradicted"}
    assert judged_as(chroma.of_corpora(counts_beside_published(CORPORA))) == expected
    more = counts_beside_published(CORPORA.assign(queries=CORPORA["queries"] + [2, 0, 0, 0, 0]))
    turned = {"C04": "holds", "C06": "contradicted", "C05": "partly", "C07": "holds"}
    assert judged_as(chroma.of_corpora(more)) == turned


@pytest.mark.parametrize(
    ("claim", "column", "value", "after"),
    [
        ("C39", "excerpts that stand at their offsets", 789, "contradicted contradicted"),
        ("C42", "most excerpts of a question", 6, "contradicted"),
        ("X02", "questions with and outside of names", 40, "holds contradicted"),
    ],
)
def test_another_count_of_questions_turns_its_claim(
    claim: str, column: str, value: float, after: str
) -> None:
    made = QUESTIONS | {"counts": QUESTIONS["counts"].assign(**{column: value})}
    assert judged_as(chroma.of_questions(QUESTIONS, CORPORA, CODE))[claim] != after
    assert judged_as(chroma.of_questions(made, CORPORA, CODE))[claim] == after


def test_a_score_above_its_bound_contradicts_it_word_for_word() -> None:
    def judged(precision: list[float], f1: float = 2 / 3) -> dict[str, str]:
        at = {f"SpanF1@{cut}": f1 for cut in (5, 10, "Min")}
        at |= {f"SpanPrecision@{cut}": 0.5 for cut in (10, "Min")}
        at |= {f"SpanRecall@{cut}": 1.0 for cut in (5, 10, "Min")} | {"PrecisionOmega": 0.6}
        wide = pd.DataFrame(at, ["a", "b"]).assign(**{"SpanPrecision@5": precision})
        run = SimpleNamespace(variant=SimpleNamespace(name="kamradt"), wide=wide)
        return judged_as(chroma.of_measures(cast("Runs", [run])))

    assert judged([0.5, 0.5]) == {"C36": "holds", "C37": "holds holds"}
    assert judged([0.5, 0.5], f1=0.5)["C36"] == "contradicted"
    assert judged([0.65, 0.5])["C37"] == "holds contradicted"
    assert judged([0.8, 0.8])["C37"] == "contradicted contradicted"


def test_cluster_finds_its_optimum_as_described_and_not_always_officially(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert judged_as(chroma.of_cluster()) == {"C50": "holds contradicted", "C51": "holds"}

    def apart(vectors: np.ndarray, *_: Any, quirks: bool) -> list[int]:
        return list(range(len(vectors)))

    monkeypatch.setattr(chroma, "cluster_cuts", apart)
    turned = {"C50": "contradicted contradicted", "C51": "contradicted"}
    assert judged_as(chroma.of_cluster()) == turned


@pytest.mark.parametrize(
    ("still", "expected"),
    [
        ("", {"C66": "holds", "C136": "holds"}),
        ("later", {"C66": "holds", "C136": "partly"}),
        ("earlier", {"C66": "contradicted", "C136": "partly"}),
    ],
)
def test_a_vector_that_does_not_move_is_of_one_direction(still: str, expected: Any) -> None:
    far = {"later": 0.2, "earlier": 0.3} | ({still: 0.0} if still else {})
    movements = pd.DataFrame(
        {
            "model": "a/b",
            "direction": way,
            "cosine distance": moved,
            "replaced": replaced,
        }
        for way, distance in far.items()
        for replaced, moved in ((bidirectionality.HALF, distance), (bidirectionality.APART, 0.0))
    )
    assert judged_as(jina.directions(movements)) == expected


def test_what_open_claims_wait_for_is_not_here() -> None:
    """C57, C59 and C139 say that printed scores were not computed: once one was, judge them."""
    compared = pd.read_csv(ROOT.results / "comparison.csv")
    scores = compared[(compared["work"] == "jina") & (compared["measure"] != "characters")]
    assert len(scores) == 93 and (scores["verdict"] == "not_run").all()
