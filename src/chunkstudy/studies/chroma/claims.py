"""Claims of Chroma's technical report of July 2024, "Evaluating Chunking Strategies for Retrieval":
those that its own printed tables or its official code decide, and those that no data here can.

The report's first table, of text-embedding-3-large, is its main one; printed numbers are percent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.runs.display_names import shown
from chunkstudy.show.claims import Claim, cited

SUMMARY = "Opening summary"
RESULTS = "Results, after the first table"
MINILM_RESULTS = "Results, after the table with all-MiniLM-L6-v2"
COST, APPENDIX = "Time & Cost Analysis", "Appendix All Results"
RECALL, PRECISION = "SpanRecall@5", "SpanPrecision@5"
OMEGA, IOU = "PrecisionOmega", "SpanIoU@5"
SCORES = [RECALL, PRECISION, OMEGA, IOU]
BESIDE_RECALL = [PRECISION, OMEGA, IOU]
RECURSIVE = ["recursive-800-400", "recursive-400-200", "recursive-400-0", "recursive-200-0"]
KEY = "OPENAI_API_KEY or recordings of "
LARGE = f"{KEY}text-embedding-3-large"
in_print = partial(Claim, basis="published")
in_code = partial(Claim, basis="official code")
LAST = "the experiment {}, last at commit 77595e7b"
"""What decided a claim and went, since nothing else read it."""


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
    yield from summary(main)
    yield from of_recursive_and_token(main)
    yield from of_semantic(main, code["chroma-modified-size"])
    yield from of_other_tables(published)
    yield from of_code(code)


def summary(main: pd.DataFrame) -> Iterator[Claim]:
    """What the report's summary says of its main table."""
    scores, recall = main[SCORES], main[RECALL]
    over_mean = scores - scores.mean()
    ratio, gap = 100 * (recall.max() / recall.min() - 1), recall.max() - recall.min()
    yield in_print(
        "C01", SUMMARY,
        "The choice of chunker matters: some have up to 9% more recall than others.",
        fair={"a ratio that begins with 9 percent": 9 <= ratio < 10},
        strict={"9 points of recall": round(gap) == 9},
        numbers=f"highest over lowest recall {ratio:.1f}%; highest minus lowest {gap:.1f} points",
    )  # fmt: skip
    # The sentence says "certain" and "can": a default below the mean on every measure does.
    defaults = over_mean.loc[["token-800-400", "kamradt"]].max(axis=1)
    yield in_print(
        "C08", SUMMARY, "Default settings of popular chunkers can do relatively poorly.",
        fair=(defaults < 0).any(),
        numbers=f"best margin over the mean, points: {listed(defaults, '+.2f')}",
    )  # fmt: skip
    above = (over_mean.loc[RECURSIVE] > 0).sum(axis=1)
    yield in_print(
        "C09", SUMMARY, "The recursive splitter often does well once its parameters are chosen.",
        fair=(above > 2).any(),
        numbers=f"of 4 measures above the mean: {listed(above, 'd')}",
    )  # fmt: skip


