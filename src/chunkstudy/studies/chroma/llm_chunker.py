"""What comes of Chroma's LLM chunker when the model that is asked is small, and what do its chunks
score?

SmolLM2-135M-Instruct is asked about every window of the built-in collection and of State of the
Union, one of Chroma's five corpora, which is searched alone here. *Held* to one of the splits that
are possible, it cannot break the form; its replies are recorded with the project. Asked *freely*,
with examples or as a large model is, it can: what came of each reply is counted, and the reply is
not kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.chunkers import llm_windows
from chunkstudy.chunkers.random_boundaries import drawn
from chunkstudy.chunkers.structure import pieces
from chunkstudy.core.models import SMOLLM
from chunkstudy.core.protocols import AS_PUBLISHED_CHROMA, CORRECTED, Protocol
from chunkstudy.core.spans import Chunks, Collection, chunk_documents
from chunkstudy.core.tokens import counter
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Ask, Reply, Request
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.chunking import build_chunker, cut, describe_language_model
from chunkstudy.pipeline.conditions import LARGE, LOCAL_SMOLLM, MINILM, parse_chunker
from chunkstudy.pipeline.engine import Vectors
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore

COLLECTIONS = ("builtin", "chroma")
PARTS = {"chroma": "state_of_the_union"}
"""The one document of a collection that is asked about, with its questions."""
PUBLISHED = "llm"
"""The report's row."""
MODEL = f"local/{SMOLLM}"
HELD, EXAMPLES, FREE = "held to one split", "free, with examples", "free"
CHUNKER = f"llm-by-{LOCAL_SMOLLM}"
FORMS = {
    HELD: (CHUNKER, COLLECTIONS),
    EXAMPLES: (CHUNKER, COLLECTIONS[1:]),
    FREE: (PUBLISHED, COLLECTIONS[1:]),
}
"""How the model is asked, and about which texts: freely by the request that a large model gets, or
by the held one's, which shows two examples."""
RULES = (AS_PUBLISHED_CHROMA, CORRECTED)
"""How replies are read and chunks scored; what came of the replies is told of the first."""
OTHERS = ("recursive-200-0", "recursive-400-0", "token-200-0", "token-400-0")
SAME_SIZES = "the same sizes"
"""The held model's chunks, their sizes in another order: what is left without its choice."""
DRAWS = 10
RECALL = "SpanRecall@5"
MEASURES = (RECALL, "SpanPrecision@5", "SpanIoU@5", "PrecisionOmega")
OUTCOMES = CUT_OFF, OTHER, REPEATED, OUTSIDE, USED = (
    "cut off", "another form", "not ascending", "outside the window", "used",
)  # fmt: skip
"""What came of a reply: it did not end within its limit; it is not the one line asked for; it names
a split twice or after a later one; it names one that was not shown; it was used."""
SHOWN = re.compile(r"<\|start_chunk_(\d+)\|>")


