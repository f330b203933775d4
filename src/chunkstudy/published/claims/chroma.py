"""Claims of Chroma's technical report of July 2024, "Evaluating Chunking Strategies for Retrieval",
restated.

The report's first table (text-embedding-3-large) is its main one; published numbers are percent.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from chunkstudy.published.claims import chroma_computed as computed
from chunkstudy.published.claims.evidence import Evidence
from chunkstudy.published.claims.ledger import (
    Claims,
    Readings,
    fair,
    plain,
    strict,
)
from chunkstudy.published.claims.numbers import (
    correlation,
    listed,
    over,
    percent_over,
    pick,
    spread,
    stated,
    together,
    without,
)
from chunkstudy.published.claims.outcomes import (
    Outcome,
    counted,
    decide,
    in_parts,
    jointly,
    unanswered,
)
from chunkstudy.published.claims.predicates import (
    beyond,
    code,
    equal,
    every,
    most,
    once,
    ranked,
    reproduced,
    some,
    within,
)
from chunkstudy.published.sources import chroma_minilm
from chunkstudy.runs.conditions import LARGE, NONE
from chunkstudy.runs.display_names import shown

WORK = Claims("chroma", (LARGE,))
claim = WORK.claim

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
CORPORA, OVERLAP = "chroma_1_corpora_and_queries", "chroma_2_token_overlap"
SUMMARY, FIRST_TABLE = "Opening summary", "First table"
RESULTS = "Results, after the first table"
MINILM_RESULTS = "Results, after the table with all-MiniLM-L6-v2"
SPLITTERS = "RecursiveCharacterTextSplitter & TokenTextSplitter"
COST, FILTERED = "Time & Cost Analysis", "Generation & Prefiltering, table of corpora"
RECALL, PRECISION = "SpanRecall@5", "SpanPrecision@5"
OMEGA, IOU = "PrecisionOmega", "SpanIoU@5"
RECURSIVE = ["recursive-800-400", "recursive-400-200", "recursive-400-0", "recursive-200-0"]
TOKEN = ["token-800-400", "token-400-200", "token-400-0", "token-200-0"]
CLUSTER = ["cluster-400", "cluster-200"]
KEY = "OPENAI_API_KEY: the boundaries come from gpt-4o"
PAST_DOCUMENT = "a vendor's document of a past day, which no run of ours can give"


def main(evidence: Evidence, *measures: str) -> Any:
    """Means of the main table by chunker and measure."""
    keep = list(measures) or [RECALL, PRECISION, OMEGA, IOU]
    return evidence.cells("chroma/main", "chunker", "measure", statistic="mean", measure=keep)


def recall(evidence: Evidence) -> Any:
    """Recall in the main table."""
    return pick(main(evidence), measure=RECALL)


def change(numbers: Any, after: str, before: str) -> Any:
    """One row minus another."""
    return pick(numbers, chunker=after) - pick(numbers, chunker=before)


def over_mean(numbers: Any) -> Any:
    """Each row minus the mean over the rows, in points."""
    return numbers - over(numbers, "chunker").mean()


def over_median(numbers: Any) -> Any:
    """Each row minus the middle row, in points."""
    return numbers - over(numbers, "chunker").median()


def below_mean_in_part(numbers: Any) -> Any:
    """Each row's place between the mean, 0, and the lowest row, 1."""
    mean = over(numbers, "chunker").mean()
    return (mean - numbers) / (mean - over(numbers, "chunker").min())


def recursive_over_token(numbers: Any, *sizes: str) -> Any:
    """Recursive chunks minus token windows, in points, by size and overlap."""
    return together("size", {n: change(numbers, f"recursive-{n}", f"token-{n}") for n in sizes})


def less_overlap(numbers: Any) -> Any:
    """Change of IoU at 400 tokens without overlap, in points."""
    iou = pick(numbers, measure=IOU)
    names = ("recursive", "token")
    return together("chunker", {n: change(iou, f"{n}-400-0", f"{n}-400-200") for n in names})


def minilm_recall(evidence: Evidence) -> Any:
    """Recall in the table with all-MiniLM-L6-v2."""
    return evidence.cells("chroma/minilm", "chunker", measure=RECALL, statistic="mean")


def minilm_cell(evidence: Evidence, chunker: str) -> Outcome:
    """Does the recall of a row with all-MiniLM-L6-v2 come out again?"""
    return reproduced(evidence, "chroma/minilm", measure=RECALL, statistic="mean", chunker=chunker)


def appendix(evidence: Evidence, encoder: str) -> Any:
    """The appendix at five chunks over all corpora, means by chunker and measure."""
    return evidence.cells(
        "chroma/appendix", "chunker", "measure",
        encoder=encoder, part="all", statistic="mean", measure=[RECALL, PRECISION, OMEGA, IOU],
    )  # fmt: skip


def tokens(evidence: Evidence) -> Any:
    """cl100k tokens of each corpus."""
    return evidence.facts("chroma_counts", "part", value="tokens")


def queries(evidence: Evidence) -> Any:
    """Queries of each corpus."""
    return evidence.facts("chroma_counts", "part", value="queries")


def questions(evidence: Evidence, value: str) -> float:
    """A count over the generated questions."""
    return evidence.study("questions/counts", value=value)


