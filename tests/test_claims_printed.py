"""Claims that rest on printed numbers or on official code turn with the number or the line that
they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import cells, statements
from chunkstudy.published.cells import Fact
from chunkstudy.runs import study_results
from chunkstudy.studies.chroma import claims as chroma
from chunkstudy.studies.jina import claims as jina
from chunkstudy.studies.taxonomy import claims as taxonomy
from chunkstudy.study.claims import Claim, ClaimError, rows

ROOT = Places(Path(__file__).parents[1])
LISTED = statements.read(ROOT)
PUBLISHED = cells.frame(cell for cell in cells.read(ROOT) if cell.work != "mteb")
CODE = cells.facts(ROOT)
LENGTHS = study_results.read(ROOT, "document-lengths", "characters")
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


def values_elsewhere(seed: int) -> pd.DataFrame:
    """Of every table the same numbers, in other cells."""
    draw = np.random.default_rng(seed)
    values = PUBLISHED.groupby(["work", "table"])["value"]
    return PUBLISHED.assign(value=values.transform(lambda one: draw.permutation(one.to_numpy())))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_with_other_printed_numbers_every_claim_that_rests_on_them_turns() -> None:
    """Open ones have nothing that could turn; one appendix is compared cell by cell, see below."""
    left = {claim for work in WORKS for claim in verdicts(work)}
    for published in (*map(values_elsewhere, (0, 4, 9)), PUBLISHED.assign(value=0.0)):
        for claim in (one for claims_of in WORKS.values() for one in claims_of(published, CODE)):
            with suppress(ClaimError):  # such numbers grant the strict reading more
                verdict = " ".join(row["verdict"] for row in rows(LISTED[claim.id], claim))
                if verdict != LEDGER[claim.id]:
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
