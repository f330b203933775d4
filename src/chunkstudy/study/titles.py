"""What a reader calls each thing: the one place where names of chunkers, models, protocols,
collections, measures and columns are spelled for tables, figures, LaTeX, notebooks and pages.

Two different things never share a name, so a name says everything that its slug says. A column
that has no title here is called what its frame calls it, and shown by its type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from chunkstudy.base.models import CAUSAL_MODELS
from chunkstudy.encoders import models
from chunkstudy.evaluation import measures
from chunkstudy.published.sources import WORKS
from chunkstudy.runs.conditions import PREPENDED, parse_chunker, parse_encoder, parse_method
from chunkstudy.study.formats import (
    Column,
    Columns,
    Text,
    number,
    percent,
    points,
    probability,
    tenths,
    thousandths,
    whole,
)

PRINTED_SEGMENTATIONS = {
    "SIMPLE_CHUNKING": "Small model, by structure",
    "COT_TOPIC_CHUNKING": "Small model, by topic",
    "SUMMARY_CHUNKING": "Small model, with summaries",
    "JINA-SEGMENTER-API": "Jina's segmenter, as published",
}
LENGTHS = {
    "cl100k": "",
    "wordpiece": "WordPiece",
    "wordpiece-special": "WordPiece with special tokens",
    "characters": "characters",
}
MODELS = {one.id: one.title for one in (*models.MODELS.values(), *CAUSAL_MODELS.values())} | {
    "intfloat/multilingual-e5-small": "multilingual-e5-small"
}
"""The titles of models, and of one that is only named."""
LANGUAGE_MODELS = {f"local/{one.id}": one.title for one in CAUSAL_MODELS.values()}
"""By provider and name; others are called by what follows the last slash."""
PAPER_TABLES = {f"taxonomy_table{number}": f"Table {number}" for number in range(1, 6)}
PROTOCOLS = {
    "as_published-chroma": "as Chroma's code does it",
    "as_published-jina": "as Jina's code does it",
    "as_published-ielab": "as the taxonomy's code does it",
    "as_published-lumberchunker": "as LumberChunker's code does it",
    "corrected": "corrected",
}
COLLECTIONS = {
    "chroma": "Chroma, five corpora together",
    "chroma-within": "Chroma, each corpus by itself",
    "covid-qa": "COVID-QA, all papers together",
    "covid-qa-within": "COVID-QA, each paper by itself",
    "evidence-inference-within": "Evidence Inference, each article by itself",
    "fairytaleqa-within": "FairytaleQA, each story by itself",
    "qmsum": "QMSum, whole meetings",
    "qmsum-within": "QMSum, each meeting by itself",
    "qmsum-within-train": "QMSum, each training meeting by itself",
    "contextual-code": "Code of the contextual retrieval guide",
    "builtin": "Built-in, excerpts",
    "builtin-graded": "Built-in, documents",
    "scifact": "SciFact",
    "nfcorpus": "NFCorpus",
    "arguana": "ArguAna",
    "fiqa": "FiQA",
    "scidocs": "SCIDOCS",
    "trec-covid": "TREC-COVID",
    "quora": "Quora",
    "gutenqa": "GutenQA",
    "gutenqa-emma": "GutenQA, Emma",
    "berlin": "Three sentences on Berlin",
    "average": "Average",
    "beir": "BEIR, six collections together",
    "chatlogs": "Chat logs",
    "finance": "Finance",
    "pubmed": "PubMed",
    "state_of_the_union": "State of the Union",
    "wikitexts": "Wikipedia",
    "all": "all",
}
TABLES = {
    "main": "main table",
    "minilm": "table of all-MiniLM-L6-v2",
    "appendix": "appendix",
    "berlin": "three sentences on Berlin",
    "beir": "five collections",
    "combinations": "72 combinations",
    "2, repository": "Table 2 (Extended), repository",
}
TASKS = {
    "token_overlap": "finding excerpts",
    "excerpts": "finding excerpts",
    "in_corpus": "finding documents",
    "in-corpus": "finding documents",
    "in_document": "finding a passage of one document",
    "in-document": "finding a passage of one document",
}
VERDICTS = {
    "exact": "exact",
    "within_stack": "within spread",
    "deviates": "deviates",
    "not_run": "not run",
}
CONTEXTS = {
    "title": "the document's title",
    "first-sentence": "the document's first sentence",
    "preceding-sentence": "the sentence before the chunk",
    "headings": "the headings above the chunk",
}
"""What a document offers to put before each chunk."""
LAYOUTS = {
    "averaged": "two windows averaged",
    "packed": "whole chunks in windows",
}
"""How a document longer than the window is read."""
TRAINED_ON = {
    "untrained": "nothing",
    "alone": "passages read alone",
    "context": "passages in context",
    "mixed": "both in turn",
}
SIGNALS = {
    "entropy": "Entropy at the boundary",
    "entropy-rise": "Rise of entropy",
    "first-surprisal": "Surprisal of the first token",
    "surprisal": "Surprisal of the text after",
    "attention": "Attention that stays behind",
    "attention-last": "The same, last layer's largest",
    "influence": "Little influence of the text before",
    "distance": "Distance of embeddings",
    "paragraph end": "End of a paragraph",
    "length since": "Length since the last boundary",
    "punctuation": "Punctuation and lengths",
}
"""What tells boundaries from other ends of sentences, and what it is compared with."""
SENTENCES = {
    "Berlin is th": "Berlin is the \N{HORIZONTAL ELLIPSIS}",
    "Its more tha": "Its more than \N{HORIZONTAL ELLIPSIS}",
    "The city is": "The city is also \N{HORIZONTAL ELLIPSIS}",
}
"""How the three sentences on Berlin begin, by the characters that tables keep of them."""
BASELINES = {
    "vectors": "vectors",
    "words": "BM25",
    "both": "BM25 and vectors",
    "title": "title before each chunk",
    "sentences": "best sentence",
}
"""What is matched with the question."""


def chunker(slug: str) -> str:
    """``recursive-400-200`` is *Recursive, 400 tokens, overlap 200*.

    Raises:
        ValueError: if the slug names no chunker.
    """
    spec = parse_chunker(slug)
    parts = [spec.entry.title]
    unit = "characters" if spec.length == "characters" else "tokens"
    if spec.name == "sentence" and spec.sizes == (1,):
        parts = ["Single sentences"]
    elif spec.name == "lumberchunker-random":
        parts.append(f"draw {spec.sizes[0]}")
    elif spec.sizes:
        counted = {"size": unit, "group": "sentences"}
        named = spec.entry.sizes[0]
        parts.append(f"{spec.sizes[0]} {counted.get(named, named)}")
    if spec.name in ("recursive", "token") and spec.sizes[1]:
        parts.append(f"overlap {spec.sizes[1]}")
    if spec.name in ("fixed-merged", "fixed-dropped"):
        parts.append(f"tails under {spec.sizes[1]} {spec.name.removeprefix('fixed-')}")
    if spec.name not in ("fixed", "fixed-merged", "fixed-dropped", "sentence"):
        parts += [LENGTHS[spec.length]] if unit == "tokens" else []
    if spec.by:
        by = language_model(spec.llm) if spec.llm else encoder(spec.by)
        parts.append(f"boundaries by {by}")
    return ", ".join(part for part in parts if part)


def encoder(slug: str) -> str:
    """A model's name, with its window and precision where those are not the model's own; BM25, or
    both."""
    if slug in ("none", ""):
        return "no model"
    if slug in MODELS:
        return MODELS[slug]
    words, _, beside = slug.partition("+")
    if words == "bm25":
        return f"BM25 and {shown('encoder', beside)}" if beside else "BM25"
    model, window, dtype = parse_encoder(slug)
    return ", ".join(filter(None, (MODELS[model], f"{window} tokens" if window else "", dtype)))


def language_model(name: str) -> str:
    """A language model's name, without who provides it."""
    return LANGUAGE_MODELS.get(name, name.rpartition("/")[2])


