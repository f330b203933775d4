"""The steps from an empty document to a score, each run by itself or read in a public place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import pytrec_eval
import torch

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Document
from chunkstudy.base.tokens import wordpiece
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.encoding import encode, jobs
from chunkstudy.runs.grids import IELAB, LATE, WIDE
from chunkstudy.runs.names import parse_ordering
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.taxonomy.empty_documents import library_of_then

THEN = "0.13.6"
TEN = [f"d{i:02}" for i in (5, 7, 3, 8, 4, 6, 10, 1, 9, 2)]
"""The best first."""
EMPTY_IDS = ("d00", "d10e")
"""Before and after all others in the order of ids; between, the order of comparisons counts."""
Check = Callable[[Context], tuple[str, str]]
"""What ran, with its version, and what came out."""


@dataclass(frozen=True)
class Step:
    """One step of the explanation.

    Attributes:
        name: what is looked at.
        input: what is put in, or what was read.
        result: what was read; of a step that is run, what the explanation needs.
        source: where it stands.
        leaves_open: what it does not show.
        check: what runs it; none where it was read, and bears the explanation out.
    """

    name: str
    input: str
    result: str
    source: str
    leaves_open: str = ""
    check: Check | None = None


def steps(context: Context) -> pd.DataFrame:
    """What ran and what came out, a row per step that is run."""
    rows = []
    for step in STEPS:
        if step.check is not None:
            context.say(step.name)
            rows.append((step.name, *step.check(context)))
    return pd.DataFrame(rows, columns=["name", "ran", "result"])


def chunkers() -> pd.DataFrame:
    """What our chunkers make of an empty document under the taxonomy's protocol."""
    return pd.DataFrame({"chunker": OURS, "ours": [made_of_nothing(one) for one in OURS]})


def made_of_nothing(slug: str) -> str:
    """What our chunker returns for an empty document under the taxonomy's protocol."""
    made = build_chunker(slug, PROTOCOLS[IELAB], no_vectors)("")
    return {0: "no chunk", 1: "one empty chunk"}[len(made)]


def no_vectors(texts: Any) -> Any:
    raise AssertionError(f"an empty document has nothing to embed, but {texts} was")


def _collections(context: Context) -> tuple[str, str]:
    found = [context.collection(name).documents for name in ("scifact", "nfcorpus", "arguana")]
    counts = [(sum(not one.text.strip() for one in documents), documents) for documents in found]
    return "our reader", ", ".join(f"{empty} of {len(all_of):,}" for empty, all_of in counts)


def _installed(_: Context) -> tuple[str, str]:
    return _nodes(library_of_then.split(["", " "]))


def _then(context: Context) -> tuple[str, str]:
    folder = context.places.build / f"llama-index-core-{THEN}"
    return _nodes(library_of_then.split(["", " "], library_of_then.environment(folder, THEN)))


def _nodes(found: dict[str, Any]) -> tuple[str, str]:
    said = []
    for text, nodes in found["nodes"].items():
        count = {1: "one node"}.get(len(nodes), f"{len(nodes)} nodes")
        said.append(f"{text!r}: {count} " + ", ".join(f"{t!r} at {a} to {b}" for t, a, b in nodes))
    return f"llama-index-core {found['version']}", "; ".join(said)


def _no_tokens(context: Context) -> tuple[str, str]:
    tokens = wordpiece().encode("", add_special_tokens=False).ids
    laid_out = jobs(context.store(WIDE), *_nothing(), parse_ordering(LATE), PROTOCOLS[IELAB])
    windows = sum(len(layout.windows) for layout in laid_out.layouts)
    return _versions("tokenizers"), f"{len(tokens)} tokens, {windows} windows"


def _late(context: Context) -> tuple[str, str]:
    store = context.store(WIDE)
    vectors, _ = encode(store, *_nothing(), parse_ordering(LATE), PROTOCOLS[IELAB])
    return _versions("torch"), f"length {np.linalg.norm(vectors[0]):.0f}"


def _plain(context: Context) -> tuple[str, str]:
    vectors = context.store(WIDE).encoder.encode([""])
    return _versions("torch"), f"length {np.linalg.norm(vectors[0]):.0f}"


def _cosine(_: Context) -> tuple[str, str]:
    query, chunk_vectors = np.array([[1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0]])
    with np.errstate(invalid="ignore"):
        unit = chunk_vectors / np.linalg.norm(chunk_vectors, axis=1, keepdims=True)
    first, second = np.dot(query, unit.T)[0].tolist()
    return _versions("numpy"), f"{_number(first)} and {_number(second)}"


