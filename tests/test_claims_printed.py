"""Claims that rest on printed numbers or on official code turn with the number or the line that
they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import cells, statements
from chunkstudy.published.cells import Fact
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import CONTEXTUALIZED as LATE
from chunkstudy.runs.conditions import PRE_EMBEDDING as NAIVE
from chunkstudy.runs.published_grid import E5_INSTRUCT, JINA_SMALL, JINA_V3, NOMIC
from chunkstudy.show.claims import Claim, rows
from chunkstudy.studies import taxonomy
from chunkstudy.studies.chroma import claims as chroma
from chunkstudy.studies.jina import claims as jina

ROOT = Places(Path(__file__).parents[1])
LISTED = statements.read(ROOT)
PUBLISHED = cells.frame(cells.read(ROOT))
CODE = cells.facts(ROOT)
LENGTHS = study_results.read(ROOT, "document-lengths")
LEDGER = pd.read_csv(ROOT.results / "tables" / "claims.csv").groupby("id")["verdict"].agg(" ".join)
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


WORKS: dict[str, Callable[[pd.DataFrame, Code], Iterable[Claim]]]
WORKS = {"chroma": of_chroma, "jina": of_jina, "taxonomy": of_taxonomy}


def verdicts(work: str, published: pd.DataFrame = PUBLISHED, code: Code = CODE) -> dict[str, str]:
    """By id those of each reading, the fair one's first."""
    return {
        claim.id: " ".join(row["verdict"] for row in rows(LISTED[claim.id], claim))
        for claim in WORKS[work](published, code)
    }


def test_as_printed_every_claim_stands_in_the_ledger_as_it_is_judged_here() -> None:
    for work in WORKS:
        found = verdicts(work)
        assert found == LEDGER[[*found]].to_dict()


@pytest.mark.parametrize(
    ("claim", "after", "printed", "row", "column", "value"),
    [
        ("C01", "contradicted contradicted", "chroma/main",
         ["llm", "SpanRecall@5", "mean"], "value", 99.0),
        ("C10", "holds holds", "chroma/main",
         ["recursive-200-0", "SpanRecall@5", "mean"], "value", 88.2),
        ("C11", "contradicted", "chroma/main",
         ["token-400-0", "SpanRecall@5", "mean"], "value", 89.5),
        ("C12", "contradicted", "chroma/main",
         ["recursive-800-400", "SpanRecall@5", "mean"], "value", 88.0),
        ("C13", "holds holds", "chroma/main", ["token-400-0", "SpanIoU@5", "mean"], "value", 2.8),
        ("C14", "partly", "chroma/main", ["token-800-400", "SpanIoU@5", "mean"], "value", 9.0),
        ("C15", "contradicted", "chroma/main",
         ["cluster-400", "SpanRecall@5", "mean"], "value", 91.2),
        ("C16", "partly", "chroma/main", ["recursive-200-0", "SpanIoU@5", "mean"], "value", 8.1),
        ("C17", "contradicted", "chroma/main",
         ["cluster-400", "SpanRecall@5", "mean"], "value", 92.0),
        ("C18", "contradicted", "chroma/main", ["llm", "PrecisionOmega", "mean"], "value", 90.0),
        ("C19", "contradicted contradicted", "chroma/main",
         ["kamradt", "SpanRecall@5", "mean"], "value", 95.0),
        ("C20", "holds contradicted", "chroma/main",
         ["kamradt-modified-300", "SpanRecall@5", "mean"], "value", 87.2),
        ("C21", "partly", "chroma/main",
         ["kamradt-modified-300", "chunk size", "mean"], "value", 700.0),
        ("C24", "contradicted open", "chroma/main",
         ["token-200-0", "SpanRecall@5", "mean"], "value", 95.0),
        ("C28", "contradicted", "chroma/minilm",
         ["cluster-250", "SpanRecall@5", "mean"], "value", 95.0),
        ("C58", "contradicted", "jina/berlin", ["Berlin is th", LATE], "by", -0.001),
        ("C60", "contradicted", "jina/beir", ["fiqa", "characters"], "by", 0.1),
        ("C61", "contradicted contradicted", "jina/beir", ["quora", LATE], "by", -0.01),
        ("C61", "holds holds", "jina/beir", ["quora", LATE], "by", 0.01),
        ("C62", "contradicted", "jina/beir", [LATE], "by", -3),
        ("C63", "contradicted", "jina/beir", ["none", NAIVE], "by", -1),
        ("C64", "contradicted", "jina/beir", ["trec-covid", "characters"], "by", 400),
        ("C131", "contradicted contradicted", "jina/combinations", [NOMIC, LATE], "by", -0.1),
        ("C131", "holds holds", "jina/combinations", [NOMIC, LATE], "by", 0.2),
        ("C132", "contradicted contradicted", "jina/combinations", [JINA_SMALL, LATE], "by", 6),
        ("C132", "holds holds", "jina/combinations", [NOMIC, LATE], "by", -4),
        ("C133", "contradicted contradicted", "jina/combinations", ["semantic", NAIVE], "by", 2),
        ("C134", "contradicted contradicted", "jina/combinations", ["semantic", LATE], "by", 0.1),
        ("C135", "contradicted open", "jina/combinations", [JINA_V3, NAIVE], "by", -4),
        ("X11", "holds holds", "jina/combinations", ["semantic"], "by", 5),
        ("X12", "contradicted contradicted", "jina/combinations", [NAIVE], "by", 0.4),
        ("X14", "holds contradicted", "taxonomy/4", [E5_INSTRUCT], "by", -4),
        ("X14", "holds holds", "taxonomy/4", [E5_INSTRUCT], "by", -6),
        ("C69", "contradicted", "taxonomy/1", ["paragraph", "original"], "value", 0.5),
        ("C71", "contradicted", "taxonomy/1", ["paragraph", "reproduced"], "value", 0.7),
        ("C73", "contradicted", "taxonomy/2", ["fiqa", "semantic", LATE, "original"], "value", 0.5),
        ("C100", "contradicted", "taxonomy/4", ["gutenqa", "paragraph", JINA_SMALL], "value", 50.0),
        ("C101", "contradicted", "taxonomy/4", ["average", "semantic", NOMIC], "value", 50.0),
        ("C102", "partly", "taxonomy/3", ["scidocs", "average", NOMIC], "value", 0.9),
        ("C79", "partly", "taxonomy/3", ["average", "semantic", NOMIC], "value", 0.9),
        ("C83", "contradicted contradicted", "taxonomy/3",
         ["average", "proposition", JINA_V3], "value", 0.9),
        ("C90", "contradicted contradicted", "taxonomy/3",
         ["average", "lumberchunker", E5_INSTRUCT], "value", 0.9),
        ("C95", "contradicted", "taxonomy/3", ["gutenqa", "paragraph", NOMIC], "value", 0.9),
        ("C108", "contradicted contradicted", "taxonomy/4",
         ["gutenqa", "paragraph", E5_INSTRUCT], "value", 90.0),
        ("C109", "contradicted", "taxonomy/4",
         ["gutenqa", "paragraph", E5_INSTRUCT], "value", -7.0),
        ("C103", "partly", "taxonomy/4", ["average", "paragraph", JINA_SMALL], "value", 99.0),
        ("C106", "contradicted", "taxonomy/5",
         ["average", "proposition", JINA_SMALL], "value", 0.9),
        ("C115", "contradicted", "taxonomy/figure 2, repository",
         ["gutenqa", JINA_V3, NAIVE, "paragraph"], "value", 0.4),
        ("C120", "holds holds", "taxonomy/figure 2, repository",
         ["gutenqa", JINA_V3, "relative change", "fixed-256"], "value", 0.23),
        ("C72", "contradicted", "taxonomy/3", ["gutenqa", "fixed-256", NOMIC], "marks", ""),
        ("C127", "contradicted open", "taxonomy/3",
         ["gutenqa", "lumberchunker", NOMIC], "marks", "bold+a"),
        ("C120", "contradicted contradicted", "taxonomy/figure 2, repository",
         ["gutenqa", JINA_V3, "relative change", "fixed-256"], "marks", ""),
    ],
)  # fmt: skip
def test_another_printed_number_or_mark_turns_the_claim_that_rests_on_it(
    claim: str, after: str, printed: str, row: list[str], column: str, value: Any
) -> None:
    """Those of the rows of a table that have all these keys; ``by`` is added."""
    changed = PUBLISHED.copy()
    keys = changed[["collection", "chunker", "encoder", "ordering", "measure", "statistic"]]
    rows_of_keys = (changed["work"] + "/" + changed["table"] == printed) & (
        changed["part"] == "all"
    )
    for key in row:
        rows_of_keys &= (keys == key).any(axis=1)
    assert rows_of_keys.any()
    if column == "by":
        changed.loc[rows_of_keys, "value"] += value
    else:
        changed.loc[rows_of_keys, column] = value
    assert LEDGER[claim] != after
    assert verdicts(LISTED[claim].work, changed)[claim] == after