def by_growth(evidence: Evidence, value: str) -> Any:
    """A size with the whole corpus minus that with its first tenth, in tokens."""
    whole, tenth = (
        evidence.study("percentile-threshold", "part", value=value, share=share)
        for share in ("100%", "10%")
    )
    return whole - tenth


@claim("C01", SUMMARY, OVERLAP)
def choice_of_chunker_matters(evidence: Evidence) -> Readings:
    """The choice of chunker matters: some have up to 9% more recall than others."""
    found = recall(evidence)
    ratio, gap = percent_over(found.max(), found.min()), spread(found, "chunker")
    nine = every(ratio, "highest over lowest recall", "{:.1f}%", at_least=9, below=10)
    yield fair("a ratio that begins with 9 percent", nine)
    yield strict("9 points of recall", within(gap, 9, 9, "highest minus lowest recall, points:"))


@claim("C02", FIRST_TABLE, CORPORA)
def precision_omega_of_eight_rows(evidence: Evidence) -> Readings:
    """Precision Ω of the eight recursive and token-window rows, means and deviations."""
    found = reproduced(evidence, "chroma/main", measure=OMEGA, chunker=RECURSIVE + TOKEN)
    yield plain(found)


@claim("C03", "First table, column Size", CORPORA)
def mean_sizes_of_recursive_chunks(evidence: Evidence) -> Readings:
    """Recursive chunks of the main table hold 661, 312, 276 and 137 tokens on average."""
    found = reproduced(evidence, "chroma/main", measure="chunk size", chunker=RECURSIVE)
    yield plain(found)


@claim("C04", "Corpora", CORPORA)
def tokens_of_the_corpora(evidence: Evidence) -> Readings:
    """The five corpora hold 10,444, 26,649, 7,727, 166,177 and 117,211 cl100k tokens."""
    told = {
        "state_of_the_union": 10444, "wikitexts": 26649, "chatlogs": 7727, "finance": 166177,
        "pubmed": 117211,
    }  # fmt: skip
    yield plain(equal(tokens(evidence), stated(told, "part"), form="{:.0f}"))


@claim("C05", f"{FILTERED}, last row", CORPORA)
def tokens_and_queries_together(evidence: Evidence) -> Readings:
    """Together the corpora hold 328,208 tokens and 472 queries."""
    all_tokens, all_queries = (one(evidence).sum(min_count=1) for one in (tokens, queries))
    parts = {
        "tokens": equal(all_tokens, 328208, "tokens", "{:.0f}"),
        "queries": equal(all_queries, 472, "queries", "{:.0f}"),
    }
    yield plain(in_parts(parts))


@claim("C06", FILTERED, CORPORA)
def queries_of_the_corpora(evidence: Evidence) -> Readings:
    """The corpora have 76, 144, 56, 97 and 99 queries."""
    told = {
        "state_of_the_union": 76, "wikitexts": 144, "chatlogs": 56, "finance": 97, "pubmed": 99,
    }  # fmt: skip
    yield plain(equal(queries(evidence), stated(told, "part"), form="{:.0f}"))


@claim("C07", "Appendix All Results, last caption", CORPORA)
def caption_counts_474_queries(evidence: Evidence) -> Readings:
    """The dataset has 474 queries (a caption; the table says 472)."""
    found = equal(queries(evidence).sum(min_count=1), 474, "queries in the file:", "{:.0f}")
    yield plain(found)


@claim("C08", SUMMARY, OVERLAP)
def default_settings_can_do_poorly(evidence: Evidence) -> Readings:
    """Default settings of popular chunkers can do relatively poorly."""
    # The sentence says "certain" and "can": one default below the mean on every measure does.
    margins = pick(over_mean(main(evidence)), chunker=["token-800-400", "kamradt"])
    label = "rows; best margin over the mean, points:"
    yield plain(some(over(margins, "measure").max(), label, "{:+.2f}", below=0))


@claim("C09", SUMMARY, OVERLAP)
def recursive_often_does_well(evidence: Evidence) -> Readings:
    """The recursive splitter often does well once its parameters are chosen."""
    above = over(1.0 * (pick(over_mean(main(evidence)), chunker=RECURSIVE) > 0), "measure").sum()
    yield plain(some(above, "settings; of 4 measures above the mean", "{:.0f}", above=2))


@claim("C10", RESULTS, OVERLAP)
def recursive_200_is_consistently_high(evidence: Evidence) -> Readings:
    """Recursive 200 without overlap is consistently high on every measure."""
    mean, middle = (
        pick(margin(main(evidence)), chunker="recursive-200-0")
        for margin in (over_mean, over_median)
    )
    above_mean = every(mean, "points over the mean:", "{:+.2f}", above=0)
    above_middle = every(middle, "points over the middle row:", "{:+.1f}", above=0)
    yield fair("above the mean on every measure", above_mean)
    yield strict("above the middle row of every measure", above_middle)


@claim("C11", RESULTS, OVERLAP)
def recursive_beats_tokens_without_overlap(evidence: Evidence) -> Readings:
    """Up to 400 tokens without overlap, recursive beats token windows on every measure."""
    leads = recursive_over_token(main(evidence), "400-0", "200-0")
    found = every(leads, "recursive minus token, points:", "{:+.1f}", above=0)
    # The table with the other model comes later in the text and is not spoken of here.
    other = recursive_over_token(minilm_recall(evidence.beside), "250-125", "250-0", "200-0")
    label = "all-MiniLM-L6-v2, published recall, points:"
    yield plain(found, witness=listed(other, label, "{:+.1f}"))