def of_recursive_and_token(main: pd.DataFrame) -> Iterator[Claim]:
    """What the report says of recursive chunks and token windows in its main table."""
    scores, recall = main[SCORES], main[RECALL]
    row = scores.T["recursive-200-0"]
    over_mean, over_middle = row - scores.mean(), row - scores.median()
    yield in_print(
        "C10", RESULTS, "Recursive 200 without overlap is consistently high on every measure.",
        fair={"above the mean on every measure": (over_mean > 0).all()},
        strict={"above the middle row of every measure": (over_middle > 0).all()},
        numbers=f"over the mean, points: {listed(over_mean, '+.2f')}; over the middle row: "
        f"{listed(over_middle, '+.1f')}",
    )  # fmt: skip
    lead = pd.DataFrame(
        {
            size: scores.loc[f"recursive-{size}"] - scores.loc[f"token-{size}"]
            for size in ("400-0", "200-0", "800-400", "400-200")
        }
    ).T
    lowest = lead.min(axis=1)
    apart, overlapping = lowest[["400-0", "200-0"]], lowest[["800-400", "400-200"]]
    numbers = "recursive minus token windows where it is lowest, points: "
    yield in_print(
        "C11", RESULTS,
        "Up to 400 tokens without overlap, recursive beats token windows on every measure.",
        fair=(apart > 0).all(),
        numbers=numbers + listed(apart, "+.1f"),
    )  # fmt: skip
    yield in_print(
        "C12", RESULTS,
        "With larger chunks and overlap, recursive no longer beats token windows on every measure.",
        fair=(overlapping <= 0).all(),
        numbers=numbers + listed(overlapping, "+.1f"),
    )  # fmt: skip
    iou = main[IOU]
    change = pd.Series(
        {name: iou[f"{name}-400-0"] - iou[f"{name}-400-200"] for name in ("recursive", "token")}
    )
    yield in_print(
        "C13", RESULTS, "Less overlap improves IoU, which charges for redundancy.",
        fair={"IoU rises on average and never falls": (change >= 0).all() and change.mean() > 0},
        strict={"IoU rises for both chunkers": (change > 0).all()},
        numbers=f"change at 400 tokens, points: {listed(change, '+.1f')}",
    )  # fmt: skip
    openai = main.T["token-800-400"]
    below = (recall.mean() - openai[RECALL]) / (recall.mean() - recall.min())
    lowest_of_all = scores.idxmin() == "token-800-400"
    yield in_print(
        "C14", RESULTS,
        "OpenAI's default (800 tokens, 400 overlap) has slightly less recall than average and the "
        "lowest score on everything else.",
        fair={
            "recall slightly below average: nearer to the mean than to the lowest row":
            0 < below < 0.5,
            "the lowest score on everything else": lowest_of_all[BESIDE_RECALL].all(),
        },
        numbers=f"{below:.0%} of the way from the mean to the lowest recall; lowest of "
        f"{len(main)} rows on {lowest_of_all.sum()} of 4 measures",
    )  # fmt: skip
    steps = {
        "recursive to 800": recall["recursive-800-400"] - recall["recursive-400-200"],
        "recursive to 200": recall["recursive-200-0"] - recall["recursive-400-0"],
        "token windows to 800": recall["token-800-400"] - recall["token-400-200"],
        "token windows to 200": recall["token-200-0"] - recall["token-400-0"],
    }
    change = pd.Series(steps)
    yield in_print(
        "C24", "Results, between its two tables",
        "Recall may peak at a chunk size: larger chunks dilute what is relevant, smaller ones lack "
        "context.",
        fair={"in the main table recall falls on both sides of 400 tokens": (change < 0).all()},
        strict={"in a series of at least three sizes, all else equal, a middle one has the highest "
                "recall": None},
        numbers=f"change of recall from 400 tokens, points: {listed(change, '+.1f')}; printed "
        "series have at most 2 sizes with one overlap",
        needs="records of token windows without overlap in at least three sizes: " + LARGE,
    )  # fmt: skip


