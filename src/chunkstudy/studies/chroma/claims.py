"""Claims of Chroma's technical report of July 2024, "Evaluating Chunking Strategies for Retrieval",
that its own printed tables or its official code decide.

The report's first table, of text-embedding-3-large, is its main one; printed numbers are percent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.study.claims import Claim, cited, coded, share
from chunkstudy.study.titles import shown

RECALL, PRECISION = "SpanRecall@5", "SpanPrecision@5"
OMEGA, IOU = "PrecisionOmega", "SpanIoU@5"
SCORES = [RECALL, PRECISION, OMEGA, IOU]
BESIDE_RECALL = [PRECISION, OMEGA, IOU]
RECURSIVE = ["recursive-800-400", "recursive-400-200", "recursive-400-0", "recursive-200-0"]


def means(published: pd.DataFrame, table: str) -> pd.DataFrame:
    """The printed means of a table, over all corpora: a row a chunker and a column a measure."""
    own = published[
        (published["table"] == table)
        & (published["statistic"] == "mean")
        & (published["part"] == "all")
    ]
    return own.pivot(index="chunker", columns="measure", values="value")


def listed(numbers: pd.Series, form: str) -> str:
    """Numbers by what readers call them: ``Precision Ω (+13.95), ...``."""
    name = str(numbers.index.name)
    return ", ".join(f"{shown(name, key)} ({value:{form}})" for key, value in numbers.items())


def printed(published: pd.DataFrame, code: Mapping[str, Fact]) -> Iterator[Claim]:
    """The claims that are arithmetic on the report's printed tables, and those that its official
    code decides.

    Args:
        published: the tables ``main``, ``minilm`` and ``appendix``, a row a number.
        code: what the official code does, by name.
    """
    main = means(published, "main")
    yield from of_recursive_and_token(main)
    yield from of_semantic(main, code["chroma-modified-size"])
    yield from of_other_tables(published)
    yield coded("C35", code["chroma-iou-denominator"], "sum of retrieved plus missed")
    unit = code["chroma-unit"]
    smaller_than_chunks = unit.value in ("token", "word", "character")
    yield Claim("C38", cited(unit), fair=smaller_than_chunks, strict=unit.value == "token")
    yield coded("C40", code["chroma-earlier-questions"], "50")
    yield coded("C41", code["chroma-and-forbidden"], "forbidden")


def of_recursive_and_token(main: pd.DataFrame) -> Iterator[Claim]:
    """What the report says of its main table as a whole, and of recursive chunks and token windows
    there."""
    scores, recall, iou = main[SCORES], main[RECALL], main[IOU]
    over_mean, over_middle = scores - scores.mean(), scores - scores.median()
    ratio, gap = 100 * (recall.max() / recall.min() - 1), recall.max() - recall.min()
    yield Claim("C01", ratio, gap, fair=9 <= ratio < 10, strict=round(gap) == 9)
    # The sentence says "certain" and "can": a default below the mean on every measure does.
    defaults = over_mean.loc[["token-800-400", "kamradt"]].max(axis=1)
    yield Claim("C08", listed(defaults, "+.2f"), fair=(defaults < 0).any())
    above = (over_mean.loc[RECURSIVE] > 0).sum(axis=1)
    yield Claim("C09", listed(above, "d"), fair=(above > 2).any())
    by_mean, by_middle = over_mean.T["recursive-200-0"], over_middle.T["recursive-200-0"]
    yield Claim(
        "C10", listed(by_mean, "+.2f"), listed(by_middle, "+.1f"),
        fair=by_mean > 0, strict=by_middle > 0,
    )  # fmt: skip
    lead = {
        size: (scores.loc[f"recursive-{size}"] - scores.loc[f"token-{size}"]).min()
        for size in ("400-0", "200-0", "800-400", "400-200")
    }
    apart, overlapping = pd.Series(lead)[:2], pd.Series(lead)[2:]
    yield Claim("C11", listed(apart, "+.1f"), fair=apart > 0)
    yield Claim("C12", listed(overlapping, "+.1f"), fair=overlapping <= 0)
    kinds = ("recursive", "token")
    change = pd.Series({name: iou[f"{name}-400-0"] - iou[f"{name}-400-200"] for name in kinds})
    yield Claim(
        "C13", listed(change, "+.1f"),
        fair=(change >= 0).all() and change.mean() > 0, strict=change > 0,
    )  # fmt: skip
    # Slightly below average is nearer to the mean than to the lowest row.
    below = (recall.mean() - recall["token-800-400"]) / (recall.mean() - recall.min())
    lowest_of_all = scores.idxmin() == "token-800-400"
    yield Claim(
        "C14", below, len(main), share(lowest_of_all),
        fair=[0 < below < 0.5, lowest_of_all[BESIDE_RECALL]],
    )  # fmt: skip
    change = pd.Series(
        {
            "recursive to 800": recall["recursive-800-400"] - recall["recursive-400-200"],
            "recursive to 200": recall["recursive-200-0"] - recall["recursive-400-0"],
            "token windows to 800": recall["token-800-400"] - recall["token-400-200"],
            "token windows to 200": recall["token-200-0"] - recall["token-400-0"],
        }
    )
    yield Claim("C24", listed(change, "+.1f"), fair=change < 0)


def of_semantic(main: pd.DataFrame, size_in_code: Fact) -> Iterator[Claim]:
    """What the report says of cluster, the LLM chunker and Kamradt's in its main table."""
    scores, recall = main[SCORES], main[RECALL]
    rank = scores.rank(ascending=False, method="min").astype(int).T
    for id, chunker, place, score in (("C15", "cluster-400", 2, 91.3), ("C17", "llm", 1, 91.9)):
        numbers = placed, _, stated = rank[chunker][RECALL], len(main), recall[chunker]
        yield Claim(id, *numbers, fair=placed == place and stated == score)
    # The middle seven rows of thirteen are average.
    average = rank.isin(range(4, 11)).T
    cluster, llm = rank["cluster-200"], rank["llm"][BESIDE_RECALL]
    placed = [average[RECALL]["cluster-200"], cluster[BESIDE_RECALL] == 1]
    yield Claim("C16", len(main), listed(cluster, "d"), fair=placed)
    yield Claim("C18", len(main), listed(llm, "d"), fair=average.loc["llm", BESIDE_RECALL])
    before, after, mean = main.T["kamradt"], main.T["kamradt-modified-300"], scores.mean()
    against = 100 * (before[SCORES] / mean - 1)
    part = (mean - before[SCORES]) / (mean - scores.min())
    yield Claim(
        "C19", listed(against, "+.0f"), listed(part, ".0%"),
        fair=against < 0, strict=(part > 0) & (part < 0.5),
    )  # fmt: skip
    gain = 100 * (after[SCORES] / before[SCORES] - 1)
    rises, alike = gain[RECALL] > 0, (gain[BESIDE_RECALL] / gain[RECALL]).between(0.5, 2)
    yield Claim(
        "C20", after[RECALL], listed(gain, "+.0f"),
        fair=gain > 0, strict=[after[RECALL] == 87.1 and rises, alike],
    )  # fmt: skip
    size, size_before = after["chunk size"], before["chunk size"]
    yield Claim(
        "C21", before[RECALL], after[RECALL], size_before, size, fair=[rises, size < size_before]
    )
    # Where the mean is above a limit, so is the largest.
    largest = size < 300 and size_in_code.value == "largest"
    yield Claim("C22", size, cited(size_in_code), fair=largest)