@claim("C12", RESULTS, OVERLAP)
def recursive_no_longer_beats_tokens_with_overlap(evidence: Evidence) -> Readings:
    """With larger chunks and overlap, recursive no longer beats token windows on every measure."""
    lowest = over(recursive_over_token(main(evidence), "800-400", "400-200"), "measure").min()
    yield plain(every(lowest, "recursive minus token at its lowest, points:", "{:+.1f}", at_most=0))


@claim("C13", RESULTS, OVERLAP)
def less_overlap_improves_iou(evidence: Evidence) -> Readings:
    """Less overlap improves IoU, which charges for redundancy."""
    changes = less_overlap(main(evidence))
    label = "change of IoU, points:"
    never_falls = every(changes, label, "{:+.1f}", at_least=0)
    on_average = every(changes.mean(), "on average", "{:+.2f}", above=0)
    rises = every(changes, label, "{:+.1f}", above=0)
    again = less_overlap(appendix(evidence, LARGE))
    beside = listed(again, "the appendix gives these rows again:", "{:+.1f}")
    records = computed.difference_of_records(
        evidence.of_any_model, "recursive-250-0", "recursive-250-125", IOU
    )
    yield fair("IoU rises on average and never falls", jointly(never_falls, on_average), beside)
    yield strict("IoU rises for both chunkers", rises, beside, witness=records)


@claim("C14", RESULTS, OVERLAP)
def default_of_openai_is_low(evidence: Evidence) -> Readings:
    """OpenAI's default (800 tokens, 400 overlap) has slightly less recall than average and the
    lowest score on everything else."""
    part = pick(below_mean_in_part(recall(evidence)), chunker="token-800-400")
    rest = without(main(evidence), measure=RECALL)
    parts = {
        "recall slightly below average: nearer to the mean than to the lowest row": every(
            part, "of the way from the mean to the lowest row", "{:.0%}", above=0, below=0.5
        ),
        "the lowest score on everything else": ranked(rest, "token-800-400", first=13, last=13),
    }
    yield plain(in_parts(parts))


@claim("C15", RESULTS, OVERLAP)
def cluster_400_has_second_highest_recall(evidence: Evidence) -> Readings:
    """Cluster at 400 tokens has the second highest recall, 0.913."""
    found = recall(evidence)
    value = equal(pick(found, chunker="cluster-400"), 91.3, "recall")
    yield plain(jointly(ranked(found, "cluster-400", first=2, last=2), value))


@claim("C16", RESULTS, OVERLAP)
def cluster_200_is_best_apart_from_average_recall(evidence: Evidence) -> Readings:
    """Cluster at 200 tokens has average recall and the highest precision, precision Ω and IoU."""
    parts = {
        "average recall": ranked(recall(evidence), "cluster-200", first=4, last=10),
        "the highest of the other measures": ranked(
            without(main(evidence), measure=RECALL), "cluster-200", last=1
        ),
    }
    again = without(appendix(evidence.beside, LARGE), measure=RECALL)
    label = "the appendix gives this row again, and minus recursive 200, points:"
    witness = listed(change(again, "cluster-200", "recursive-200-0"), label, "{:+.1f}")
    yield plain(in_parts(parts), witness=witness)


@claim("C17", RESULTS, OVERLAP)
def llm_has_highest_recall(evidence: Evidence) -> Readings:
    """The LLM chunker has the highest recall, 0.919."""
    found = recall(evidence)
    value = equal(pick(found, chunker="llm"), 91.9, "recall")
    again = pick(appendix(evidence.beside, LARGE), measure=RECALL)
    label = "the appendix gives both rows again, the LLM chunker minus Cluster 400, points:"
    witness = listed(change(again, "llm", "cluster-400"), label, "{:+.1f}")
    yield plain(jointly(ranked(found, "llm", last=1), value), witness=witness)


@claim("C18", RESULTS, OVERLAP)
def llm_is_average_apart_from_recall(evidence: Evidence) -> Readings:
    """Apart from recall the LLM chunker's scores are average."""
    found = ranked(without(main(evidence), measure=RECALL), "llm", first=4, last=10)
    yield plain(found)


@claim("C19", RESULTS, OVERLAP)
def kamradt_is_slightly_below_average(evidence: Evidence) -> Readings:
    """Kamradt's chunker with default settings is slightly below average on every measure."""
    found = main(evidence)
    against = pick(percent_over(found, over(found, "chunker").mean()), chunker="kamradt")
    below = every(against, "against the mean:", "{:+.0f}%", below=0)
    row = pick(below_mean_in_part(found), chunker="kamradt")
    nearer = every(row, "of the way from the mean to the lowest row", "{:.0%}", above=0, below=0.5)
    yield fair("below the mean on every measure", below)
    yield strict("below the mean, yet nearer to it than to the lowest row", nearer)