def of_semantic(main: pd.DataFrame, size_in_code: Fact) -> Iterator[Claim]:
    """What the report says of cluster, the LLM chunker and Kamradt's in its main table."""
    scores, recall = main[SCORES], main[RECALL]
    rank = scores.rank(ascending=False, method="min").astype(int)
    yield in_print(
        "C15", RESULTS, "Cluster at 400 tokens has the second highest recall, 0.913.",
        fair=rank[RECALL]["cluster-400"] == 2 and recall["cluster-400"] == 91.3,
        numbers=f"rank {rank[RECALL]['cluster-400']} of {len(main)}, "
        f"{recall['cluster-400']:.1f}%",
    )  # fmt: skip
    cluster, llm = rank.T["cluster-200"], rank.T["llm"]
    yield in_print(
        "C16", RESULTS,
        "Cluster at 200 tokens has average recall and the highest precision, precision Ω and IoU.",
        fair={
            "average recall": 4 <= cluster[RECALL] <= 10,
            "the highest of the other measures": (cluster[BESIDE_RECALL] == 1).all(),
        },
        numbers=f"rank of {len(main)}: {listed(cluster, 'd')}",
    )  # fmt: skip
    yield in_print(
        "C17", RESULTS, "The LLM chunker has the highest recall, 0.919.",
        fair=llm[RECALL] == 1 and recall["llm"] == 91.9,
        numbers=f"rank {llm[RECALL]} of {len(main)}, {recall['llm']:.1f}%",
    )  # fmt: skip
    yield in_print(
        "C18", RESULTS, "Apart from recall the LLM chunker's scores are average.",
        fair=llm[BESIDE_RECALL].between(4, 10).all(),
        numbers=f"rank of {len(main)}: {listed(llm[BESIDE_RECALL], 'd')}",
    )  # fmt: skip
    before, after = main.T["kamradt"], main.T["kamradt-modified-300"]
    mean = scores.mean()
    against = 100 * (before[SCORES] / mean - 1)
    part = (mean - before[SCORES]) / (mean - scores.min())
    yield in_print(
        "C19", RESULTS,
        "Kamradt's chunker with default settings is slightly below average on every measure.",
        fair={"below the mean on every measure": (against < 0).all()},
        strict={"below the mean, yet nearer to it than to the lowest row":
                ((part > 0) & (part < 0.5)).all()},
        numbers=f"against the mean, percent: {listed(against, '+.0f')}; of the way from the mean "
        f"to the lowest row: {listed(part, '.0%')}",
    )  # fmt: skip
    gain = 100 * (after[SCORES] / before[SCORES] - 1)
    multiple = gain[BESIDE_RECALL] / gain[RECALL]
    yield in_print(
        "C20", RESULTS,
        "The modified Kamradt chunker raises recall to 0.871 and the other measures similarly.",
        fair={"every measure rises": (gain > 0).all()},
        strict={
            "recall rises to 0.871": after[RECALL] == 87.1 and gain[RECALL] > 0,
            "the other measures rise by as many percent, within a factor of 2":
            multiple.between(0.5, 2).all(),
        },
        numbers=f"recall {after[RECALL]:.1f}%; change, percent: {listed(gain, '+.0f')}",
    )  # fmt: skip
    yield in_print(
        "C21", RESULTS,
        "With the modification recall rises although chunks get shorter on average.",
        fair={
            "recall rises": after[RECALL] > before[RECALL],
            "chunks get shorter": after["chunk size"] < before["chunk size"],
        },
        numbers=f"recall {before[RECALL]:.1f}% to {after[RECALL]:.1f}%; mean size "
        f"{before['chunk size']:.0f} to {after['chunk size']:.0f} tokens",
    )  # fmt: skip
    # Where the mean is above a limit, so is the largest.
    yield in_print(
        "C22", "KamradtModifiedChunker",
        "The modified Kamradt chunker keeps its largest chunk below the length asked for.",
        fair=after["chunk size"] < 300 and size_in_code.value == "largest",
        numbers=f"length 300 asked for, mean size {after['chunk size']:.0f}; {cited(size_in_code)}",
    )  # fmt: skip