@experiment("chroma-llm-chunker", collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``replies``: a row per corpus and form, what came of the requests. ``scores``: a row
    per collection, protocol and chunker, means with intervals, and the recall that the held model's
    chunks have more.

    Raises:
        LanguageModelError: if a reply is neither recorded nor can be had.
    """
    context.note(describe_language_model(MODEL))
    store = context.store(MINILM)
    counted, scored = [], []
    held, free = Asker(), Asker("record", context.places.build / "chroma-llm-chunker")
    ask: dict[str, Ask] = {
        HELD: held.ask,
        EXAMPLES: lambda request: free.ask(replace(request, answers=())),
        FREE: free.ask,
    }
    for name in collections:
        collection = part(context.collection(name), PARTS.get(name))
        for rule in RULES:
            context.say(f"{name}, {rule.name}")
            arms: dict[str, Chunks] = {}
            for form in (kind for kind in FORMS if name in FORMS[kind][1]):
                replies, arms[form] = asked(collection, FORMS[form][0], rule, ask[form])
                if rule is RULES[0]:
                    replies.insert(0, "collection", name)
                    replies.insert(2, "form", form)
                    counted.append(replies)
            arms |= {slug: cut(collection, parse_chunker(slug), rule, store) for slug in OTHERS}
            for arm, chunks in arms.items():
                context.cut(f"{name}/{arm}/{MINILM}/{rule.name}", chunks)
            scored.append(scores(collection, arms, rule, store))
    return {
        "replies": pd.concat(counted, ignore_index=True),
        "scores": pd.concat(scored, ignore_index=True),
    }


def beside_published(published: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """The chunks of State of the Union under the published protocol, and of each measure what the
    report has of the same chunker on that corpus with text-embedding-3-large, fractions. The report
    searches all five corpora for it, the study this one alone.

    Args:
        published: the report's appendix.
        scores: of :func:`tables`.
    """
    ((collection, part),) = PARTS.items()
    printed = at(published, part=part, encoder=LARGE, statistic="mean").pivot(
        index="chunker", columns="measure", values="value"
    )
    scored = at(scores, collection=collection, protocol=AS_PUBLISHED_CHROMA.name)
    rows = scored["chunker"].replace(dict.fromkeys(FORMS, PUBLISHED))
    columns = {name: scored[name] for name in ("chunker", "chunks", "mean tokens", "n")}
    for measure in MEASURES:
        columns |= {name: scored[name] for name in (measure, f"{measure} low", f"{measure} high")}
        columns[f"{measure} published"] = rows.map(printed[measure] / 100)
    return pd.DataFrame(columns).reset_index(drop=True)


def part(whole: Collection, document: str | None) -> Collection:
    """One document of a collection and the questions that it answers; all of it for None."""
    if document is None:
        return whole
    queries = whole.only(
        judgment.query for judgment in whole.judgments if judgment.document == document
    )
    return replace(
        queries,
        documents=tuple(candidate for candidate in whole.documents if candidate.id == document),
    )


def asked(
    collection: Collection, slug: str, rule: Protocol, ask: Ask
) -> tuple[pd.DataFrame, Chunks]:
    """What came of the requests, a row per corpus, and the chunks that the splits make.

    Args:
        collection: whose texts are asked about.
        slug: the chunker; whatever model it names, the one of this study is asked.
        rule: says how a reply is read.
        ask: asks.
    """
    heard: list[dict[str, object]] = []
    count = counter("cl100k").count_many
    spans, texts = [], []
    for document in collection.documents:
        kind = document.id.split("/")[0]

        def hear(request: Request, kind: str = kind) -> Reply:
            reply = ask(replace(request, model=MODEL))
            heard.append({"part": kind} | row(request, reply))
            return reply

        cut = build_chunker(slug, rule, ask=hear)(document.text)
        sizes = count([document.text[span[0] : span[1]] for span in cut])
        spans.append(cut)
        texts.append((kind, 1, len(sizes), sum(sizes), getattr(cut, "fallbacks", 0)))
    given = iter(spans)
    chunks = chunk_documents(lambda _: next(given), collection.documents)
    columns = ["part", "documents", "chunks", "mean tokens", "by rule"]
    sums = pd.DataFrame(texts, columns=columns).groupby("part", sort=False).sum()
    sums["mean tokens"] /= sums["chunks"]
    replies = pd.DataFrame(heard).groupby("part", sort=False)
    means = replies.mean(numeric_only=True)
    table = sums.join(replies.size().rename("requests")).join(means)
    outcomes = replies["outcome"].value_counts().unstack(fill_value=0)
    table = table.join(outcomes.reindex(columns=list(OUTCOMES), fill_value=0))
    return table.reset_index(), chunks


def row(request: Request, reply: Reply) -> dict[str, object]:
    """A reply: what came of it and whether the official code takes it; of one that was used, where
    its last split lies among those possible, from 0 to 1, and whether an example gives the same."""
    shown = [int(number) for number in SHOWN.findall(request.messages[-1].text)]
    came = outcome(reply, shown[0], shown[-1])
    boundary = (llm_windows.official_numbers(reply.text) or [0])[-1]
    place = (boundary - shown[0]) / max(1, len(shown) - 2) if came == USED else np.nan
    return {
        "outcome": came,
        "taken officially": float(outcome(reply, shown[0], shown[-1], official=True) == USED),
        "pieces": len(shown),
        "place": place,
        "as in an example": float(reply.text in {message.text for message in request.messages}),
        "tokens read": reply.input_tokens,
        "tokens written": reply.output_tokens,
    }


def outcome(reply: Reply, first: int, last: int, official: bool = False) -> str:
    """What came of a reply about the pieces from ``first`` to ``last``, one of the five.

    Args:
        official: reads it as the official code does, which finds the line anywhere in a reply and
            takes a split twice and pieces that were not shown.
    """
    if reply.finish != "stop" and not official:
        return CUT_OFF
    read = llm_windows.official_numbers if official else llm_windows.numbers
    boundaries = read(reply.text)
    if not boundaries:
        return OTHER
    if boundaries != sorted(boundaries if official else set(boundaries)):
        return REPEATED
    if (
        boundaries[0] < first - official
        or boundaries[-1] < first
        or (boundaries[-1] > last and not official)
    ):
        return OUTSIDE
    return USED


def scores(
    collection: Collection, arms: Mapping[str, Chunks], rule: Protocol, store: VectorStore
) -> pd.DataFrame:
    """A row per chunker: chunks, their mean tokens, each measure with its interval, and by how much
    the held model's chunks have more recall."""
    queries = store.encode([query.text for query in collection.queries], "query")
    count = counter("cl100k").count_many

    def score(chunks: Chunks) -> pd.DataFrame:
        texts = chunks.texts(collection.documents)
        frame = engine.score(collection, chunks, Vectors(queries, store.encode(texts)), rule.name)
        return frame[list(MEASURES)].assign(chunks=len(texts), tokens=np.mean(count(texts)))

    scores_of = {arm: score(chunks) for arm, chunks in arms.items()}
    if rule is CORRECTED:
        units = [pieces(document.text, counter("cl100k")) for document in collection.documents]
        own = (drawn(collection.documents, arms[HELD], i, units) for i in range(1, DRAWS + 1))
        draws = [score(chunks) for chunks in own]
        scores_of[SAME_SIZES] = sum(draws[1:], draws[0]) / DRAWS
    rows: list[dict[str, object]] = []
    for arm, frame in scores_of.items():
        row = {"collection": collection.name, "protocol": rule.name, "chunker": arm}
        sizes = {"chunks": int(frame["chunks"].iloc[0]), "mean tokens": frame["tokens"].iloc[0]}
        rows.append({**row, **sizes, "n": len(frame), **means(frame[list(MEASURES)])})
        if arm != HELD:
            rows[-1] |= means(scores_of[HELD][[RECALL]] - frame[[RECALL]], " difference")
    return pd.DataFrame(rows)


def means(values: pd.DataFrame, suffix: str = "") -> dict[str, float]:
    """The mean of each column, with the interval of other questions."""
    columns: dict[str, float] = {}
    for name, own in values.items():
        interval = statistics.bootstrap_interval(own)
        columns |= statistics.with_interval(f"{name}{suffix}", own.mean(), interval)
    return columns