@claim("C20", RESULTS, OVERLAP)
def modified_kamradt_raises_all_measures(evidence: Evidence) -> Readings:
    """The modified Kamradt chunker raises recall to 0.871 and the other measures similarly."""
    before, after = (pick(main(evidence), chunker=n) for n in ("kamradt", "kamradt-modified-300"))
    gain = percent_over(after, before)
    of_recall = pick(gain, measure=RECALL)
    multiple = without(gain, measure=RECALL) / of_recall
    rises = every(of_recall, "change", "{:+.0f}%", above=0)
    alike = every(multiple, "change as a multiple of recall's:", "{:.1f}", at_least=0.5, at_most=2)
    parts = {
        "recall rises to 0.871": jointly(equal(pick(after, measure=RECALL), 87.1, "recall"), rises),
        "a similar boost of the other measures": alike,
    }
    meaning = "the other measures rise by as many percent, within a factor of 2"
    yield fair("every measure rises", every(gain, "change:", "{:+.0f}%", above=0))
    yield strict(meaning, in_parts(parts))


@claim("C21", RESULTS, OVERLAP)
def modified_kamradt_has_shorter_chunks(evidence: Evidence) -> Readings:
    """With the modification recall rises although chunks get shorter on average."""
    names = ("kamradt-modified-300", "kamradt")
    gain, sizes = change(recall(evidence), *names), main(evidence, "chunk size")
    size = change(pick(sizes, measure="chunk size"), *names)
    parts = {
        "recall rises": every(gain, "change, points:", "{:+.1f}", above=0),
        "chunks get shorter": every(size, "change of mean size, tokens:", "{:+.0f}", below=0),
    }
    witness = computed.difference_of_records(evidence.of_any_model, *names, RECALL)
    yield plain(in_parts(parts), witness=witness)


@claim("C22", "KamradtModifiedChunker", OVERLAP, models="any")
def modified_kamradt_keeps_its_limit(evidence: Evidence) -> Readings:
    """The modified Kamradt chunker keeps its largest chunk below the length asked for."""
    # An algorithm's promise: chunks by any model's vectors can break it.
    size = pick(main(evidence, "chunk size"), chunker="kamradt-modified-300", measure="chunk size")
    mean = every(size, "limit 300, published mean size", "{:.0f}", below=300)
    largest = computed.largest_chunk_is_below(evidence, "kamradt-modified-300", 300)
    yield plain(jointly(mean, largest, code(evidence, "chroma-modified-size", "largest")))


@claim("C23", "Results, first table, row KamradtMod", OVERLAP)
def modified_kamradt_has_397_tokens(evidence: Evidence) -> Readings:
    """The modified Kamradt chunker at 300 gives chunks of 397 tokens on average."""
    name = "kamradt-modified-300"
    found = reproduced(evidence, "chroma/main", measure="chunk size", chunker=name)
    record = evidence.of_any_model.record(chroma_minilm(name))
    mean = record and f"all-MiniLM-L6-v2, mean {record.run.sizes['cl100k'].mean:.1f} tokens"
    yield plain(found, witness=mean or "")


@claim("C24", "Results, between its two tables", OVERLAP)
def recall_may_peak_at_a_size(evidence: Evidence) -> Readings:
    """Recall may peak at a chunk size: larger chunks dilute what is relevant, smaller ones lack
    context."""
    sizes = ["token-200-0", "token-250-0", "token-400-0"]
    found, everywhere = recall(evidence), evidence.of_any_model
    steps = {
        "recursive to 800": change(found, "recursive-800-400", "recursive-400-200"),
        "recursive to 200": change(found, "recursive-200-0", "recursive-400-0"),
        "token windows to 800": change(found, "token-800-400", "token-400-200"),
        "token windows to 200": change(found, "token-200-0", "token-400-0"),
    }
    yield fair(
        "in the main table recall falls on both sides of 400 tokens",
        every(
            stated(steps, "step"), "change of recall from 400 tokens, points:", "{:+.1f}", below=0
        ),
        witness=computed.difference_of_records(
            everywhere, "recursive-200-0", "recursive-250-0", RECALL
        ),
    )
    peak = once(
        computed.recall_peaks_inside(evidence, sizes),
        "records of token windows without overlap in at least three sizes: OPENAI_API_KEY or "
        "recordings of text-embedding-3-large",
        "published series have at most 2 sizes with one overlap",
    )
    with_minilm = computed.mean_recall(
        everywhere, "chunker", encoder=MINILM.replace("/", "__"), part="all", chunker=sizes
    )
    label = "all-MiniLM-L6-v2, recall of token windows without overlap:"
    yield strict(
        "in a series of at least three sizes, all else equal, a middle one has the highest recall",
        peak,
        witness=listed(with_minilm, label, "{:.3f}"),
    )


@claim("C25", "Results, table with all-MiniLM-L6-v2", OVERLAP, models=(MINILM,))
def recall_with_minilm(evidence: Evidence) -> Readings:
    """Recall of eight rows with all-MiniLM-L6-v2."""
    stack, exact = (
        reproduced(evidence, "chroma/minilm", within_stack=one, measure=RECALL, statistic="mean")
        for one in (True, False)
    )
    yield fair("each within what running the published search again moves it", stack)
    yield strict("each to the published digit", exact)