def ordering(slug: str) -> str:
    """Plain chunking, or late chunking with its window."""
    if slug in ("none", ""):
        return "no model"
    if slug in ("contextualized", "pre_embedding"):
        return {"contextualized": "late", "pre_embedding": "plain"}[slug]
    found = parse_method(slug)
    if found.context:
        return context(found.context)
    if not found.window:
        return "plain"
    text = f"late, {found.window} tokens"
    if found.layout:
        return f"{text}, {LAYOUTS[found.layout]}"
    return text if found.overlap == found.window // 4 else f"{text}, overlap {found.overlap}"


def system(name: str) -> str:
    """What is matched with the question, or an embedding method."""
    return BASELINES.get(name) or shown("ordering", name)


def context(source: str) -> str:
    """What is put before each chunk."""
    by = parse_method(f"{PREPENDED}-{source}").llm
    return f"a sentence by {language_model(by)}" if by else CONTEXTS[source]


def protocol(slug: str) -> str:
    return PROTOCOLS[slug]


def collection(slug: str) -> str:
    """A collection's name; of several, joined by commas."""
    return ", ".join(COLLECTIONS[one] for one in slug.split(", "))


def table(name: str) -> str:
    """A published table as its source calls it."""
    if name in PAPER_TABLES:
        return PAPER_TABLES[name]
    return f"Table {name}" if name.isdecimal() else TABLES.get(name, name)