def of_other_tables(published: pd.DataFrame) -> Iterator[Claim]:
    """What the report says of its table with all-MiniLM-L6-v2 and of its appendix."""
    recall = means(published, "minilm")[RECALL]
    margin = recall[["cluster-250", "cluster-200"]] - recall.mean()
    yield Claim("C28", listed(margin, "+.2f"), fair=margin < 0)
    appendix = published[published["table"] == "appendix"]
    by_corpus = appendix[
        (appendix["statistic"] == "mean")
        & appendix["measure"].isin(SCORES)
        & (appendix["part"] != "all")
    ]
    cells = by_corpus.groupby(["encoder", "part", "measure"])["value"]
    margin = by_corpus["value"] - cells.transform("median")
    above = margin[by_corpus["chunker"].str.startswith("cluster")] > 0
    yield Claim("C54", share(above), fair=above.mean() > 0.5, strict=above)
    keys = ["encoder", "chunker", "measure", "statistic"]
    tables = published[published["table"] != "appendix"]
    both = appendix[appendix["part"] == "all"].merge(tables, on=keys, suffixes=("", " before"))
    same = both["published"] == both["published before"]
    furthest = both.iloc[int((both["value"] - both["value before"]).abs().argmax())]
    names = ", ".join(shown(kind, furthest[kind]) for kind in ("chunker", "measure"))
    yield Claim(
        "X05", share(same), names, furthest["published before"], furthest["published"], fair=same
    )