@pytest.mark.parametrize(
    ("claim", "after", "fact", "value"),
    [
        ("C35", "contradicted", "chroma-iou-denominator", "union"),
        ("C38", "holds holds", "chroma-unit", "token"),
        ("C40", "holds", "chroma-earlier-questions", "50"),
        ("C41", "contradicted", "chroma-and-forbidden", "allowed"),
        ("C65", "holds", "jina-fixed-boundaries", "a regular expression"),
        ("C126", "contradicted contradicted", "taxonomy-sentences", "6"),
        ("C124", "holds", "taxonomy-gutenqa-relevant-chunk", "overlaps the judged text"),
        ("C117", "contradicted", "taxonomy-figure-2-corpus-point", "a collection"),
        ("C118", "contradicted", "taxonomy-figure-2-tokenizer-jina-v3", "that of another model"),
    ],
)
def test_other_code_turns_the_claim_that_rests_on_it(
    claim: str, after: str, fact: str, value: str
) -> None:
    code = {**CODE, fact: CODE[fact].model_copy(update={"value": value})}
    assert LEDGER[claim] != after
    assert verdicts(LISTED[claim].work, code=code)[claim] == after


def test_clusters_are_strong_only_above_the_middle_row() -> None:
    clusters = PUBLISHED["chunker"].str.startswith("cluster") & (PUBLISHED["table"] == "appendix")
    for value, expected in ((101.0, "holds holds"), (0.0, "contradicted contradicted")):
        changed = PUBLISHED.assign(value=PUBLISHED["value"].mask(clusters, value))
        assert verdicts("chroma", changed)["C54"] == expected


def test_only_an_appendix_that_repeats_the_tables_holds_them() -> None:
    keys = ["encoder", "chunker", "measure", "statistic"]
    of_work = PUBLISHED[PUBLISHED["work"] == "chroma"]
    first = of_work[of_work["table"] != "appendix"].drop_duplicates(keys).set_index(keys)
    again = of_work[(of_work["table"] == "appendix") & (of_work["part"] == "all")]
    printed = first["published"].reindex(pd.MultiIndex.from_frame(again[keys])).to_numpy()
    repeated = PUBLISHED.copy()
    repeated.loc[again.index, "published"] = printed
    assert verdicts("chroma", repeated)["X05"] == "holds"
