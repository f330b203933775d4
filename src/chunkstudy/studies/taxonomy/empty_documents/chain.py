"""The steps from an empty document to a score, each run by itself or read in a public place."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
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
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context

SPLIT = """
import json, sys, warnings
warnings.simplefilter("ignore")
from importlib.metadata import version
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.node_parser import SemanticSplitterNodeParser
from llama_index.core.schema import Document
parser = SemanticSplitterNodeParser(embed_model=MockEmbedding(embed_dim=4))
nodes = {
    text: [[node.text, node.start_char_idx, node.end_char_idx]
           for node in parser.get_nodes_from_documents([Document(text=text)])]
    for text in json.loads(sys.argv[1])
}
print(json.dumps({"version": version("llama-index-core"), "nodes": nodes}))
"""
"""The model's vectors decide where a text is cut, and an empty one has nothing to cut."""


def split(texts: list[str], python: Path | None = None) -> dict[str, Any]:
    """The version that ran, and of each text its nodes: text, first character, one past its last.

    Args:
        texts: documents.
        python: the interpreter of an environment with llama-index-core; this one if none is given.

    Raises:
        StudyError: if the splitter fails; its last line says why.
    """
    here = find_spec("llama_index.core")
    files = Path(str(here.origin)).parent / "_static" / "nltk_cache" if here else Path()
    run = subprocess.run(
        [str(python or sys.executable), "-c", SPLIT, json.dumps(texts)],
        capture_output=True,
        text=True,
        env={**os.environ, "NLTK_DATA": str(files), "PYTHONPATH": ""},
        check=False,
    )
    if run.returncode:
        raise StudyError(f"LlamaIndex's splitter failed: {(run.stderr.splitlines() or [''])[-1]}")
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def environment(folder: Path, version: str) -> Path:
    """The interpreter of an environment that holds llama-index-core in this version; it is made,
    by pip, where it is not there yet.

    Raises:
        StudyError: if the package cannot be installed.
    """
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        wanted = f"llama-index-core=={version}"
        commands = (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--quiet", wanted],
        )
        for command in commands:
            if subprocess.run(command, capture_output=True, check=False).returncode:
                raise StudyError(
                    f"{wanted} could not be installed in {folder}; install it there yourself and "
                    f"create the file {ready.name} beside it, or run this where pip finds packages"
                )
        ready.touch()
    return python


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
    counts = [len(build_chunker(one, PROTOCOLS[IELAB], no_vectors)("")) for one in OURS]
    said = {0: "no chunk", 1: "one empty chunk"}
    return pd.DataFrame({"chunker": OURS, "ours": [said[count] for count in counts]})


def no_vectors(texts: Any) -> Any:
    raise AssertionError(f"an empty document has nothing to embed, but {texts} was")


def _collections(context: Context) -> tuple[str, str]:
    found = [context.collection(name).documents for name in ("scifact", "nfcorpus", "arguana")]
    counts = [(sum(not one.text.strip() for one in documents), documents) for documents in found]
    return "our reader", ", ".join(f"{empty} of {len(all_of):,}" for empty, all_of in counts)


def _installed(_: Context) -> tuple[str, str]:
    return _nodes(split(["", " "]))


def _then(context: Context) -> tuple[str, str]:
    folder = context.places.build / f"llama-index-core-{THEN}"
    return _nodes(split(["", " "], environment(folder, THEN)))


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
