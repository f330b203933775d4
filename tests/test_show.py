"""What a notebook shows: tables as numbers, on a page and in LaTeX, beside the
published one, and judged text marked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import Study
from chunkstudy.core.errors import RecordError, StudyError
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Collection, Document, Judgment, Query
from chunkstudy.display import excerpts, latex
from chunkstudy.display.formats import Column, number, percent, whole
from chunkstudy.display.tables import LONG, Table
from chunkstudy.display.titles import named
from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.notebook import collection_views as passages
from chunkstudy.notebook import scores
from chunkstudy.pipeline import conditions, records, rescore
from tests import small_study

PLACES = Project(Path(__file__).parents[1])
MINILM = "sentence-transformers__all-MiniLM-L6-v2"
RECURSIVE = "recursive-250-125-wordpiece-special"
CONDITION = conditions.parse(f"chroma/{RECURSIVE}/{MINILM}/pre_embedding/as_published-chroma")


def scored(
    value: float, encoder: str = MINILM, measure: str = "SpanRecall@5", chunker: str = RECURSIVE
) -> pd.DataFrame:
    run = f"chroma/{chunker}/{encoder}/pre_embedding/as_published-chroma"
    row = {"run": run, "chunker": chunker, "part": "all", "measure": measure}
    return pd.DataFrame([{**row, "statistic": "mean", "value": value}])


@pytest.mark.parametrize(
    ("measure", "value", "verdict"),
    [
        ("SpanRecall@5", 0.7866, "exact"),
        ("SpanRecall@5", 0.7829, "within_stack"),
        ("chunk size", 180.2, "exact"),
        ("chunk size", 150.0, "deviates"),
    ],
)
def test_a_value_beside_its_published_cell_is_judged_in_the_printed_unit(
    measure: str, value: float, verdict: str
) -> None:
    frame = scored(value, measure=measure)
    (row,) = scores.beside(PLACES, ["chroma/minilm"], frame).to_dict("records")
    printed = value if measure == "chunk size" else 100 * value
    assert row["reproduced"] == pytest.approx(printed)
    assert row["difference"] == pytest.approx(printed - float(row["published"]))
    assert row["verdict"] == verdict


def test_another_encoder_stands_beside_the_table_without_a_verdict() -> None:
    other = scored(0.787, "sentence-transformers__all-mpnet-base-v2")
    (row,) = scores.beside(PLACES, ["chroma/minilm"], other).to_dict("records")
    assert row["published"] == "78.7" and row["verdict"] == ""


def test_a_number_is_judged_by_the_cell_of_its_own_encoder_before_another() -> None:
    large = scored(0.8, "text-embedding-3-large", chunker="token-200-0")
    both = ["chroma/main", "chroma/appendix"]
    (main,) = scores.beside(PLACES, both, large).to_dict("records")
    assert main["verdict"] and main["published"] == "87.0"
    narrow = scored(0.75, measure="PrecisionOmega", chunker="token-222-0")
    (row,) = scores.beside(PLACES, both, narrow).to_dict("records")
    assert row["published"] == "19.1" and row["verdict"] == "deviates"


def test_an_unknown_published_table_is_refused_with_those_there_are() -> None:
    with pytest.raises(StudyError, match=r"no published table 'chroma/mini'; use one of .*minilm"):
        scores.beside(PLACES, ["chroma/mini"], scored(0.7))


def test_a_table_is_laid_out_with_a_line_of_each_kind_and_no_line_of_nothing() -> None:
    frame = pd.concat([scored(0.7866), scored(0.5, chunker="fixed-64")])
    shown = scores.as_published(scores.beside(PLACES, ["chroma/minilm"], frame))
    assert list(shown[""]) == ["published", "ours", "verdict", "ours"]
    assert list(shown["Recall of excerpts at 5"]) == ["78.7", "78.66", "exact", "50.00"]


def test_a_published_value_of_another_model_bears_its_name_and_ours_as_many_digits() -> None:
    frame = scored(0.654321, chunker="fixed-256", measure="nDCG@10").assign(
        run=f"scifact/fixed-256/{MINILM}-w512/pre_embedding/as_published-ielab"
    )
    shown = scores.as_published(scores.beside(PLACES, ["taxonomy/3"], frame))
    assert list(shown[""]) == ["published, Jina v2 small", "ours"]
    assert list(shown["nDCG@10"].str.partition(".")[2].str.len()) == [4, 4]


def test_judged_text_is_marked_and_nothing_else_where_excerpts_overlap() -> None:
    shown = excerpts.marked("one <two> three four", (0, 17), [(4, 15), (10, 20)])
    inside = "".join(re.findall("<mark[^>]*>(.*?)</mark>", shown))
    assert inside == "&lt;two&gt; three f" and shown.striptags() == "one <two> three f"


def test_hits_come_best_first_and_show_the_judged_part_of_a_long_chunk() -> None:
    at = small_study.LONG.index("dune comet")
    documents = (Document("a", small_study.LONG), Document("b", "nothing"))
    collection = Collection(
        "one", documents, (Query("q", "why?"),), (Judgment("q", "a", at, at + 4),)
    )
    rows = {
        "query": 0,
        "document": [0, 1],
        "start": 0,
        "end": [len(small_study.LONG), 7],
        "score": [0.9, 0.1],
    }
    shown = passages.hits(collection, 0, pd.DataFrame(rows), 5, "token-200-0")
    assert shown.index("0.900") < shown.index("0.100")
    assert ">dune</mark>" in shown and "\N{HORIZONTAL ELLIPSIS}" in shown
    assert len(shown) < len(small_study.LONG)


def test_another_cut_off_of_chromas_table_needs_neither_a_run_nor_a_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "chunkstudy.pipeline.rescore.load_collection", lambda _: pytest.fail("a text")
    )
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(PLACES.root))
    runs = Study("trial").runs("chroma", [RECURSIVE], protocol="as_published-chroma")
    means = [runs.scores(k=k).frame[f"SpanRecall@{k}"].mean() for k in (1, 3, 5, 7)]
    assert means == sorted(means) and means[0] < means[1] < means[2] < means[3]
    again = rescore.without_texts(
        PLACES, runs.found[RECURSIVE].run, "SpanIoU@10", _kept(runs.found[RECURSIVE].run)
    )
    assert again is not None
    assert list(again) == list(runs.found[RECURSIVE].wide["SpanIoU@10"])
    with pytest.raises(StudyError, match=r'no ranking of 11 chunks is stored.*compute="missing"'):
        runs.scores(k=11)


def test_first_chunks_of_another_run_are_refused(tmp_path: Path) -> None:
    shutil.copytree(PLACES.results / "facts", tmp_path / "results" / "facts")
    shutil.copytree(PLACES.runs / "chroma", tmp_path / "results" / "runs" / "chroma")
    places = Project(tmp_path)
    run = records.read(places.runs, CONDITION).run
    path = records.rankings_path(places.runs, run)
    ranked = pd.read_parquet(path)
    ranked.assign(end=ranked["start"] + 1).to_parquet(path)
    with pytest.raises(RecordError, match="are not of the record"):
        rescore.first_chunks(places, run)
    path.unlink()
    assert rescore.first_chunks(places, run) is None


def _kept(run: records.Run) -> pd.DataFrame:
    found = rescore.first_chunks(PLACES, run)
    assert found is not None
    return found


MINUS = "\N{MINUS SIGN}"
GAINS = pd.DataFrame(
    {"collection": ["scifact", "scifact", "nfcorpus"], "window": [128, 256, 128],
     "difference": [0.01, -0.02, 0.0], "low": [0.0, -0.03, -0.01], "high": [0.02, -0.01, 0.01]}
)  # fmt: skip


@given(st.lists(st.floats(-1, 1), min_size=1), st.floats(1.001, 1e9))
def test_a_value_above_one_is_refused_in_a_column_that_is_shown_in_percent(
    values: list[float], other: float
) -> None:
    assert list(Table.of(pd.DataFrame({"x": values})).text["x"]) == [*map(percent, values)]
    with pytest.raises(StudyError, match=r"column 'x' holds .*is not a fraction.*shown_as"):
        Table.of(pd.DataFrame({"x": [*values, other]}))
    shown = Table.of(pd.DataFrame({"x": [*values, other]}), columns={"x": whole}).text["x"]
    assert list(shown)[-1] == whole(other)


def test_a_column_is_shown_as_its_table_says_else_as_all_tables_do() -> None:
    frame = pd.DataFrame({"other": ["fixed-64"], "x": [0.5], "n": [2.0], "difference": [0.1]})
    told: dict[str, Column | Callable[[Any], str]] = {
        "other": named("chunker"), "x": Column("so much", number), "difference": whole,
    }  # fmt: skip
    assert Table.of(frame, columns=told).text.iloc[0].to_dict() == {
        "other": "Fixed size, 64 tokens", "so much": "0.50", "queries": "2",
        "difference, points": "0",
    }  # fmt: skip


@pytest.mark.parametrize("measure", ["SpanRecall(unit=token)@5", "nDCG@10", "TokensRead@5"])
def test_a_score_and_its_difference_are_in_the_unit_of_their_measure(measure: str) -> None:
    columns = ["measure", "n", "first", "second", "difference", "low", "high"]
    fractions = [measure, 9, 0.75, 0.5, 0.25, -0.1, 0.3]
    as_fractions = ["9", "75.0", "50.0", f"+25.0 [{MINUS}10.0, +30.0]"]
    counts = [measure, 9, 500.2, 1250.4, -750.4, -800, 0.3]
    as_counts = ["9", "500 tokens", "1,250 tokens",
                 f"{MINUS}750 tokens [{MINUS}800 tokens, +0 tokens]"]  # fmt: skip
    row, expected = (counts, as_counts) if in_tokens(measure) else (fractions, as_fractions)
    alone = Table.of(pd.DataFrame([row], columns=columns)).text
    assert list(alone.iloc[0])[1:] == expected
    assert ("difference, points [95%]" in alone) == (row is fractions)
    beside = pd.DataFrame([["nDCG@10", *fractions[1:]], row], columns=columns)
    table = Table.of(beside)
    both = table.text.drop(columns="measure", errors="ignore")
    assert [list(shown) for _, shown in both.iterrows()] == [as_fractions[1:], expected[1:]]
    assert "9 queries." in table.note


def test_all_scores_but_counts_of_tokens_are_fractions() -> None:
    for path in sorted(PLACES.runs.glob("*/all-MiniLM-L6-v2.parquet")):
        largest = pd.read_parquet(path).select_dtypes("number").max()
        beyond = {name for name, most in largest.items() if most > 1}
        assert beyond == {name for name in largest.index if in_tokens(str(name))}, path


def test_two_ends_stand_in_one_column_and_what_is_missing_is_empty() -> None:
    frame = pd.DataFrame({"x least": [0.1, None], "x most": [0.2, None]}, dtype=float)
    assert list(Table.of(frame).text["x, least and most"]) == ["[10.0, 20.0]", ""]


@pytest.mark.parametrize(("rows", "folded"), [(LONG, False), (LONG + 1, True)])
def test_a_long_table_is_folded_behind_its_caption_and_says_how_long(
    rows: int, folded: bool
) -> None:
    shown = Table.of(pd.DataFrame({"chunks": range(rows)})).html("Counts", file="verdicts")
    assert shown.startswith("<details>") == folded
    assert shown.count("<tr>") == rows + 1
    assert (f"{rows} rows, folded" in shown) == folded
    assert ("results/tables/verdicts.csv" in shown) == folded
    assert "Counts" in shown


def test_code_is_set_and_text_stays_text() -> None:
    shown = Table.of(pd.DataFrame({"needs": ["run `a < b`"]})).html()
    assert "<code>a &lt; b</code>" in shown


def in_latex(frame: pd.DataFrame = GAINS, **changes: Any) -> str:
    given: dict[str, Any] = {"span": "column", "once": "collection", "shorter": {}}
    caption = r"Of \val{all/n} more."
    return latex.table(Table.of(frame).text, "gains", caption, **(given | changes))


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    bare = latex.escape(text)
    for command in latex.SPECIAL.values():
        if command[1].isalpha():
            bare = bare.replace(command, "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


def test_a_group_is_said_once_also_where_it_is_said_shorter() -> None:
    assert in_latex().count("SciFact") == 1 and in_latex().count(r"\addlinespace") == 1
    short = in_latex(shorter={"SciFact": "Sci", "NFCorpus": "NF"})
    assert short.count("Sci ") == 1 and "SciFact" not in short and "NF " in short


def test_long_heads_wrap_and_a_table_of_the_appendix_breaks_over_pages() -> None:
    frame = pd.DataFrame({"a": ["long text " * 9] * 2, "queries needed to tell": ["12"] * 2})
    found = latex.table(frame, "x", "", "appendix", "", {})
    assert r"\begin{xltabular}" in found and found.count("arraybackslash}X") == 2