def measure(name: str) -> str:
    return measures.find(name).title


def arm(chunker_slug: str, ordering_slug: str) -> str:
    """A chunker under an ordering; plain chunking goes without saying."""
    late = ""
    if ordering_slug.startswith("contextualized"):
        window = parse_method(ordering_slug).window if "-" in ordering_slug else 0
        late = ", late" + (f" in windows of {window}" if window else "")
    return f"{shown('chunker', chunker_slug)}{late}"


def segmentation(name: str) -> str:
    """A printed segmentation, or a chunker of ours."""
    return PRINTED_SEGMENTATIONS.get(name) or chunker(name)


NAMED: dict[str, Callable[[str], str]] = {
    "chunker": chunker,
    "segmentation": segmentation,
    "encoder": encoder,
    "ordering": ordering,
    "context": context,
    "method": lambda name: "Average" if name == "average" else chunker(name),
    "protocol": protocol,
    "collection": collection,
    "measure": measure,
    "table": table,
    "task": TASKS.__getitem__,
    "verdict": lambda name: VERDICTS.get(name, name.replace("_", " ")),
    "part": COLLECTIONS.__getitem__,
    "language model": language_model,
}


def shown(kind: str, value: object) -> str:
    """What a reader calls a thing of a kind (``NAMED``); what has no name stays as it is."""
    text = str(value)
    try:
        return NAMED[kind](text) if text else ""
    except (KeyError, ValueError, RuntimeError):
        return text


def named(kind: str) -> Text:
    """What a reader calls things of a kind (``NAMED``), such as ``chunker``."""
    return partial(shown, kind)


def one_of(names: Mapping[str, str]) -> Text:
    """What a reader calls things by these names; others stay as they are."""
    return lambda name: names.get(name, str(name))


def alike(text: Text, *names: str) -> dict[str, Column]:
    """Columns that are called what they are called, and shown in one way."""
    return {name: Column(name.replace("_", " "), text) for name in names}