@claim("C26", "Results, table with all-MiniLM-L6-v2 and its caption", OVERLAP, models=(MINILM,))
def sizes_with_minilm(evidence: Evidence) -> Readings:
    """Recursive chunks of the MiniLM table hold 180, 162 and 128 cl100k tokens on average."""
    told = {"recursive-250-125": 180, "recursive-250-0": 162, "recursive-200-0": 128}
    sizes = [
        known.table(
            "chroma_lengths", "chunker", value=f"size in {value}", **{"length function": by}
        )
        for known, value, by in (
            (evidence, "cl100k", "cl100k"),
            (evidence.beside, "WordPiece with special tokens", "wordpiece-special"),
        )
    ]
    more = sizes[0] - stated(told, "chunker")
    found = every(more, "counted in cl100k minus published:", "{:+.1f}", at_least=0, below=1)
    yield plain(found, listed(sizes[1], "counted in WordPiece with special tokens:", "{:.1f}"))


@claim("C27", MINILM_RESULTS, OVERLAP, models=(MINILM,))
def cluster_is_most_precise_with_minilm(evidence: Evidence) -> Readings:
    """With MiniLM, cluster has the highest precision, precision Ω and IoU."""
    yield plain(computed.leads(evidence, ["cluster-200", "cluster-250"], [PRECISION, OMEGA, IOU]))


@claim("C28", MINILM_RESULTS, OVERLAP, models=(MINILM,))
def cluster_recall_is_below_average_with_minilm(evidence: Evidence) -> Readings:
    """With MiniLM, cluster's recall is slightly below average."""
    rows = pick(over_mean(minilm_recall(evidence)), chunker=["cluster-250", "cluster-200"])
    yield plain(every(rows, "against the mean, points:", "{:+.2f}", below=0))


@claim("C29", MINILM_RESULTS, OVERLAP, models=(MINILM,))
def tokens_with_overlap_lead_with_minilm(evidence: Evidence) -> Readings:
    """With MiniLM, token windows of 250 with 125 overlap have the highest recall, 0.824."""
    row = "token-250-125"
    highest = jointly(
        ranked(minilm_recall(evidence), row, last=1), computed.leads(evidence, [row], [RECALL])
    )
    parts = {"the highest recall": highest, "0.824": minilm_cell(evidence, row)}
    meaning = "as published and in the records, and the published value reproduces"
    yield fair("the highest as published and in the records", highest)
    yield strict(meaning, in_parts(parts))


@claim("C30", MINILM_RESULTS, OVERLAP, models=(MINILM,))
def recall_falls_without_overlap(evidence: Evidence) -> Readings:
    """Without the overlap that recall falls to 0.771."""
    falls = computed.overlap_raises_recall(evidence, ["token"])
    both = in_parts({"recall falls": falls, "to 0.771": minilm_cell(evidence, "token-250-0")})
    yield fair("recall falls", falls)
    yield strict("it falls, and the published value reproduces", both)


@claim("C31", MINILM_RESULTS, OVERLAP, models=(MINILM,))
def overlap_is_necessary_in_small_contexts(evidence: Evidence) -> Readings:
    """With a small context, overlapping chunks are necessary for high recall."""
    highest = computed.leads(evidence, ["token-250-125", "recursive-250-125"], [RECALL])
    meaning = "the highest recall is reached with overlap, and lost without"
    word_for_word = "either loses recall without its overlap, as published and in the records"
    yield fair(meaning, jointly(highest, computed.overlap_raises_recall(evidence, ["token"])))
    yield strict(word_for_word, computed.overlap_raises_recall(evidence, ["token", "recursive"]))


@claim("C32", "Appendix All Results", CORPORA)
def excerpts_need_one_to_three_chunks(evidence: Evidence) -> Readings:
    """The fewest chunks that hold a query's excerpts are usually 1 to 3."""
    few, of = (
        evidence.study(
            "chunks-per-question", "chunker", value=value, protocol="as_published-chroma"
        )
        for value in ("one to three", "questions")
    )
    yield plain(every(few / of, "share of questions with 1 to 3:", "{:.0%}", above=0.5))


@claim(
    "C33", "Appendix All Results, tables with all-MiniLM-L6-v2", OVERLAP, models=(MINILM,)
)  # fmt: skip
def appendix_with_minilm(evidence: Evidence) -> Readings:
    """Recall, precision, precision Ω and IoU of the MiniLM appendix at Min, 5 and 10 chunks, six
    tables."""
    means = reproduced(
        evidence, "chroma/appendix", within_stack=True, encoder=MINILM, statistic="mean"
    )
    digits = reproduced(evidence, "chroma/appendix", encoder=MINILM)
    yield fair("every mean within what running the published search again moves it", means)
    yield strict("every published digit of means and standard deviations", digits)


@claim("C34", "Appendix All Results, tables with text-embedding-3-large", OVERLAP)
def appendix_with_the_large_model(evidence: Evidence) -> Readings:
    """Recall, precision, precision Ω and IoU of the appendix with text-embedding-3-large."""
    yield plain(reproduced(evidence, "chroma/appendix", encoder=LARGE))


@claim("C35", "Metrics, formula of IoU", OVERLAP)
def iou_counts_repeated_tokens(evidence: Evidence) -> Readings:
    """IoU counts a token again for every retrieved chunk that holds it."""
    yield plain(code(evidence, "chroma-iou-denominator", "sum of retrieved plus missed"))


