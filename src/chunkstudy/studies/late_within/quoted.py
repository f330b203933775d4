"""What the paper quotes of the page, by the names that its sections use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, NOT_SHOWN, at
from chunkstudy.runs.conditions import NONE
from chunkstudy.show.study import Study
from chunkstudy.studies.late_within.cut_chunks import CUT, TRUNCATED, WHOLE
from chunkstudy.studies.late_within.gains import between_models, by_window
from chunkstudy.studies.late_within.reading import E5, EVERY, MINILM, MPNET, read

CORPORA, PAPERS, BOOK = "chroma-within", "covid-qa-within", "gutenqa-emma"
DCG, RECALL = "DCG@10", "SpanRecall@5"
SIZES = {"narrow": 128, "middle": 256, "wide": 512}
Named = Mapping[str, tuple[str, Mapping[str, object]]]
"""By a number's name, how its test ends, and which row it is."""


def of_windows(study: Study, rows: pd.DataFrame) -> None:
    """Gains over plain chunks of the same window, and their table in the appendix."""
    endings = {
        ("late-minilm", CORPORA, DCG, MINILM): (HIGHER, NOT_SHOWN, LOWER),
        ("late-mpnet", CORPORA, DCG, MPNET): (HIGHER, LOWER, LOWER),
        ("late-e-five", CORPORA, DCG, E5): (HIGHER, LOWER, LOWER),
        ("recall-of-excerpts", CORPORA, RECALL, MINILM): (HIGHER, HIGHER, LOWER),
        ("late-in-papers", PAPERS, DCG, MINILM): (HIGHER, NOT_SHOWN, LOWER),
    }
    every = at(rows, over=EVERY)
    for (name, collection, measure, model), words in endings.items():
        own = at(every, collection=collection, measure=measure, model=model)
        some = zip(SIZES.items(), words, strict=True)
        _quote(study, own, {f"{name}/{k}": (word, {"window": n}) for (k, n), word in some})
    in_papers = at(every, collection=PAPERS, measure=DCG, window=512)
    others = {"late-mpnet/papers": MPNET, "late-in-papers/other": E5}
    _quote(study, in_papers, {k: (LOWER, {"model": model}) for k, model in others.items()})
    for _, row in at(in_papers, model=MINILM).iterrows():
        study.number("collections/papers", row["documents"])
        study.number("collections/asked", row["n"])
    if not study.default:
        return
    study.paper_table(
        "within", every,
        {"collection": "collection", "measure": "measure", "model": "model", "window": "window",
         "chunkers": "chunkers", "n": "questions", "difference": "late minus plain",
         "low": "95% interval", "p_holm": "p, Holm", "shown": "shown"},
        "Late minus plain chunking within one document, in points of DCG@10 and of recall of "
        "excerpts at five, by model and window; each question's mean over the chunkers that all "
        "models have. Intervals over questions, or over papers for COVID-QA; shown: paired t-test "
        "after Holm's correction within a model's windows.",
        span="appendix", once="collection",
        shorter={"Chroma, each corpus by itself": "Chroma",
                 "COVID-QA, each paper by itself": "COVID-QA", " in four bits": "",
                 "Recall of excerpts at 5": "recall at 5"},
    )  # fmt: skip


def of_chunkers(study: Study, rows: pd.DataFrame) -> None:
    """Chunkers that gain over plain chunks read whole, read late in windows of 128."""
    gaining = {
        "read-late/paragraphs": (CORPORA, "paragraph", MINILM),
        "read-late/papers": (PAPERS, "paragraph", MINILM),
        "read-late/fixed": (CORPORA, "fixed-256", MPNET),
        "read-late/sentences": (PAPERS, "sentence-5", MPNET),
    }
    keys = ("collection", "chunker", "model")
    named = {k: (HIGHER, dict(zip(keys, one, strict=True))) for k, one in gaining.items()}
    narrow = at(rows, window=128)
    _quote(study, narrow, named)
    gained = set(at(narrow, shown=HIGHER)["model"])
    study.number(
        "late-at-its-best-window",
        holds=len(at(narrow, shown=HIGHER)) == len(gaining) and E5 not in gained,
    )


def of_held(study: Study, held: pd.DataFrame) -> None:
    """How much of what the first model shows the second shows too."""
    study.number("held-for-a-second-model/asked", len(held), holds="no" not in set(held["held"]))
    study.number("held-for-a-second-model/held", int((held["held"] == "yes").sum()))


def of_cut(study: Study, rows: pd.DataFrame) -> None:
    """Answers in chunks that the window cuts and in chunks that are read whole."""
    named: Named = {
        "cut-or-whole/cut": (HIGHER, {"measure": DCG, "over": TRUNCATED, "window": 128}),
        "cut-or-whole/whole": (NOT_SHOWN, {"measure": DCG, "over": WHOLE, "window": 128}),
        "whole-at-the-widest/whole": (LOWER, {"measure": DCG, "over": WHOLE, "window": 512}),
        "whole-by-recall/row": (HIGHER, {"measure": RECALL, "over": WHOLE, "window": 128}),
    }
    _quote(study, at(rows, model=MINILM), named)
    cut_chunkers = at(rows, model=MINILM, measure=DCG, over=CUT, window=128)["chunkers"]
    study.number("gain-of-text-or-of-context/n", int(cut_chunkers.sum()))
    of_answers = at(rows, model=MINILM, measure=DCG)
    if not study.default:
        return
    study.paper_table(
        "cut", of_answers[of_answers["over"].isin([WHOLE, TRUNCATED])],
        {"over": "chunk", "window": "window", "n": "n", "difference": "gain",
         "low": "95% interval", "shown": "shown"},
        "Late minus plain chunking in points of DCG@10, all-MiniLM-L6-v2 within Chroma's corpora: "
        "questions whose answer lies in a chunk that the window cuts when it is embedded alone, "
        "and in a chunk that is read whole.",
        once="over",
        shorter={WHOLE: "read whole", TRUNCATED: "cut"},
    )  # fmt: skip


def of_emma(study: Study, rows: pd.DataFrame) -> None:
    """How wide an interval is on the few questions of one novel."""
    rows = at(rows, collection=BOOK, window=128)
    _quote(study, rows, {"emma-interval/row": (NOT_SHOWN, {"model": MINILM})})
    for _, row in rows.iterrows():
        study.number("emma-interval/reach", 50 * (row["high"] - row["low"]), holds=row["n"] < 30)


def of_scifact(study: Study, chunkers: Sequence[str], protocol: str) -> None:
    """Late chunking by the third model where documents are looked for."""
    scifact, measure = "scifact", "nDCG@10"
    arms = read(study, scifact, chunkers, [MINILM, E5], [512], [measure], protocol)
    rows, more = by_window(arms), between_models(arms)
    third = at(rows, model=E5)
    _quote(study, third, {"third-on-scifact/gain": (HIGHER, {})})
    documents = study.runs(scifact, [NONE], E5, protocol=protocol).scores(measures=[measure], k=10)
    study.number("third-on-scifact/late", 100 * float(third["contextualized"].iloc[0]))
    study.number("third-on-scifact/whole", 100 * float(documents.of(NONE, measure).mean()))
    first = at(rows, model=MINILM)
    study.number(
        "third-model-on-scifact",
        holds=[*more["shown"], *first["shown"]] == [HIGHER, NOT_SHOWN],
    )


def _quote(study: Study, rows: pd.DataFrame, named: Named) -> None:
    for name, (shown, where) in named.items():
        for _, row in (at(rows, **where) if where else rows).iterrows():
            study.number(name, row, outcome=shown)