def _document_score(_: Context) -> tuple[str, str]:
    found = pd.DataFrame(
        {"document": ["a", "b", "b", "c"], "score": [math.nan, math.nan, 0.3, 0.1]}
    )
    best = found.groupby("document")["score"].max()
    order = ", ".join(map(_number, best.sort_values(ascending=False)))
    return _versions("pandas"), f"{_number(best['a'])}; {_number(best['b'])}; {order}"


def _sorted_again(_: Context) -> tuple[str, str]:
    return _versions("pytrec_eval-terrier"), _ranks(math.nan)


def _guarded(_: Context) -> tuple[str, str]:
    scores = torch.tensor([math.nan])
    scores[torch.isnan(scores)] = -1
    return _versions("torch", "pytrec_eval-terrier"), _ranks(float(scores[0]))


def _ranks(score: float) -> str:
    return ", ".join(f"rank {rank_of(one, score)}" for one in EMPTY_IDS)


def rank_of(empty: str, score: float) -> int:
    """Where pytrec_eval puts an empty document that is handed over after ten others."""
    run = {one: 1 - i / 10 for i, one in enumerate(TEN)} | {empty: score}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {empty: 1}}, {"recip_rank"})
    return round(1 / float(evaluator.evaluate({"q": run})["q"]["recip_rank"]))


def _others(_: Context) -> tuple[str, str]:
    order = np.random.default_rng(0).permutation([f"d{i:03}" for i in range(300)]).tolist()
    said = []
    for name, score in (("NaN", math.nan), ("-1", -1.0)):
        stay = best_ten_stay(order, {"d150e": score})
        said.append(f"{name}: {'yes' if stay else 'no'}")
    return _versions("pytrec_eval-terrier"), "; ".join(said)


def best_ten_stay(order: list[str], empties: dict[str, float]) -> bool:
    """Whether pytrec_eval's first ten are the best ten, empty documents handed over last."""
    run = {one: 1 - i / len(order) for i, one in enumerate(order)} | empties
    evaluator = pytrec_eval.RelevanceEvaluator({"q": dict.fromkeys(order[:10], 1)}, {"P.10"})
    return float(evaluator.evaluate({"q": run})["q"]["P_10"]) == 1


def _nothing() -> tuple[list[Document], Chunks]:
    """A document without text, and the one empty chunk that LlamaIndex makes of it."""
    zero = np.zeros(1, dtype=np.int64)
    return [Document("empty", "")], Chunks(zero, zero, zero, ("",))


def _number(value: float) -> str:
    return "NaN" if math.isnan(value) else str(float(value))


def _versions(*packages: str) -> str:
    return ", ".join(f"{name} {version(name)}" for name in packages)