@claim("C36", "Metrics, formula of F1", OVERLAP, models="any")
def f1_is_twice_the_overlap(evidence: Evidence) -> Readings:
    """F1 of precision and recall is twice the overlap over the sum of both lengths."""
    # 2PR/(P+R) against 2|overlap|/(|excerpts|+|retrieved|) in every record, query by query.
    apart = [0.0]
    queries = 0
    for condition, record in evidence.records("chroma"):
        for cut in ("5", "10", "Min") if condition.encoder != NONE else ():
            p, r, f1 = (record.wide[f"Span{name}@{cut}"] for name in ("Precision", "Recall", "F1"))
            harmonic = (2 * p * r / (p + r).where(p + r > 0, 1)).fillna(0)
            apart.append(float((harmonic - f1).abs().max()))
            queries += len(f1)
    figures = f"largest difference {max(apart):.1e} over {queries} scores"
    found = decide(max(apart) <= computed.ROUNDING, figures)
    yield plain(found if queries else unanswered(computed.NO_RECORDS, "0 scores"))


@claim("C37", "Metrics, Precision Ω", OVERLAP, models="any")
def omega_bounds_precision(evidence: Evidence) -> Readings:
    """Precision Ω bounds the token efficiency that perfect recall allows."""
    means, each_query = (computed.omega_bounds_precision(evidence, one) for one in (False, True))
    yield fair("for every chunker on average", means)
    yield strict("for every query", each_query)


@claim("C38", "Metrics", OVERLAP)
def measures_count_tokens(evidence: Evidence) -> Readings:
    """The measures count tokens."""
    pieces = code(evidence, "chroma-unit", "token", "word", "character")
    witness = computed.tokens_against_characters(evidence.of_any_model)
    whole_tokens = code(evidence, "chroma-unit", "token")
    yield fair("they count pieces of text that are smaller than chunks", pieces)
    yield strict("the official numbers count tokens", whole_tokens, witness=witness)


@claim("C39", "Dataset Generation", CORPORA)
def excerpts_are_found_in_full(evidence: Evidence) -> Readings:
    """Only excerpts that are found in full in their corpus are accepted."""
    standing = questions(evidence, "excerpts that stand at their offsets")
    stand = equal(standing, questions(evidence, "excerpts"), "at their offsets")
    twice = evidence.beside.facts(
        "chroma_counts", "part", value="excerpts_that_stand_more_than_once"
    )
    further = listed(twice.sum(min_count=1), "at further places too:", "{:.0f}")
    refused = code(evidence, "chroma-accepted-excerpts", "exact match")
    yield fair("every published excerpt stands at its offset", stand, further)
    yield strict("whatever does not stand there is refused", refused)


@claim("C40", "Dataset Generation", CORPORA)
def prompt_samples_fifty_questions(evidence: Evidence) -> Readings:
    """The prompt holds a random sample of up to 50 earlier questions."""
    sampled = evidence.code_number("chroma-earlier-questions")
    yield plain(equal(sampled, 50, "questions sampled at most by the official code:", "{:.0f}"))


@claim("C41", "Dataset Generation", CORPORA)
def prompt_forbids_and(evidence: Evidence) -> Readings:
    """The prompt asks for questions that do not join two things by "and"."""
    used = questions(evidence.beside, "questions with and outside of names")
    beside = listed(used, "questions that do so all the same:", "{:.0f}")
    yield plain(code(evidence, "chroma-and-forbidden", "forbidden"), beside)


@claim("C42", "Appendix Synthetic Dataset Prompt", CORPORA)
def five_references_at_most(evidence: Evidence) -> Readings:
    """No question has more than five references."""
    at_most = every(questions(evidence, "most excerpts of a question"), "at most", at_most=5)
    single = questions(evidence.beside, "questions of one excerpt")
    yield plain(at_most, listed(single, "questions of one excerpt:"))


@claim("C43", FILTERED, CORPORA)
def dissimilar_questions_were_dropped(evidence: Evidence) -> Readings:
    """Questions less similar to an excerpt than 0.40 to 0.43 were dropped."""
    thresholds = {
        "state_of_the_union": 0.40, "wikitexts": 0.42, "chatlogs": 0.43, "finance": 0.42,
        "pubmed": 0.40,
    }  # fmt: skip
    alike = evidence.study(
        "questions/similarity", "part", "query_id", value="least similar excerpt"
    )
    margin = over(alike, "query_id").min() - stated(thresholds, "part")
    found = once(
        every(margin, "least similarity over the threshold:", "{:+.3f}", at_least=0),
        "OPENAI_API_KEY: the filter used text-embedding-3-large",
        "published thresholds 0.40 to 0.43",
    )
    yield plain(found, witness=computed.least_similarity(evidence.of_any_model))


@claim("C44", "Dataset Prefiltering", OVERLAP)
def filter_has_negligible_bias(evidence: Evidence) -> Readings:
    """The bias of that filter is negligible, since several embedding models are evaluated."""
    needs = (
        "OPENAI_API_KEY: similarities and records of text-embedding-3-large, which filtered and "
        "retrieved"
    )
    order, alone = (
        once(ask(evidence, LARGE), needs, "0 queries with its similarity")
        for ask in (computed.filter_leaves_the_order_alone, computed.filter_leaves_scores_alone)
    )
    witness = computed.filter_with_minilm(evidence.of_any_model)
    meaning = "the order of chunkers agrees as well as between random thirds of the queries"
    word_for_word = (
        "recall does not depend on how alike a question and its excerpts are: |r| below 0.1"
    )
    yield fair(meaning, order, witness=witness)
    yield strict(word_for_word, alone, witness=witness)


