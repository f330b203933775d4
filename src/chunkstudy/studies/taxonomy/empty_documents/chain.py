"""The steps from an empty document to a score, each run by itself or read in a public place."""

from __future__ import annotations

import math
from collections.abc import Callable
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
OURS = ("semantic", "paragraph", "sentence-5", "fixed-256")
EMPTY_IDS = ("d00", "d10e")
"""Before and after all others in the order of ids; between, the order of comparisons counts."""
Check = Callable[[Context], tuple[str, str]]
"""What ran, with its version, and what came out."""


def steps(context: Context) -> pd.DataFrame:
    """What ran and what came out, a row per step that is run."""
    rows = []
    for name, check in CHECKS.items():
        context.say(name)
        rows.append((name, *check(context)))
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


CHECKS: dict[str, Check] = {
    "No empty document where nothing is lost": _collections,
    "The splitter, installed version": _installed,
    "The splitter, the paper's version": _then,
    "The late encoder finds no token": _no_tokens,
    "The late encoder gives a zero vector": _late,
    "The plain encoder does not": _plain,
    "Cosine similarity": _cosine,
    "The document's score": _document_score,
    "trec_eval sorts again": _sorted_again,
    "It does not spare the others": _others,
    "With a guard": _guarded,
}
"""What runs a step, by its name in ``steps.csv``."""