STEPS = (
    Step(
        name="FiQA's empty documents",
        input="documents by MTEB, and those that Pyserini's flat index holds, which skips empty "
        "ones",
        result="57,638 and 57,600: 38 empty; ids 7915, 12229, 14135, 33445 and 40982 among them",
        source="beir-cellar/beir issue 158; embeddings-benchmark/mteb at 0e9b6fd, "
        "descriptive_stats/Retrieval/FiQA2018.json; castorini/pyserini, "
        "prebuilt_index_info.py, beir-v1.0.0-fiqa-flat, 2022-11-16",
        leaves_open="FiQA was not read here; 33 of the 38 ids are not known",
    ),
    Step(
        name="TREC-COVID's empty document",
        input="the same two counts",
        result="171,332 and 171,331: one empty",
        source="embeddings-benchmark/mteb at 0e9b6fd, descriptive_stats/Retrieval/TRECCOVID.json; "
        "castorini/pyserini, beir-v1.0.0-trec-covid-flat, 2022-11-16",
        leaves_open="its id is not known, and the id decides what it costs",
    ),
    Step(
        name="No empty document where nothing is lost",
        input="SciFact, NFCorpus and ArguAna: documents whose title and text are empty",
        result="0 of 5,183, 0 of 3,633, 0 of 8,674",
        source="the collections themselves; src/processors/beir_processor.py, which joins title "
        "and text and strips them",
        leaves_open="SCIDOCS was not read; its shortest document has 11 characters (MTEB)",
        check=_collections,
    ),
    Step(
        name="The splitter, installed version",
        input="SemanticSplitterNodeParser on '' and on ' '",
        result="'': one node '' at 0 to 0; ' ': one node '' at 0 to 0",
        source="llama_index/core/node_parser/text/semantic_splitter.py, _build_node_chunks; "
        "run-llama/llama_index pull request 22876 reports the same",
        check=_installed,
    ),
    Step(
        name="The splitter, the paper's version",
        input="SemanticSplitterNodeParser on '' and on ' '",
        result="'': one node '' at 0 to 0; ' ': one node '' at 0 to 0",
        source="Beyond Chunk-Then-Embed, Section 4.1, footnote 5: LlamaIndex 0.13.6",
        leaves_open="that the chunk file of the paper was written with this version and keeps "
        "these chunks",
        check=_then,
    ),
    Step(
        name="The late encoder finds no token",
        input="WordPiece on '', and the taxonomy's layout of windows for it",
        result="0 tokens, 0 windows",
        source="ielab/Reproduce-chunking-2026 at 29a08b2, src/encoders/late_encoder.py, "
        "long_late_encode_with_prefix",
        leaves_open="run with our own implementation of that layout, not with theirs",
        check=_no_tokens,
    ),
    Step(
        name="The late encoder gives a zero vector",
        input="the empty document's chunk, embedded late as the taxonomy's code does it",
        result="length 0",
        source="at 29a08b2, src/encoders/late_encoder.py, encode_passages: a document without "
        "states gets zeros",
        leaves_open="as above",
        check=_late,
    ),
    Step(
        name="The plain encoder does not",
        input="'' embedded by itself with all-MiniLM-L6-v2, special tokens included",
        result="length 1",
        source="src/encoders/regular_encoder.py, encode_passages",
        leaves_open="the paper's models are not at hand; each reads special tokens too",
        check=_plain,
    ),
    Step(
        name="Cosine similarity",
        input="two chunks, one of them the zero vector, both divided by their lengths",
        result="1.0 and NaN",
        source="at a7dce22, src/evaluators/beir_evaluator.py, cosine_similarity",
        check=_cosine,
    ),
    Step(
        name="The document's score",
        input="the largest score of a document with only NaN; of one with NaN and 0.3; both sorted "
        "with 0.1",
        result="NaN; 0.3; 0.3, 0.1, NaN",
        source="at a7dce22, src/evaluators/beir_evaluator.py, rank: groupby, max, sort_values",
        leaves_open="so an empty chunk beside a real one does no harm",
        check=_document_score,
    ),
    Step(
        name="trec_eval sorts again",
        input="ten documents d01 to d10 in some order, then an empty one, named d00 or d10e",
        result="rank 11, rank 1",
        source="trec_eval compares scores, and where that decides nothing, ids",
        check=_sorted_again,
    ),
    Step(
        name="It does not spare the others",
        input="300 documents in some order, then an empty one whose id stands in the middle: are "
        "the best ten still first?",
        result="NaN: no; -1: yes",
        source="comparisons by ids contradict those by scores, which no sort expects",
        leaves_open="which documents come first depends on how the installed version sorts",
        check=_others,
    ),
    Step(
        name="With a guard",
        input="step 11 again, NaN set to -1 as BEIR's and MTEB's search do it",
        result="rank 11, rank 11",
        source="beir, retrieval/search/dense/exact_search.py; the taxonomy's code uses BEIR's "
        "evaluation without its search",
        check=_guarded,
    ),
)
"""In order."""
OFFICIAL = {
    "semantic": (
        "one empty chunk",
        "at 7ce9bf0, src/chunkers/semantic_chunker.py: every document goes to LlamaIndex",
    ),
    "paragraph": (
        "no chunk",
        "at 8d4d099, src/chunkers/paragraph_chunker.py: empty lines are dropped",
    ),
    "sentence-5": (
        "no chunk",
        "at 8d4d099, src/chunkers/sentence_chunker.py: blank sentences are dropped",
    ),
    "fixed-256": (
        "no chunk",
        "at 1041fcb, src/chunkers/fixed_size_chunker.py: nothing remains after the last token",
    ),
    "lumberchunker": (
        "no chunk, later one empty chunk",
        "src/chunkers/lumber_chunker.py: none at f4235c5 and 22b2da1, which skips such "
        "documents; an empty one at 1eb5ae6",
    ),
    "proposition": (
        "no chunk, later one empty chunk",
        "src/chunkers/proposition_chunker.py: none in an earlier form, without a check for "
        "empty text; an empty one at 1410c3c, which has that check",
    ),
}
"""What each method's official code makes of an empty document, and where that stands."""
OURS = ("semantic", "paragraph", "sentence-5", "fixed-256")