@claim("C45", COST, CORPORA)
def base_prompt_has_703_tokens(evidence: Evidence) -> Readings:
    """The base prompt has 703 cl100k tokens."""
    counted = evidence.study("printed-texts/prompt", value="printed prompt tokens")
    yield plain(equal(counted, 703, "tokens of the prompt given in the appendix:", "{:.0f}"))


@claim("C46", COST, CORPORA)
def question_costs_a_cent(_: Evidence) -> Readings:
    """A question costs about $0.01, a thousand about $10."""
    figures = (
        "2,000 tokens in and 200 out for $0.01 imply $3.85 per million tokens in, if a token out "
        "costs three times as much"
    )
    yield plain(beyond("the vendor's price list of July 2024", figures, PAST_DOCUMENT))


@claim("C47", COST, CORPORA)
def question_takes_seconds(_: Evidence) -> Readings:
    """Generating a question takes 3 to 16 seconds."""
    why = "a report of how long a vendor's service took on a past day"
    found = beyond("the authors' log of the day", "3 to 16 seconds stated, 0 measured", why)
    yield plain(found)


@claim("C48", SPLITTERS, CORPORA)
def default_separators_give_short_chunks(evidence: Evidence) -> Readings:
    """LangChain's own separators commonly give very short chunks, so others were chosen."""
    short, chunks = (
        evidence.study("separators", "size", "separators", value=value)
        for value in ("shorter than a tenth of the size", "chunks")
    )
    own, chosen = (pick(short / chunks, separators=n) for n in ("LangChain's", "Chroma's"))
    label = "share of chunks shorter than a tenth, LangChain's minus Chroma's:"
    more = every(own - chosen, label, "{:+.1%}", above=0)
    yield plain(more, listed(own, "LangChain's own:", "{:.1%}"))


@claim("C49", "KamradtSemanticChunker", OVERLAP, models="any")
def percentile_gives_larger_chunks_in_larger_corpora(evidence: Evidence) -> Readings:
    """A percentile threshold is relative, so larger corpora can get larger chunks."""
    # What can happen by any model's vectors can happen.
    label = "mean chunk of a whole corpus minus that of its first tenth, tokens:"
    largest = listed(by_growth(evidence.beside, "largest"), "so the largest:", "{:+.0f}")
    yield plain(some(by_growth(evidence, "mean tokens"), label, "{:+.0f}", above=0), largest)


@claim("C50", "ClusterSemanticChunker", OVERLAP, models="any")
def cluster_finds_the_optimum(evidence: Evidence) -> Readings:
    """Cluster finds the chunks with the greatest sum of similarities, globally."""
    label = "reward minus the best of all segmentations of 8 pieces into chunks of at most 3:"
    best, described, official = (
        evidence.study("cluster-optimum/rewards", "text", value=value)
        for value in ("best", "as described", "official")
    )
    described, official = (
        every(one - best, label, "{:.2f}", at_least=-1e-6, at_most=1e-6)
        for one in (described, official)
    )
    yield fair("the algorithm as described does", described)
    yield strict("the official code always reaches the best of all segmentations", official)


@claim("C51", "ClusterSemanticChunker", OVERLAP, models="any")
def cluster_chunks_again_when_text_is_added(evidence: Evidence) -> Readings:
    """Cluster must chunk a corpus again when text is added."""
    changed = evidence.study("cluster-optimum/appended", "text", value="changed")
    label = "texts; boundaries among the first 40 pieces that change when 20 follow:"
    yield plain(some(changed, label, "{:.0f}", above=0))


@claim("C52", "LLMSemanticChunker", CORPORA, models="any")
def models_answer_in_the_form_asked_for(evidence: Evidence) -> Readings:
    """GPT-4o and Llama 3 8B answer consistently in the form asked for."""
    # Whatever embeds the chunks, another model answers.
    asked = sum(one.chunker == "llm" for one, _ in evidence.records("chroma"))
    figures = f"{asked} records with a language model's boundaries"
    yield plain(once(computed.every_answer_was_usable(evidence, "llm"), KEY, figures))


@claim("C53", "Limitations & Future Work", CORPORA, models="any")
def time_to_chunk(evidence: Evidence) -> Readings:
    """Chunking takes from next to no time to tens of minutes with the LLM chunker."""
    rate = evidence.table("chroma_cost", "chunker", "encoder", value="chunking s/M tokens")
    seconds = rate * tokens(evidence).sum() / 1e6
    label = "chunkers in under a second, seconds for all corpora:"
    long = every(pick(seconds, chunker="llm"), "seconds for all corpora", "{:.0f}", at_least=600)
    parts = {
        "next to no time": some(seconds, label, "{:.2f}", below=1),
        "tens of minutes with the LLM chunker": once(
            long, KEY, "0 records with a language model's boundaries"
        ),
    }
    yield plain(in_parts(parts))