def of_other_tables(published: pd.DataFrame) -> Iterator[Claim]:
    """What the report says of its table with all-MiniLM-L6-v2 and of its appendix."""
    recall = means(published, "minilm")[RECALL]
    margin = recall[["cluster-250", "cluster-200"]] - recall.mean()
    yield in_print(
        "C28", MINILM_RESULTS, "With MiniLM, cluster's recall is slightly below average.",
        fair=(margin < 0).all(),
        numbers=f"against the mean, points: {listed(margin, '+.2f')}",
    )  # fmt: skip
    own = published[
        (published["table"] == "appendix")
        & (published["statistic"] == "mean")
        & published["measure"].isin(SCORES)
    ]
    by_corpus = own[own["part"] != "all"]
    cells = by_corpus.groupby(["encoder", "part", "measure"])["value"]
    margin = by_corpus["value"] - cells.transform("median")
    above = margin[by_corpus["chunker"].str.startswith("cluster")] > 0
    yield in_print(
        "C54", "Conclusion", "Cluster is consistently strong across the evaluation.",
        fair={"both sizes above the middle row in most corpora and measures with both models":
              above.mean() > 0.5},
        strict={"both sizes above the middle row in every one": above.all()},
        numbers=f"{above.sum()} of {len(above)} cells of the appendix",
    )  # fmt: skip
    keys = ["encoder", "chunker", "measure", "statistic"]
    tables = published[published["table"] != "appendix"]
    again = published[(published["table"] == "appendix") & (published["part"] == "all")]
    both = again.merge(tables, on=keys, suffixes=("", " before"))
    same = both["published"] == both["published before"]
    furthest = both.iloc[int((both["value"] - both["value before"]).abs().argmax())]
    names = ", ".join(shown(one, furthest[one]) for one in ("chunker", "measure"))
    yield in_print(
        "X05", APPENDIX, "The appendix holds all results, those of the two tables among them.",
        fair=same.all(),
        numbers=f"{same.sum()} of {len(same)} numbers are the same; furthest {names}: "
        f"{furthest['published before']} and {furthest['published']}",
    )  # fmt: skip


def of_code(code: Mapping[str, Fact]) -> Iterator[Claim]:
    """What the report says its measures and prompts do, beside what the official code does."""
    union, unit = code["chroma-iou-denominator"], code["chroma-unit"]
    yield in_code(
        "C35", "Metrics, formula of IoU",
        "IoU counts a token again for every retrieved chunk that holds it.",
        fair=union.value == "sum of retrieved plus missed",
        numbers=cited(union),
    )  # fmt: skip
    yield in_code(
        "C38", "Metrics", "The measures count tokens.",
        fair={"they count pieces of text that are smaller than chunks":
              unit.value in ("token", "word", "character")},
        strict={"the official numbers count tokens": unit.value == "token"},
        numbers=cited(unit),
    )  # fmt: skip
    sampled, forbidden = code["chroma-earlier-questions"], code["chroma-and-forbidden"]
    yield in_code(
        "C40", "Dataset Generation",
        "The prompt holds a random sample of up to 50 earlier questions.",
        fair=float(sampled.value) == 50,
        numbers=cited(sampled),
    )  # fmt: skip
    yield in_code(
        "C41", "Dataset Generation",
        'The prompt asks for questions that do not join two things by "and".',
        fair=forbidden.value == "forbidden",
        numbers=cited(forbidden),
    )  # fmt: skip


def waiting() -> Iterator[Claim]:
    """The claims that nothing at hand decides, with what would."""
    large = f"{KEY}text-embedding-3-large, which filtered and retrieved"
    alike = "the order of chunkers agrees as well as between random thirds of the queries"
    steady = "recall does not depend on how alike a question and its excerpts are: |r| below 0.1"
    yield Claim(
        "C44", "Dataset Prefiltering",
        "The bias of that filter is negligible, since several embedding models are evaluated.",
        fair={alike: None}, strict={steady: None}, needs=large,
    )  # fmt: skip
    for id, place, sentence, needs in (
        ("C23", "Results, first table, row KamradtMod",
         "The modified Kamradt chunker at 300 gives chunks of 397 tokens on average.", LARGE),
        ("C45", COST, "The base prompt has 703 cl100k tokens.", LAST.format("printed-texts")),
        ("C46", COST, "A question costs about $0.01, a thousand about $10.",
         "the vendor's price list of July 2024"),
        ("C48", "RecursiveCharacterTextSplitter & TokenTextSplitter",
         "LangChain's own separators commonly give very short chunks, so others were chosen.",
         LAST.format("separators")),
        ("C49", "KamradtSemanticChunker",
         "A percentile threshold is relative, so larger corpora can get larger chunks.",
         LAST.format("percentile-threshold")),
        ("C52", "LLMSemanticChunker",
         "GPT-4o and Llama 3 8B answer consistently in the form asked for.",
         f"{KEY}gpt-4o, from which the boundaries come"),
    ):  # fmt: skip
        yield Claim(id, place, sentence, needs=needs)
