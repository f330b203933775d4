"""Runs LlamaIndex's semantic splitter in the version of another day, in an environment of its own.

The taxonomy names version 0.13.6, which needs older packages than this project is installed with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chunkstudy.runs.study_results import StudyError

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