@claim("C54", "Conclusion", OVERLAP)
def cluster_is_consistently_strong(evidence: Evidence) -> Readings:
    """Cluster is consistently strong across the evaluation."""
    # The appendix holds the evaluation: five corpora, four measures, two models.
    cells = evidence.cells(
        "chroma/appendix", "encoder", "chunker", "part", "measure",
        statistic="mean", measure=[RECALL, PRECISION, OMEGA, IOU],
    )  # fmt: skip
    margins = over_median(without(cells, part="all"))
    own = pick(margins, chunker=["cluster-400", "cluster-250", "cluster-200"])
    label = "cells of both sizes, over the middle row of their corpus and measure, points:"
    mostly, always = (judge(own, above=0, label=label, form="{:+.1f}") for judge in (most, every))
    where = "both sizes above the middle row in"
    witness = computed.ranks_by_corpus(evidence.of_any_model, "cluster-250")
    yield fair(f"{where} most corpora and measures with both models", mostly)
    yield strict(f"{where} every one", always, witness=witness)


@claim("C55", "Appendix Logit & Attention Based Chunking", CORPORA)
def entropy_rises_at_ends_of_sentences(evidence: Evidence) -> Readings:
    """Token entropy rises at the beginning and towards the end of sentences."""
    found = beyond(
        "Llama 3 8B's next-token probabilities over the wikitexts corpus",
        "0 tokens of Llama 3 8B measured",
        "the probabilities of a model of eight billion parameters, whose weights are not at hand",
    )
    yield plain(found, witness=computed.entropy_around_sentence_ends(evidence.of_any_model))


@claim("C56", RESULTS, CORPORA)
def default_of_openai_assistants(evidence: Evidence) -> Readings:
    """OpenAI's Assistants chunk into 800 tokens with an overlap of 400 by default."""
    row = pick(main(evidence), chunker="token-800-400")
    figures = f"{len(row)} published means stand in a row named 800 and 400"
    yield plain(beyond("the vendor's documentation of June 2024", figures, PAST_DOCUMENT))


@claim("X01", COST, CORPORA)
def prompt_makes_2000_tokens(evidence: Evidence) -> Readings:
    """Base prompt, a slice of 4,000 characters and 50 questions make 2,000 tokens on average."""
    growing, full = (computed.prompt_of_two_thousand_tokens(evidence, one) for one in (True, False))
    yield fair("with as many as there were so far in the corpus, to the nearest thousand", growing)
    yield strict("with 50 questions, to the nearest hundred", full)


@claim("X02", "Appendix Synthetic Dataset Prompt, below the prompt", CORPORA)
def questions_avoid_and(evidence: Evidence) -> Readings:
    """Once an oath was asked for, questions consistently avoid "and" outside of names."""
    used = questions(evidence, "questions with and outside of names")
    share = used / questions(evidence, "questions")
    rarely = every(share, "share of questions with it outside of names:", "{:.0%}", at_most=0.1)
    never = equal(used, 0, "questions with it outside of names:")
    yield fair("nine questions in ten do without", rarely)
    yield strict("no question uses it outside of a name", never)


@claim("X03", SUMMARY, OVERLAP)
def new_chunkers_are_competitive(evidence: Evidence) -> Readings:
    """Both new chunkers, cluster and LLM, are competitive."""
    found = main(evidence)
    older = over(pick(found, chunker=[*RECURSIVE, *TOKEN, "kamradt"]), "chunker")
    cluster = pick(found, chunker=CLUSTER) - older.max()
    llm = pick(found, chunker="llm") - older.max()
    label = "over the best older row, points:"
    best = {
        "cluster is competitive": some(cluster, label, "{:+.1f}", above=0),
        "LLM is competitive": some(llm, "over it:", "{:+.1f}", above=0),
    }
    new = pick(found, chunker=[*CLUSTER, "llm"]) - older.mean()
    mean = every(new, "over the mean of the older rows, points:", "{:+.2f}", above=0)
    yield fair("each beats every older row on some measure", in_parts(best))
    yield strict("either is above the mean of the older rows on every measure", mean)


@claim("X04", "Metrics", OVERLAP)
def iou_weighs_both(evidence: Evidence) -> Readings:
    """IoU accounts at once for whether excerpts are retrieved and for what else is."""
    found = code(evidence, "chroma-iou-denominator", "sum of retrieved plus missed")
    iou, precision = (pick(main(evidence.beside), measure=one) for one in (IOU, PRECISION))
    label = "published IoU is apart from published precision by at most"
    apart = listed(abs(iou - precision).max(), label, "{:.1f} points")
    label = "and orders the 13 rows alike, rank correlation"
    yield plain(found, apart, listed(correlation(iou, precision, "chunker"), label, "{:.2f}"))


@claim("X05", "Appendix All Results", OVERLAP)
def appendix_holds_the_tables(evidence: Evidence) -> Readings:
    """The appendix holds all results, those of the two tables among them."""
    cells = evidence.frame("cells", "chroma/appendix")
    tables = pd.concat([evidence.frame("cells", f"chroma/{name}") for name in ("main", "minilm")])
    keys = ["encoder", "chunker", "measure", "statistic"]
    both = cells[cells["part"] == "all"].merge(tables, on=keys, suffixes=("", " before"))
    furthest = both.iloc[int((both["value"] - both["value before"]).abs().argmax())]
    names = ", ".join(shown(one, furthest[one]) for one in ("chunker", "measure"))
    figures = f"furthest {names}: {furthest['published before']} and {furthest['published']}"
    yield plain(counted((both["published"] == both["published before"]).tolist(), figures))
