"""No page and no table of the paper shows an internal name or types a number, what is cited can be
looked up, and the README's generated parts are what tables and answers say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from chunkstudy.collections import beir, chroma, covid_qa, gutenqa
from chunkstudy.core import sources
from chunkstudy.core.models import MODELS
from chunkstudy.core.project import Project
from chunkstudy.llm.causal_models import MODELS as CAUSAL
from chunkstudy.notebook import summary_files
from chunkstudy.pipeline.conditions import LARGE
from chunkstudy.release import readme

ROOT = Path(__file__).parents[1]
PLACES = Project(ROOT)
INTERNAL = re.compile(
    r"\b(?:recursive|token|cluster|fixed|sentence|kamradt-modified)-\d+|"
    r"\b(?:semantic|fixed|recursive|proposition|lumberchunker|paragraph)-released\b|"
    r"as_published|pre_embedding|contextualized-\d|sentence-transformers__|gutenqa-emma|"
    r"\bS[0-4]:\d+|PROTOCOLS [A-D]|not_run|within_stack|state_of_the_union"
)
CODE = re.compile(r"```.*?```|`[^`]*`|<pre.*?</pre>|<code>.*?</code>", re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "results" / "notebooks").glob("*.ipynb"))]
LATEX = [
    *sorted(PLACES.generated.glob("*.tex")),
    *sorted((PLACES.paper / "sections").glob("*.tex")),
]


def shown(path: Path) -> Iterator[str]:
    """What a reader sees of a text, or of an executed notebook whose code is folded."""
    if path.suffix == ".md":
        yield path.read_text(encoding="utf-8")
        return
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield cell.source
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            yield data.get("text/html") or data.get("text/markdown") or ""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_internal_name_reaches_a_page(path: Path) -> None:
    assert not INTERNAL.findall(CODE.sub("", "\n".join(shown(path))))


@pytest.mark.parametrize("path", LATEX, ids=lambda path: path.stem)
def test_no_internal_name_and_no_missing_number_reaches_the_paper(path: Path) -> None:
    text = re.sub(r"\\(?:label|newcommand|val|says)\{[^}]*\}", "", path.read_text(encoding="utf-8"))
    assert not INTERNAL.findall(text.replace(r"\_", "_"))
    assert not re.search(r"\bnan\b", text)


PROTOCOLS = "docs/protocols.md"
PRIVATE = re.compile(r"\bS[0-4]:\d|\bPROTOCOLS [A-D]\b|(?<!-)\bseeds?/")


def _texts() -> Iterator[tuple[str, str]]:
    for folder in ("src", "tests", "docs", "notebooks", "."):
        for path in sorted((ROOT / folder).glob("*" if folder == "." else "**/*")):
            if path.suffix in (".py", ".toml", ".md", ".ipynb") and path != Path(__file__):
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def _anchors(page: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def test_every_cited_section_of_the_protocols_exists() -> None:
    anchors = _anchors((ROOT / PROTOCOLS).read_text(encoding="utf-8"))
    cited = {
        (name, anchor)
        for name, text in _texts()
        for run in re.findall(rf"{re.escape(PROTOCOLS)}#[\w-]+(?:,\s+#[\w-]+)*", text)
        for anchor in re.findall(r"#([\w-]+)", run)
    }
    assert cited
    assert {one for one in cited if one[1] not in anchors} == set()


def test_no_citation_is_a_line_of_a_copy_that_nobody_else_has() -> None:
    assert [name for name, text in _texts() if PRIVATE.search(text)] == []


def test_the_data_card_has_the_digests_of_every_collection_and_model() -> None:
    text = (Path(__file__).parents[1] / "docs/data-card.md").read_text(encoding="utf-8")
    digests = {covid_qa.FILE.sha256, *sources.listed("chroma").values()}
    digests |= {workbook.sha256 for workbook in gutenqa.WORKBOOKS.values()}
    digests |= {accepted[0] for accepted in beir.DIGESTS.values()}
    digests |= {one for model in MODELS.values() for one in model.files.values() if one}
    digests |= {one for model in CAUSAL.values() for one in model.files.values()}
    assert set(re.findall(r"sha256 `(\w+)`", text)) == digests
    for revision in (chroma.COMMIT, covid_qa.COMMIT, gutenqa.COMMIT):
        assert revision in text


PAPER = Path(__file__).parents[1] / "paper"
SECTIONS = sorted((PAPER / "sections").glob("*.tex"))
TABLES = sorted((PAPER / "generated").glob("paper_*.tex"))
NAMED = re.compile(r"\\(?:val|says)\{([^}]+)\}")
SILENT = re.compile(
    r"\\(?:val|says|ref|label|cite[pt]?|input|includegraphics|model)(?:\[[^]]*\])?\{[^}]*\}"
    r"|\\(?:begin|end|setlength|paragraph)\{[^}]*\}(?:\{[^}]*\})*|@?\{[^{}]*\\(?:line|text)width\}"
    r"|\\(?:val|ndcg|dcg)\b|\{\d+pt\}"
)
DECIMAL = re.compile(r"\d+[.,]\d+(?:[.,]\d+)*|\d+(?:\.\d+)?\s*\\%")
WHOLE = re.compile(r"(?<![\w.])\d+(?![\w.])")
SETTINGS = {
    "5", "64", "125", "128", "200", "250", "256", "400", "512", "550", "800", "1,000", "2,000",
    "8,192", "0", "1", "20", "95", "100", "135", "300", "44", "4",
}  # fmt: skip
"""What somebody chose and no computation gave: windows, sizes, depths, levels, and what a work says
of itself. A number that is measured has no place here."""
LEVELS = {r"95\%", r"5\%"}


def typed(text: str) -> list[str]:
    """Numbers in a text of TeX that no macro gave."""
    bare = SILENT.sub(" ", re.sub(r"(?<!\\)%.*", "", text))
    decimals = [one for one in DECIMAL.findall(bare) if one not in SETTINGS | LEVELS]
    rest = DECIMAL.sub(" ", bare)
    return decimals + [one for one in WHOLE.findall(rest) if one not in SETTINGS]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"loses 6.7 points", ["6.7"]),
        (r"in 3\% of cells", [r"3\%"]),
        (r"of 1,736 cells", ["1,736"]),
        (r"in 57 of \val{claims/all} claims", ["57"]),
        (r"reads 512 tokens, \val{late/wide}, at 95\% % 3.14", []),
        (r"\includegraphics[width=0.74\linewidth]{a.pdf} in Section~\ref{sec:4.2}", []),
    ],
)
def test_typed_numbers_are_seen(text: str, found: list[str]) -> None:
    assert typed(text) == found


@pytest.mark.parametrize("path", SECTIONS, ids=lambda path: path.stem)
def test_no_number_of_the_paper_is_typed(path: Path) -> None:
    assert typed(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_no_caption_of_a_generated_table_types_a_number(path: Path) -> None:
    (caption,) = re.findall(r"\\caption\{(.*)\}\\label", path.read_text(encoding="utf-8"))
    assert typed(re.sub(r"DCG@10|\w+-\w+-\S+", "", caption)) == []


def test_every_name_in_the_text_is_a_number_that_a_notebook_kept() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (*SECTIONS, *TABLES))
    assert set(NAMED.findall(text)) <= set(summary_files.numbers(Project(PAPER.parent)))


def test_every_generated_table_is_shown_and_no_other_is_asked_for() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SECTIONS)
    assert set(re.findall(r"\\input\{generated/(\w+)\}", text)) == {path.stem for path in TABLES}


def test_every_table_and_figure_is_referred_to() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SECTIONS)
    tables = [path.read_text(encoding="utf-8") for path in TABLES]
    floating = "".join(one for one in tables if one.startswith(r"\begin{table"))
    labels = set(re.findall(r"\\label\{((?:tab|fig|app):\w+)\}", text + floating))
    assert labels <= set(re.findall(r"\\ref\{([^}]+)\}", text))


COMPARISON = pd.DataFrame(
    {
        "work": ["chroma", "chroma", "taxonomy"],
        "encoder": ["none", LARGE, "nomic-ai/nomic-embed-text-v1"],
        "verdict": ["exact", "not_run", "not_run"],
        "of_retrieval": [True, True, True],
    }
)
ANSWERS = pd.DataFrame(
    {
        "page": [readme.HEADLINES[1], readme.HEADLINES[0], readme.HEADLINES[0], "claims"],
        "question": ["Second?", "First?", "More?", "Nowhere?"],
        "answer": ["No.", "Yes.", "Much.", "Never."],
    }
)


def test_only_the_generated_parts_change_and_a_second_time_nothing(tmp_path: Path) -> None:
    path, places = tmp_path / "README.md", Project(tmp_path)
    path.write_text(
        "before\n<!-- generated: works -->\nold\n<!-- end generated -->\nbetween\n"
        "<!-- generated: findings -->\n<!-- end generated -->\nafter\n"
    )
    (tmp_path / "results" / "answers").mkdir(parents=True)
    COMPARISON.to_csv(tmp_path / "results" / "comparison.csv", index=False)
    for page, rows in ANSWERS.groupby("page"):
        content = {"answers": rows[["question", "answer"]].to_dict("records")}
        (tmp_path / "results" / "answers" / f"{page}.json").write_text(json.dumps(content))
    readme.fill(places)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "\nbetween\n" in text
    assert "\nold\n" not in text and "**First?** Yes. ([page](results/notebooks/" in text
    readme.fill(places)
    assert path.read_text(encoding="utf-8") == text


def test_the_first_answer_of_each_page_stands_in_the_pages_order() -> None:
    first, second = readme.headlines(ANSWERS).splitlines()
    assert first.startswith("1. **First?** Yes.") and second.startswith("2. **Second?** No.")


def test_recommendations_stand_in_a_table_with_their_evidence() -> None:
    rows = pd.DataFrame({"question": ["How?"], "answer": ["So."], "evidence": ["1 [0, 2]."]})
    head, rule, row = readme.advice(rows.assign(details="x")).splitlines()
    assert head.count("|") == rule.count("|") == 4 and row == "| How? | So. | 1 [0, 2]. |"


def test_every_row_of_what_to_reproduce_quotes_a_number_that_a_notebook_kept() -> None:
    study = Project(Path(__file__).parents[1])
    text = (study.root / "REPRODUCING.md").read_text(encoding="utf-8")
    rows = text.partition("| minutes |")[2].partition("\n\n")[0].splitlines()[2:]
    for row in rows:
        quoted = [name for _, name in readme.QUOTED.findall(row)]
        assert quoted and set(quoted) <= set(summary_files.numbers(study))