COLUMNS: Columns = {
    **{
        kind: Column(kind, named(kind))
        for kind in ("chunker", "encoder", "ordering", "protocol", "collection", "measure", "table",
                     "task", "verdict", "context", "segmentation")
    },
    "work": Column("work", one_of({name: work.title for name, work in WORKS.items()})),
    "model": Column("model", named("encoder")),
    "other model": Column("other model", named("encoder")),
    "a": Column("first", named("chunker")),
    "b": Column("second", named("chunker")),
    "pre_embedding": Column("plain", percent),
    "contextualized": Column("late", percent),
    "within_stack": Column("within spread", whole),
    "statistic": Column("statistic", one_of({"std": "standard deviation"})),
    "part": Column("corpus", named("part")),
    "n": Column("queries", whole),
    "mean tokens": Column("tokens per chunk", tenths),
    "std": Column("standard deviation", percent),
    "difference": Column("difference, points", points),
    "gain": Column("gain, points", points),
    "p": Column("p", probability),
    "p_holm": Column("p, Holm", probability),
    "p_equivalent_holm": Column("p of equivalence, Holm", probability),
    "source": Column("source", one_of({"records": "ours"})),
    **alike(named("chunker"), "other chunker", "best chunker", "instead"),
    **alike(named("collection"), "collections", "measured on"),
    **alike(named("language model"), "answered by"),
    # Sizes, counts, costs and speeds.
    **alike(whole, "published size", "draws", "chunks", "documents", "requests",
            "tokens that a reader gets"),
    **alike(tenths, "seconds", "mean characters"),
    **alike(number, "size in cl100k", "size in WordPiece", "size in WordPiece with special tokens",
            "documents a second", "printed a second", "tokens a second", "US dollars"),
    "run": Column("cells run", whole),
    "not_run": Column("not run", whole),
    "document length": Column("document length, characters", whole),
    "length function": Column("length function", one_of({**LENGTHS, "cl100k": "OpenAI's tokens"})),
    # Chroma's report, beside what is published of it.
    **alike(number, "published threshold", "reached by 95%", "95% of questions below",
            "largest difference"),
    "main": Column("main table", percent),
    "appendix - main": Column("difference, points", points),
    "SpanRecall@5 difference": Column("difference, points", points),
    "of precision omega": Column("published, Precision Ω", whole),
    "exact of these": Column("exact, Precision Ω", whole),
    "of retrieval": Column("published, retrieval", whole),
    "exact of retrieval": Column("exact, retrieval", whole),
    # Correlations and controls.
    "method": Column("method", named("method")),
    "arm": Column("arm", one_of(BASELINES)),
    **alike(number, "r", "area"),
    "random": Column("mean of draws", percent),
    "entropy": Column("entropy, bits", number),
    "error": Column("standard error, bits", number),
    "signal": Column("signal", one_of(SIGNALS)),
    # Late chunking.
    "late - plain": Column("late minus plain, points", points),
    "late - no chunking": Column("late minus no chunking, points", points),
    "against": Column("against", one_of({"pre_embedding": "plain"})),
    "drawn": Column("cut", one_of({"printed": "as published"})),
    "share kept": Column("share kept, %", percent),
    "sentence": Column("sentence", one_of(SENTENCES)),
    "trained on": Column("trained on", one_of(TRAINED_ON)),
    "against one trained on": Column("against one trained on", one_of(TRAINED_ON)),
    **alike(thousandths, "loss before", "loss kept", "cosine distance"),
    "of the next chunk": Column("% of neighbours' distance", percent),
    # Labels.
    "computed": Column("computed", lambda value: f"{value:.3g}"),
    "quantity": Column(
        "quantity", one_of({"TP": "true positives", "FP": "false positives",
                            "FN": "false negatives"})),
    "f1": Column("F1", percent),
    "gold": Column("gold chunks a query", number),
    "held by a tenth": Column("gold chunks held by a tenth of queries, %", percent),
    "a minus b": Column("first minus second, points", points),
    "shown by them": Column("difference that these show, points", percent),
    "needed": Column("queries needed", whole),
    "needed for 5 points": Column("queries needed for 5 points", whole),
}  # fmt: skip
"""By name, how a column of any page is shown; a study says itself what its pages alone call so."""
